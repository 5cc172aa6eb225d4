"""Additions: notices that wait in a chat for its next answer, for example about a reminder that was not pushed."""

from collections.abc import Callable
from typing import Protocol

from shared.conversation.amendments import Amendments
from shared.conversation.records import OutcomeRecord
from shared.turns.lease import Lease


class Additions(Protocol):
    """Notices that wait for a chat's next answer."""

    def begin(self, lease: Lease) -> Callable[[OutcomeRecord, Amendments], OutcomeRecord]:
        """Begin to read the waiting notices while the turn is held; return a function that adds the notices to an answer of this turn.

        The bucket is read only if the turn's record says so. If no notices are stored, the lease records the fact.

        The returned function changes answers only. The answer lists its notices, and a StagedWriter records later that they were sent. If
        the bucket cannot be read, the answer is returned unchanged.
        """
        ...


class NoAdditions:
    """An Additions without notices."""

    def begin(self, lease: Lease) -> Callable[[OutcomeRecord, Amendments], OutcomeRecord]:  # noqa: ARG002 - the port's signature
        return lambda outcome, _: outcome
