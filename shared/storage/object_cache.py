"""Objects of the bucket, read in parallel and cached by name and generation, so that a warm instance reads only what has changed.

A listing tells which objects exist and at which generation, so the cache never returns an object that was deleted or rewritten.
"""

import threading
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Final

from cachetools import LRUCache

from shared.storage.object_store import ListedObject, ObjectStore

LIMIT_BYTES: Final = 32 * 1024 * 1024


def _cache() -> LRUCache[ListedObject, bytes]:
    return LRUCache(LIMIT_BYTES, getsizeof=len)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectCache:
    """Reads listed objects on the threads of `reads`; safe to share between threads."""

    store: ObjectStore
    reads: Executor = field(repr=False)
    _bodies: LRUCache[ListedObject, bytes] = field(default_factory=_cache, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def read(self, listed: ListedObject) -> bytes | None:
        """Return the object's bytes, or None where it is gone since it was listed.  Raises: StorageUnavailableError."""
        with self._lock:
            cached = self._bodies.get(listed)
        if cached is not None:
            return cached
        stored = self.store.read(listed.name)
        if stored is None:
            return None
        self.keep(ListedObject(name=listed.name, generation=stored.generation), stored.data)
        return stored.data

    def read_all(self, listed: Iterable[ListedObject]) -> list[bytes | None]:
        """Return the bytes of every object, as `read` does, in one round.  Raises: StorageUnavailableError."""
        return list(self.reads.map(self.read, listed))

    def keep(self, written: ListedObject, data: bytes) -> None:
        """Cache an object that was just written or read.  An object larger than the whole cache is not cached."""
        if len(data) <= LIMIT_BYTES:
            with self._lock:
                self._bodies[written] = data
