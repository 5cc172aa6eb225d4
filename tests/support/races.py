"""Other workers that write between a worker's read and its write, or right after."""

from collections.abc import Callable

from shared.adapters.memory import MemoryObjectStore


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
