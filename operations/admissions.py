"""The operator's commands on invitations and admissions: give, revoke and list."""

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
class AdmissionCommands:
    """The operator's commands on the admission of chats.  Every method raises StorageUnavailableError.

    `shows_pseudonyms` adds each chat's pseudonym to the list: the pseudonym of the logs, if `logs.key_pseudonyms` was called with the
    channel access token.
    """

    admissions: Admissions
    invitations: Invitations
    clock: Clock = field(repr=False)
    shows_pseudonyms: bool = False

    def invite(self, *, days: float, is_single_use: bool, is_open: bool) -> str:
        """Return a new invitation code, valid for `days`; only a hash of the code is stored."""
        expires_ms = self.clock.now_ms() + round(min(days, LONGEST_DAYS) * _DAY_MS)
        return self.invitations.invite(expires_ms=expires_ms, is_single_use=is_single_use, is_open=is_open)

    def admit(self, conversation_id: str) -> None:
        """Let the chat talk to the bot from now on, even after a revocation.  Repeated: no further effect.  Raises: UnusableIdError.

        The admission begins a little earlier, because the operator's clock may differ from LINE's, by which messages are judged.
        """
        since_ms = self.clock.now_ms() - SKEW_MS
        self.admissions.admit(checked_conversation_id(conversation_id), since_ms=since_ms, renews=True)

    def revoke(self, conversation_id: str) -> bool:
        """Meet the chat with silence, within a minute; return whether the chat was admitted.

        No code admits the chat again. The chat's memory stays until an erasure.  Raises: UnusableIdError.
        """
        return self.admissions.revoke(checked_conversation_id(conversation_id))

    def lines(self) -> Iterator[str]:
        """Yield a line for each chat with an admission or a turn, then the count of the invitations that can still admit a chat.

        A line is for example "C4af…  admitted  since 2026-11-26 01:12 UTC".
        """
        admitted = self.admissions.all()
        for conversation_id in sorted({*admitted, *_chats_with_turns(self.admissions.store)}):
            logged = f"  in the logs {logs.pseudonym(conversation_id)}" if self.shows_pseudonyms else ""
            state = _state(admitted[conversation_id]) if conversation_id in admitted else "never admitted"
            yield f"{conversation_id}  {state}{logged}"
        yield f"{self.invitations.count_valid()} invitations could still admit a chat"


def _chats_with_turns(store: ObjectStore) -> Iterator[str]:
    """Yield the ids of the chats with a turn; with `ACCESS=open`, chats have turns without an admission."""
    for listing in store.list(_TURNS):
        with suppress(UnusableIdError):
            yield checked_conversation_id(listing.name.removeprefix(_TURNS).removesuffix(".json"))


def _state(admission: AdmissionRecord | None) -> str:
    if admission is None:
        return "its admission cannot be read"
    return f"{'revoked' if admission.is_revoked else 'admitted'}  since {_minute(admission.since_ms)}"


def _minute(at_ms: int) -> str:
    return f"{dt.datetime.fromtimestamp(at_ms / 1_000, dt.UTC):%Y-%m-%d %H:%M} UTC"
