"""Other workers that write between a worker's read and its write, or right after; deletions that take effect once more."""

import threading
from collections.abc import Callable

from shared.adapters.memory import MemoryObjectStore
from shared.storage.object_store import StoredObject


class SharedStore(MemoryObjectStore):
    """A bucket to which others write, too: each time an object is replaced, the next of `others` comes before, of `followed_by` after."""

    others: list[Callable[[], object]]
    followed_by: list[Callable[[], object]]

    def __init__(self) -> None:
        super().__init__()
        self.others = []
        self.followed_by = []

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        before, after = self.others, self.followed_by
        self.others, self.followed_by = [], []  # the others race with nobody
        for other in before[:1]:
            other()
        written = super().replace(name, data, generation=generation)
        for other in after[:1]:
            other()
        self.others, self.followed_by = before[1:], after[1:]
        return written


class StoreThatReadsLast(MemoryObjectStore):
    """A bucket that answers a read of the snapshot only once the turn is opened, or after five seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.is_open = threading.Event()
        self.were_open: list[bool] = []

    def read(self, name: str) -> StoredObject | None:
        if name.startswith("snapshots/"):
            self.were_open.append(self.is_open.wait(30))
        return super().read(name)

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        written = super().replace(name, data, generation=generation)
        if name.startswith("turns/"):
            self.is_open.set()
        return written


class StoreWithLateDeletions(MemoryObjectStore):
    """A bucket that can carry out every deletion once more, as an attempt does whose answer did not come in time."""

    def __init__(self) -> None:
        super().__init__()
        self._deletions: list[tuple[str, int | None]] = []

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        self._deletions.append((name, generation))
        return super().delete(name, generation=generation)

    def repeat_deletions(self) -> int:
        """Carry out the deletions again; return how many there were."""
        for name, generation in self._deletions:
            super().delete(name, generation=generation)
        return len(self._deletions)
