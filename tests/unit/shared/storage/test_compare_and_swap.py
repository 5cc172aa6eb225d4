import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import MemoryObjectStore
from shared.errors import StorageUnavailableError
from shared.storage.compare_and_swap import SWAP_ATTEMPTS, update_by_swap
from shared.storage.object_store import StoredObject


class ContestedStore(MemoryObjectStore):
    """Another worker appends to the object after each of the next `conflicts` reads."""

    def __init__(self, conflicts: int) -> None:
        super().__init__()
        self.conflicts = conflicts

    def read(self, name: str) -> StoredObject | None:
        stored = super().read(name)
        if self.conflicts:
            self.conflicts -= 1
            before = stored or StoredObject(data=b"", generation=0)
            super().replace(name, before.data + b"o", generation=before.generation)
        return stored


def append(data: bytes | None) -> bytes:
    return (data or b"") + b"m"


@given(st.integers(0, SWAP_ATTEMPTS - 1), st.booleans())
def test_an_update_is_retried_until_it_wins_and_loses_no_other_write(conflicts: int, is_there: bool) -> None:
    store = ContestedStore(conflicts)
    if is_there:
        store.create("a", b"")

    written = update_by_swap(store, "a", append, what="an object")

    assert written == store.read("a")
    assert written is not None
    assert written.data == b"o" * conflicts + b"m"


def test_an_update_that_loses_every_swap_is_an_error_with_the_objects_kind() -> None:
    store = ContestedStore(SWAP_ATTEMPTS)

    with pytest.raises(StorageUnavailableError, match="others kept changing an object"):
        update_by_swap(store, "a", append, what="an object")


@pytest.mark.parametrize("data", [None, b"one"])
def test_an_object_that_is_left_as_it_is_is_returned_unwritten(data: bytes | None) -> None:
    store = MemoryObjectStore()
    if data is not None:
        store.create("a", data)
    before = store.list("")

    found = update_by_swap(store, "a", lambda _: None, what="an object")

    assert (found.data if found else None) == data
    assert store.list("") == before
