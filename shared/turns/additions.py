"""Additions: what waits in a chat to be said with its next answer."""

from collections.abc import Callable
from typing import Protocol

from shared.conversation.amendments import Amendments
from shared.conversation.records import OutcomeRecord
from shared.turns.lease import Lease


class Additions(Protocol):
    """What waits to be said with a chat's next answer."""

    def begin(self, lease: Lease) -> Callable[[OutcomeRecord, Amendments], OutcomeRecord]:
        """Begin to read what waits, while the turn is held; return a function that adds it to an answer of this turn.

        If the turn tells that nothing waits, nothing is read. If the reading finds nothing, the lease notes that.

        The answer carries what was added, and a StagedWriter notes later that it was said. The function returns other outcomes unchanged,
        and also an answer if the bucket cannot be read.
        """
        ...


class NoAdditions:
    """Nothing waits; an Additions."""

    def begin(self, lease: Lease) -> Callable[[OutcomeRecord, Amendments], OutcomeRecord]:  # noqa: ARG002 - the port's signature
        return lambda outcome, _: outcome
