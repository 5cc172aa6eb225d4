"""Additions: notices that wait in a chat for its next answer, for example about a reminder that was not pushed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from shared.conversation.history import History
from shared.conversation.records import OutcomeRecord
from shared.turns.lease import Lease


class Additions(Protocol):
    """Notices that wait for a chat's next answer."""

    def begin(self, lease: Lease) -> Callable[[OutcomeRecord, History], OutcomeRecord]:
        """Begin to read the waiting notices while the turn is held; return a function that adds the notices to an answer of this turn.

        The bucket is read only if the turn's record says so. If no notices are stored, the lease records the fact.

        The returned function changes answers only. The answer lists its notices, and a StagedWriter records later that they were sent. If
        the bucket cannot be read, the answer is returned unchanged.
        """
        ...


@dataclass(frozen=True, slots=True)
class AllAdditions:
    """The notices of several Additions, in this order; an Additions."""

    additions: Sequence[Additions] = ()

    def begin(self, lease: Lease) -> Callable[[OutcomeRecord, History], OutcomeRecord]:
        return partial(_with_all, tuple(one.begin(lease) for one in self.additions))


def _with_all(
    begun: tuple[Callable[[OutcomeRecord, History], OutcomeRecord], ...], outcome: OutcomeRecord, history: History
) -> OutcomeRecord:
    for add_notices in begun:
        outcome = add_notices(outcome, history)
    return outcome
