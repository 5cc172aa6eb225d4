"""The object store in memory."""

import itertools
import threading

from shared.conversation.object_store import ListedObject, StoredObject


class MemoryObjectStore:
    """A bucket of one process, with Cloud Storage's rules for generations; safe to share between threads."""

    def __init__(self) -> None:
        self._objects: dict[str, StoredObject] = {}
        self._generations = itertools.count(1)
        self._lock = threading.Lock()

    def read(self, name: str) -> StoredObject | None:
        with self._lock:
            return self._objects.get(name)

    def create(self, name: str, data: bytes) -> int | None:
        return self._write(name, data, generation=0)

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        return self._write(name, data, generation=generation)

    def delete(self, name: str) -> None:
        with self._lock:
            self._objects.pop(name, None)

    def list(self, prefix: str) -> tuple[ListedObject, ...]:
        with self._lock:
            return tuple(
                ListedObject(name=name, generation=stored.generation)
                for name, stored in sorted(self._objects.items())
                if name.startswith(prefix)
            )

    def _write(self, name: str, data: bytes, *, generation: int) -> int | None:
        with self._lock:
            there = self._objects.get(name)
            if (there.generation if there else 0) != generation:
                return None
            written = StoredObject(data=bytes(data), generation=next(self._generations))
            self._objects[name] = written
            return written.generation
