"""Objects of the bucket, read in parallel and cached by name and generation, so that a warm instance reads only what has changed.

A listing tells which objects exist and at which generation, so the cache never returns an object that was deleted or rewritten.
"""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, TypeAlias

from cachetools import LRUCache

from shared.storage.object_store import ListedObject, ObjectStore, StoredObject

LIMIT_BYTES: Final = 32 * 1024 * 1024
NEWEST_LIMIT_BYTES: Final = 16 * 1024 * 1024
_READ_AT_ONCE: Final = 256  # the reads of other chats wait for no more than these


_Key: TypeAlias = tuple[str, int]


def _cache() -> LRUCache[_Key, bytes]:
    return LRUCache(LIMIT_BYTES, getsizeof=len)


def _newest_cache() -> LRUCache[str, StoredObject]:
    return LRUCache(NEWEST_LIMIT_BYTES, getsizeof=lambda stored: len(stored.data))


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectCache:
    """Reads listed objects on the threads of `reads`; safe to share between threads."""

    store: ObjectStore
    reads: Executor = field(repr=False)
    _bodies: LRUCache[_Key, bytes] = field(default_factory=_cache, repr=False)
    _newest: LRUCache[str, StoredObject] = field(default_factory=_newest_cache, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def read(self, listed: ListedObject) -> bytes | None:
        """Return the object's bytes, or None where it is gone since it was listed.  Raises: StorageUnavailableError."""
        cached = self._kept(listed)
        return cached if cached is not None else self._fetch(listed)

    def read_all(self, listed: Iterable[ListedObject]) -> list[bytes | None]:
        """Return the bytes of every object, as `read` does, of very many one part after another.  Raises: StorageUnavailableError."""
        left, found = iter(listed), list[bytes | None]()
        while part := tuple(islice(left, _READ_AT_ONCE)):
            found += self.begin_reading(part)()
        return found

    def begin_reading(self, listed: Iterable[ListedObject]) -> Callable[[], list[bytes | None]]:
        """Begin with what `read_all` does; the function that is returned waits for it.  What is cached costs no thread."""
        wanted = [(one, self._kept(one)) for one in listed]
        fetching = self.reads.map(self._fetch, [one for one, cached in wanted if cached is None])
        return lambda: [next(fetching) if cached is None else cached for _, cached in wanted]

    def read_newest(self, name: str) -> StoredObject | None:
        """Return an object that was not listed; its bytes are sent only if it was written since this instance read it last.

        Raises: StorageUnavailableError.
        """
        with self._lock:
            known = self._newest.get(name)
        found = self.store.read(name) if known is None else self.store.read_again(name, known)
        if found is None:
            with self._lock:
                self._newest.pop(name, None)
        elif found is not known:
            self.keep_newest(name, found)
        return found

    def keep_newest(self, name: str, written: StoredObject) -> None:
        """Keep an object that was just written or read, for `read_newest`."""
        if len(written.data) <= NEWEST_LIMIT_BYTES:
            with self._lock:
                self._newest[name] = written

    def keep(self, written: ListedObject, data: bytes) -> None:
        """Cache an object that was just written or read.  An object larger than the whole cache is not cached."""
        if len(data) <= LIMIT_BYTES:
            with self._lock:
                self._bodies[written.name, written.generation] = data

    def _kept(self, listed: ListedObject) -> bytes | None:
        with self._lock:
            try:
                return self._bodies[listed.name, listed.generation]
            except KeyError:
                return None

    def _fetch(self, listed: ListedObject) -> bytes | None:
        stored = self.store.read(listed.name)
        if stored is None:
            return None
        self.keep(ListedObject(name=listed.name, generation=stored.generation), stored.data)
        return stored.data
