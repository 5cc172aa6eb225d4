import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.adapters.memory.object_store import WriteLimitError


def test_a_store_with_a_clock_takes_one_write_a_second_per_name() -> None:
    clock = FixedClock()
    store = MemoryObjectStore(limited_by=clock)
    generation = store.create("a", b"1")
    assert generation is not None

    with pytest.raises(WriteLimitError, match="one write a second"):
        store.replace("a", b"2", generation=generation)

    assert store.create("b", b"1") is not None
    clock.move(1.0)
    assert store.replace("a", b"2", generation=generation) is not None
