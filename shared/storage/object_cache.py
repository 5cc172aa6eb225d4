"""Bodies of listed objects, read in parallel, and kept in memory by name and generation: a warm instance reads again only what has changed.

A listing tells what exists and at which generation, so what was deleted or rewritten is never shown from here.
"""

import threading
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Final, TypeVar

from cachetools import LRUCache

from shared import logs
from shared.errors import CorruptRecordError
from shared.storage.codec import decode
from shared.storage.object_store import ListedObject, ObjectStore

LIMIT_BYTES: Final = 32 * 1024 * 1024
_Record = TypeVar("_Record")


def _cache() -> LRUCache[ListedObject, bytes]:
    return LRUCache(LIMIT_BYTES, getsizeof=len)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bodies:
    """Reads listed objects on the threads of `reads`; safe to share between threads."""

    store: ObjectStore
    reads: Executor = field(repr=False)
    _kept: LRUCache[ListedObject, bytes] = field(default_factory=_cache, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def read(self, listed: ListedObject) -> bytes | None:
        """Return the object's bytes, or None where it is gone since it was listed.  Raises: StorageUnavailableError."""
        with self._lock:
            kept = self._kept.get(listed)
        if kept is not None:
            return kept
        stored = self.store.read(listed.name)
        if stored is None:
            return None
        self.keep(ListedObject(name=listed.name, generation=stored.generation), stored.data)
        return stored.data

    def read_all(self, listed: Iterable[ListedObject]) -> list[bytes | None]:
        """Return the bytes of every object, as `read` does, in one round.  Raises: StorageUnavailableError."""
        return list(self.reads.map(self.read, listed))

    def keep(self, written: ListedObject, data: bytes) -> None:
        """Remember what was just written or read.  Larger than the whole cache: is not kept."""
        if len(data) <= LIMIT_BYTES:
            with self._lock:
                self._kept[written] = data


def readable(bodies: Iterable[bytes | None], kind: type[_Record]) -> list[_Record]:
    """Return the records that can be read: one that cannot must not silence a chat.  Raises: UnknownRecordVersionError."""
    found: list[_Record] = []
    for body in bodies:
        if body is None:
            continue
        try:
            found.append(decode(kind, body))
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
    return found
