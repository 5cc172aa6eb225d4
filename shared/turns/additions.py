"""Additions: what waits in a chat to be said with its next answer."""

from collections.abc import Callable
from typing import Protocol

from shared.conversation.amendments import Amendments
from shared.conversation.records import OutcomeRecord
from shared.turns.lease import Lease


class Additions(Protocol):
    """What waits to be said with a chat's next answer."""

    def begin(self, lease: Lease) -> Callable[[OutcomeRecord, Amendments], OutcomeRecord]:
        """Begin to look for it, while the turn is held; the function that is returned adds it to an answer of this turn.

        Where the lease tells that nothing is left, nothing is read; where nothing is found, the lease notes it.

        The answer carries what was added; a StagedWriter notes that it was said. Anything else than an answer, and an answer where the
        bucket does not tell, is returned as it is.
        """
        ...


class NoAdditions:
    """Nothing waits; an Additions."""

    def begin(self, lease: Lease) -> Callable[[OutcomeRecord, Amendments], OutcomeRecord]:  # noqa: ARG002 - the port's signature
        return lambda outcome, _: outcome
