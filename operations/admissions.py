"""Invitations and admissions, as the operator gives, ends and lists them."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from shared.access.admission import Admissions
from shared.access.invitations import Invitations
from shared.clock import Clock
from shared.line.ids import checked_conversation_id

LONGEST_DAYS: Final = 365
_DAY_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """The operator's side of the admission of chats.  Every method raises StorageUnavailableError."""

    admissions: Admissions
    invitations: Invitations
    clock: Clock = field(repr=False)

    def invite(self, *, days: float, is_single_use: bool, is_open: bool) -> str:
        """Return a new code, which counts for so many days; it is stored as a hash only."""
        expires_ms = self.clock.now_ms() + round(min(days, LONGEST_DAYS) * _DAY_MS)
        return self.invitations.invite(expires_ms=expires_ms, is_single_use=is_single_use, is_open=is_open)

    def admit(self, conversation_id: str) -> None:
        """The chat may talk to the bot from now on, also where it was revoked.  Repeated: no further effect.  Raises: UnusableIdError."""
        self.admissions.admit(checked_conversation_id(conversation_id), since_ms=self.clock.now_ms(), renews=True)

    def revoke(self, conversation_id: str) -> bool:
        """The chat is met with silence within a minute, and no code lets it in again; return whether it was admitted.

        Its memory stays until it is erased.  Raises: UnusableIdError.
        """
        return self.admissions.revoke(checked_conversation_id(conversation_id))

    def lines(self) -> Iterator[str]:
        """Yield a line for each chat that was ever admitted, and one that counts the invitations that are left."""
        for conversation_id, admission in sorted(self.admissions.all().items()):
            state = "revoked" if admission.is_revoked else "admitted"
            yield f"{conversation_id}  {state}  since {_minute(admission.since_ms)}"
        yield f"{self.invitations.count_valid()} invitations could still admit a chat"


def _minute(at_ms: int) -> str:
    return f"{dt.datetime.fromtimestamp(at_ms / 1_000, dt.UTC):%Y-%m-%d %H:%M} UTC"
