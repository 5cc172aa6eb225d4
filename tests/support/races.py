"""Other workers that write between a worker's read and its write."""

from collections.abc import Callable

from shared.adapters.memory import MemoryObjectStore


class SharedStore(MemoryObjectStore):
    """A bucket in which others write first: each time an object is replaced, the next of `others` is called before."""

    others: list[Callable[[], object]]

    def __init__(self) -> None:
        super().__init__()
        self.others = []

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        if self.others:
            first, *left = self.others
            self.others = []  # they race with nobody
            first()
            self.others = left
        return super().replace(name, data, generation=generation)
