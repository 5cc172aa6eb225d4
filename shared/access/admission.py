"""Admissions: which chats may talk to the bot, one object each.  The bucket holds nothing about a chat without an admission.

admitted/{conversation_id}.json   since when the chat is admitted, or its revocation
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import field, replace
from enum import StrEnum
from typing import Final

from cachetools import LRUCache

from shared import logs
from shared.clock import Clock
from shared.errors import UnreadableRecordError, UnusableIdError
from shared.frozen import frozen
from shared.locked_cache import LockedCache
from shared.storage.codec import VERSION, decode, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_names import ADMITTED_PREFIX, ObjectNames, admitted_id_in
from shared.storage.object_store import ObjectStore
from shared.unknown_fields import Extensible

CACHED_S: Final = 60.0
"""How long a warm instance uses a cached admission; a revocation reaches every instance within this time."""
_MAX_CHATS: Final = 4_096


class Access(StrEnum):
    """Who may talk to the bot: every chat, or only admitted chats."""

    OPEN = "open"
    INVITED = "invited"


@frozen
class AdmissionRecord(Extensible):
    """admitted/{conversation_id}.json, for example `{"version":1,"since_ms":1795510800000,"is_revoked":false}`.

    Events older than `since_ms`, by LINE's timestamp, came before the admission and stay out. `is_revoked`: the operator ended the
    admission; the operator alone can renew it, an invitation code cannot.
    """

    version: int = VERSION
    since_ms: int
    is_revoked: bool = False

    def admits(self, timestamp_ms: int) -> bool:
        """Whether an event of this timestamp may be handled."""
        return not self.is_revoked and timestamp_ms >= self.since_ms


@frozen
class Admissions:
    """The admissions of one bucket; safe to share between threads.  Every method raises StorageUnavailableError.

    An admission is cached for CACHED_S after its reading. A missing or revoked admission is read again each time, so that a new admission
    counts at once.
    """

    store: ObjectStore
    clock: Clock = field(repr=False)
    _cached: LockedCache[str, tuple[AdmissionRecord, float]] = field(
        default_factory=lambda: LockedCache(LRUCache(_MAX_CHATS)), repr=False
    )

    def of(self, conversation_id: str) -> AdmissionRecord | None:
        """Return the chat's admission, at most CACHED_S old; None: the chat was never admitted.  Raises: UnusableIdError."""
        names, asked_s = ObjectNames(conversation_id), self.clock.monotonic_s()
        record, read_s = self._cached.get(conversation_id) or (None, 0.0)
        if record is not None and asked_s - read_s < CACHED_S:
            return record
        stored = self.store.read(names.admission)
        return None if stored is None else self._keep(conversation_id, stored.data, read_s=asked_s)

    def admit(self, conversation_id: str, *, since_ms: int, renews: bool = False) -> AdmissionRecord:
        """Return the chat's admission, which begins at `since_ms` unless there is an older admission; `renews` a revoked admission.

        Repeated: changes nothing.
        """

        def admitted(stored: AdmissionRecord | None) -> AdmissionRecord | None:
            if stored is None or (stored.is_revoked and renews):
                return AdmissionRecord(since_ms=since_ms)
            return None

        return self._update(conversation_id, admitted) or AdmissionRecord(since_ms=since_ms)

    def revoke(self, conversation_id: str) -> bool:
        """Revoke the admission: within CACHED_S every instance ignores the chat.  Return whether the chat was admitted.

        Stored records stay.
        """
        was_admitted = False

        def revoked(stored: AdmissionRecord | None) -> AdmissionRecord | None:
            nonlocal was_admitted
            if stored is None or stored.is_revoked:
                return None
            was_admitted = True
            return replace(stored, is_revoked=True)

        self._update(conversation_id, revoked)
        return was_admitted

    def all(self) -> dict[str, AdmissionRecord | None]:
        """Return every admission by the chat's id, revoked admissions included; None for an unreadable record."""
        admissions: dict[str, AdmissionRecord | None] = {}
        for entry in self.store.list(ADMITTED_PREFIX):
            with suppress(UnusableIdError):  # put there by hand
                conversation_id, stored = admitted_id_in(entry.name), self.store.read(entry.name)
                if stored is not None:
                    admissions[conversation_id] = _readable(stored.data)
        return admissions

    def _update(
        self, conversation_id: str, change: Callable[[AdmissionRecord | None], AdmissionRecord | None]
    ) -> AdmissionRecord | None:
        def changed(data: bytes | None) -> bytes | None:
            record = change(decode(AdmissionRecord, data) if data is not None else None)
            return None if record is None else encode(record)

        name, begun_s = ObjectNames(conversation_id).admission, self.clock.monotonic_s()
        stored = update_by_swap(self.store, name, changed, what="an admission")
        return None if stored is None else self._keep(conversation_id, stored.data, read_s=begun_s)

    def _keep(self, conversation_id: str, data: bytes, *, read_s: float) -> AdmissionRecord:
        """Cache the admission as of the time before its reading: it is never used longer than CACHED_S after another worker's change.

        A revoked admission is not cached, so that the chat is answered as soon as the operator renews the admission.
        """
        record = decode(AdmissionRecord, data)
        if record.is_revoked:
            self._cached.pop(conversation_id)
        else:
            self._cached.put(conversation_id, (record, read_s))
        return record


def _readable(data: bytes) -> AdmissionRecord | None:
    try:
        return decode(AdmissionRecord, data)
    except UnreadableRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        return None


def is_admitted(access: Access, admissions: Admissions, conversation_id: str) -> bool:
    """Whether the bot may send to the chat without an event of the chat, as ticks do.  Raises: StorageUnavailableError."""
    if access is Access.OPEN:
        return True
    admission = admissions.of(conversation_id)
    return admission is not None and not admission.is_revoked
