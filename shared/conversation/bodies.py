"""Bodies of listed objects, kept in memory by name and generation: a warm instance reads again only what it has not seen as it is.

A listing tells what exists and at which generation, so what was deleted or rewritten is never shown from here.
"""

import threading
from dataclasses import dataclass, field
from typing import Final

from cachetools import LRUCache

from shared.conversation.object_store import ListedObject, ObjectStore

LIMIT_BYTES: Final = 32 * 1024 * 1024


def _cache() -> LRUCache[ListedObject, bytes]:
    return LRUCache(LIMIT_BYTES, getsizeof=len)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bodies:
    """Reads listed objects; safe to share between threads."""

    store: ObjectStore
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

    def keep(self, written: ListedObject, data: bytes) -> None:
        """Remember what was just written or read.  Larger than the whole cache: is not kept."""
        if len(data) <= LIMIT_BYTES:
            with self._lock:
                self._kept[written] = data
