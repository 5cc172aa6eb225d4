"""Objects of the bucket, read in parallel and cached by name and generation: a warm instance reads only changed objects.

A listing says which objects exist at which generation, so the cache never returns a deleted or rewritten object.
"""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import field
from itertools import islice
from typing import Final, TypeAlias

from cachetools import LRUCache

from shared.frozen import frozen
from shared.locked_cache import LockedCache
from shared.storage.object_store import ListedObject, ObjectStore, StoredObject

LIMIT_BYTES: Final = 32 * 1024 * 1024
NEWEST_LIMIT_BYTES: Final = 16 * 1024 * 1024
_ABSENT_BYTES: Final = 100  # about the length of a name
_READ_AT_ONCE: Final = 256  # so that the reads of another chat wait for at most 256


_Key: TypeAlias = tuple[str, int]


def _newest_cache() -> LRUCache[str, StoredObject | None]:
    """Return the cache of objects outside of listings; None: there was no object."""
    return LRUCache(
        NEWEST_LIMIT_BYTES, getsizeof=lambda stored: len(stored.data) if stored is not None else _ABSENT_BYTES
    )


@frozen
class ObjectCache:
    """Reads listed objects on the threads of `reads`; safe to share between threads."""

    store: ObjectStore
    reads: Executor = field(repr=False)
    _bodies: LockedCache[_Key, bytes] = field(
        default_factory=lambda: LockedCache(LRUCache(LIMIT_BYTES, getsizeof=len)), repr=False
    )
    _newest: LRUCache[str, StoredObject | None] = field(default_factory=_newest_cache, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def read(self, entry: ListedObject) -> bytes | None:
        """Return the object's bytes, or None if the object was deleted after the listing.  Raises: StorageUnavailableError."""
        cached = self.cached(entry)
        return cached if cached is not None else self._fetch(entry)

    def cached(self, entry: ListedObject) -> bytes | None:
        """Return the object's bytes, if this instance has read or written this generation of it; no request is made."""
        return self._bodies.get((entry.name, entry.generation))

    def read_all(self, entries: Iterable[ListedObject]) -> list[bytes | None]:
        """Return the bytes of every object, as `read` does, 256 objects at a time.  Raises: StorageUnavailableError."""
        remaining, bodies = iter(entries), list[bytes | None]()
        while part := tuple(islice(remaining, _READ_AT_ONCE)):
            bodies += self.begin_reading(part)()
        return bodies

    def begin_reading(self, entries: Iterable[ListedObject]) -> Callable[[], list[bytes | None]]:
        """Begin what `read_all` does; the returned function waits for the bytes.  Cached objects cost no thread."""
        lookups = [(one, self.cached(one)) for one in entries]
        fetching = self.reads.map(self._fetch, [one for one, cached in lookups if cached is None])
        return lambda: [next(fetching) if cached is None else cached for _, cached in lookups]

    def read_newest(self, name: str) -> StoredObject | None:
        """Return an object outside of listings; bytes are sent only after a write since this instance's last read.

        Raises: StorageUnavailableError.
        """
        with self._lock:
            cached = self._newest.get(name)
        newest = self.store.read(name) if cached is None else self.store.read_again(name, cached)
        if newest is None:
            with self._lock:
                self._newest[name] = None
        elif newest is not cached:
            self.keep_newest(name, newest)
        return newest

    def last_read(self, name: str) -> StoredObject | None:
        """Return the object as this instance read or wrote it last, without a request; an object that is not cached is read.

        Raises: StorageUnavailableError.
        """
        with self._lock:
            if name in self._newest:
                return self._newest[name]
        return self.read_newest(name)

    def keep_newest(self, name: str, written: StoredObject) -> None:
        """Cache an object for `read_newest` after a write or a read."""
        with self._lock:
            if len(written.data) <= NEWEST_LIMIT_BYTES:
                self._newest[name] = written
            else:
                self._newest.pop(name, None)

    def keep(self, written: ListedObject, data: bytes) -> None:
        """Cache an object after a write or a read.  An object larger than the whole cache is not cached."""
        self._bodies.put((written.name, written.generation), data)

    def _fetch(self, entry: ListedObject) -> bytes | None:
        stored = self.store.read(entry.name)
        if stored is None:
            return None
        self.keep(ListedObject(name=entry.name, generation=stored.generation), stored.data)
        return stored.data
