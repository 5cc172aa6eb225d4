"""Repeated calls to LINE that send a committed outcome: the lease is renewed meanwhile, and withdrawn words are not sent again."""

from dataclasses import dataclass
from typing import Final

from shared import logs
from shared.conversation.records import OutcomeRecord
from shared.errors import StorageUnavailableError
from shared.turns.lease import Lease

RENEWED_BELOW_S: Final = 10.0
"""A lease with less time left is renewed before a call: a call to LINE and the pause after it take at most 9 s."""


@dataclass(slots=True, kw_only=True)
class Repetition:
    """Decides whether a call may be repeated.  `is_withdrawn`: the outcome has lost its words since the first call."""

    lease: Lease
    outcome: OutcomeRecord
    is_withdrawn: bool = False

    def may_repeat(self) -> bool:
        """Whether the turn is still this holder's, and no words of the outcome were withdrawn.

        If the lease could end during the call, the lease is renewed first, and the amendments are read again. If the bucket does not
        answer, the words are sent for as long as the lease runs. Example: with 12 s left, no renewal; with 9 s left, a renewal.
        """
        if self.lease.left_s >= RENEWED_BELOW_S:
            return True
        try:
            self.is_withdrawn = self._is_withdrawn()
        except StorageUnavailableError:
            logs.warning("lease_not_renewed")
        return not self.is_withdrawn and not self.lease.is_over

    def _is_withdrawn(self) -> bool:
        """Renew the lease by a swap, and read the amendments.  The swap does not bring back words that an unsend redacted in the turn."""
        if not self.lease.amend(self.outcome, self.lease.record.route):
            return False
        committed = self.lease.record.outcome
        if committed is None or not committed.holds_words:
            return self.outcome.holds_words
        amendments = self.lease.conversation.amendments.look()
        return amendments.redact(self.outcome) is not self.outcome
