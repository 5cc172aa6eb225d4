"""Invitations and admissions, as the operator gives, ends and lists them."""

import datetime as dt
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from shared import logs
from shared.access.admission import AdmissionRecord, Admissions
from shared.access.invitations import Invitations
from shared.clock import SKEW_MS, Clock
from shared.errors import UnusableIdError
from shared.line.ids import checked_conversation_id
from shared.storage.object_store import ObjectStore

LONGEST_DAYS: Final = 365
_DAY_MS: Final = 86_400_000
_TURNS: Final = "turns/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """The operator's side of the admission of chats.  Every method raises StorageUnavailableError.

    `shows_pseudonyms` lists chats with their pseudonyms; these are those of the logs where `logs.key_pseudonyms` was called with the
    channel access token.
    """

    admissions: Admissions
    invitations: Invitations
    clock: Clock = field(repr=False)
    shows_pseudonyms: bool = False

    def invite(self, *, days: float, is_single_use: bool, is_open: bool) -> str:
        """Return a new code, which counts for so many days; it is stored as a hash only."""
        expires_ms = self.clock.now_ms() + round(min(days, LONGEST_DAYS) * _DAY_MS)
        return self.invitations.invite(expires_ms=expires_ms, is_single_use=is_single_use, is_open=is_open)

    def admit(self, conversation_id: str) -> None:
        """The chat may talk to the bot from now on, also where it was revoked.  Repeated: no further effect.  Raises: UnusableIdError.

        The admission begins a little earlier, because the clocks of the operator and of LINE, by which messages are judged, differ.
        """
        since_ms = self.clock.now_ms() - SKEW_MS
        self.admissions.admit(checked_conversation_id(conversation_id), since_ms=since_ms, renews=True)

    def revoke(self, conversation_id: str) -> bool:
        """The chat is met with silence within a minute, and no code lets it in again; return whether it was admitted.

        Its memory stays until it is erased.  Raises: UnusableIdError.
        """
        return self.admissions.revoke(checked_conversation_id(conversation_id))

    def lines(self) -> Iterator[str]:
        """Yield a line for each chat that was ever admitted or has had a turn, and one that counts the invitations that are left."""
        admitted = self.admissions.all()
        for conversation_id in sorted({*admitted, *_chats_with_turns(self.admissions.store)}):
            logged = f"  in the logs {logs.pseudonym(conversation_id)}" if self.shows_pseudonyms else ""
            state = _state(admitted[conversation_id]) if conversation_id in admitted else "never admitted"
            yield f"{conversation_id}  {state}{logged}"
        yield f"{self.invitations.count_valid()} invitations could still admit a chat"


def _chats_with_turns(store: ObjectStore) -> Iterator[str]:
    """Yield the ids of the chats that have had a turn, as all have where nobody needs an invitation."""
    for listed in store.list(_TURNS):
        with suppress(UnusableIdError):
            yield checked_conversation_id(listed.name.removeprefix(_TURNS).removesuffix(".json"))


def _state(admission: AdmissionRecord | None) -> str:
    if admission is None:
        return "its admission cannot be read"
    return f"{'revoked' if admission.is_revoked else 'admitted'}  since {_minute(admission.since_ms)}"


def _minute(at_ms: int) -> str:
    return f"{dt.datetime.fromtimestamp(at_ms / 1_000, dt.UTC):%Y-%m-%d %H:%M} UTC"
