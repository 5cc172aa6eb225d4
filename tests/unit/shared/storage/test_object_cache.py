from shared.adapters.memory import MemoryObjectStore
from shared.storage.object_cache import LIMIT_BYTES, Bodies
from shared.storage.object_store import ListedObject, StoredObject
from tests.support.inline import InlineExecutor


class CountingStore(MemoryObjectStore):
    reads = 0

    def read(self, name: str) -> StoredObject | None:
        self.reads += 1
        return super().read(name)


def test_an_object_is_read_once_as_long_as_it_stays_as_it_is() -> None:
    store = CountingStore()
    store.create("a", b"one")
    bodies = Bodies(store=store, reads=InlineExecutor())

    (listed,) = store.list("")
    assert [bodies.read(listed), bodies.read(listed)] == [b"one", b"one"]
    assert store.reads == 1

    store.replace("a", b"two", generation=listed.generation)
    assert bodies.read(store.list("")[0]) == b"two"
    assert store.reads == 2


def test_what_was_just_written_need_not_be_read() -> None:
    store = CountingStore()
    bodies = Bodies(store=store, reads=InlineExecutor())
    generation = store.create("a", b"one")
    assert generation is not None

    bodies.keep(ListedObject(name="a", generation=generation), b"one")

    assert bodies.read(ListedObject(name="a", generation=generation)) == b"one"
    assert store.reads == 0


def test_an_object_that_is_gone_is_told_as_such() -> None:
    assert Bodies(store=MemoryObjectStore(), reads=InlineExecutor()).read(ListedObject(name="a", generation=1)) is None


def test_an_object_that_was_rewritten_since_the_listing_is_read_as_it_is() -> None:
    store = MemoryObjectStore()
    store.create("a", b"one")
    (stale,) = store.list("")
    store.replace("a", b"two", generation=stale.generation)
    bodies = Bodies(store=store, reads=InlineExecutor())

    assert bodies.read(stale) == b"two"
    assert bodies.read(stale) == b"two"


def test_memory_is_bounded() -> None:
    store = CountingStore()
    bodies = Bodies(store=store, reads=InlineExecutor())
    half = b"x" * (LIMIT_BYTES // 2)
    for name in ("a", "b", "c", "d"):
        store.create(name, half)
        bodies.read(store.list(name)[0])
    store.create("e", b"x" * (LIMIT_BYTES + 1))
    bodies.read(store.list("e")[0])

    bodies.read(store.list("d")[0])
    assert store.reads == 5
    bodies.read(store.list("a")[0])
    assert store.reads == 6
