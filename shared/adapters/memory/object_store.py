"""The object store in memory."""

import threading
from bisect import bisect_left, insort
from collections.abc import Iterable
from itertools import islice, takewhile
from typing import Final

from shared.clock import Clock
from shared.errors import StorageUnavailableError
from shared.storage.object_store import ListedObject, StoredObject

_A_WRITE_S: Final = 1.0


class WriteLimitError(StorageUnavailableError):
    """429: the object was written less than a second ago."""


class MemoryObjectStore:
    """A bucket in memory, with Cloud Storage's rules for generations; safe to share between threads.

    Example: `store.create("a", b"1")` returns 1, `store.replace("a", b"2", generation=1)` returns 2, and repeated, None.
    """

    def __init__(self, *, limited_by: Clock | None = None) -> None:
        """With a clock, an object takes one write a second, else WriteLimitError.  Source: Cloud Storage, "Quotas & limits"."""
        self._limited_by = limited_by
        self._written_s: dict[str, float] = {}
        self._objects: dict[str, StoredObject] = {}
        self._listed: dict[str, ListedObject] = {}
        self._names: list[str] = []
        """Sorted; code points sort as their UTF-8 bytes do."""
        self._newest_generation = 0
        self._lock = threading.Lock()

    @property
    def newest_generation(self) -> int:
        """The generation of the last write; 0: nothing was written yet."""
        return self._newest_generation

    def read(self, name: str) -> StoredObject | None:
        with self._lock:
            return self._objects.get(name)

    def read_again(self, name: str, cached: StoredObject) -> StoredObject | None:
        stored = self.read(name)
        return cached if stored is not None and stored.generation == cached.generation else stored

    def create(self, name: str, data: bytes) -> int | None:
        return self._write(name, data, generation=0)

    def create_from(self, name: str, pieces: Iterable[bytes]) -> bool:
        return self.create(name, b"".join(pieces)) is not None

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        return self._write(name, data, generation=generation)

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        with self._lock:
            stored = self._objects.get(name)
            if stored is None:
                return True
            if generation not in {None, stored.generation}:
                return False
            del self._objects[name], self._listed[name], self._names[bisect_left(self._names, name)]
            return True

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        with self._lock:
            first = bisect_left(self._names, prefix if since is None else max(prefix, since))
            end = len(self._names) if before is None else bisect_left(self._names, before)
            names = takewhile(lambda name: name.startswith(prefix), islice(self._names, first, end))
            return tuple(map(self._listed.__getitem__, names))

    def _write(self, name: str, data: bytes, *, generation: int) -> int | None:
        with self._lock:
            now_s = self._limited_by.monotonic_s() if self._limited_by else 0.0
            if self._limited_by and now_s - self._written_s.get(name, -_A_WRITE_S) < _A_WRITE_S:
                raise WriteLimitError("one write a second a name")
            stored = self._objects.get(name)
            if (stored.generation if stored else 0) != generation:
                return None
            self._written_s[name] = now_s
            self._newest_generation += 1
            written = StoredObject(data=bytes(data), generation=self._newest_generation)
            if stored is None:
                insort(self._names, name)
            self._objects[name] = written
            self._listed[name] = ListedObject(name=name, generation=written.generation)
            return written.generation
