import pytest

from shared.adapters.memory import MemoryObjectStore
from shared.storage.object_cache import LIMIT_BYTES, NEWEST_LIMIT_BYTES, ObjectCache
from shared.storage.object_store import ListedObject, StoredObject
from tests.support.inline import InlineExecutor


class CountingStore(MemoryObjectStore):
    """A bucket that counts how often it sends bytes, or that an object is not there."""

    reads = 0

    def read(self, name: str) -> StoredObject | None:
        self.reads += 1
        return super().read(name)

    def read_again(self, name: str, known: StoredObject) -> StoredObject | None:
        found = super().read_again(name, known)
        if found is known:
            self.reads -= 1
        return found


def test_an_object_is_read_once_a_generation() -> None:
    store = CountingStore()
    store.create("a", b"one")
    cache = ObjectCache(store=store, reads=InlineExecutor())

    (listed,) = store.list("")
    assert [cache.read(listed), cache.read(listed)] == [b"one", b"one"]
    assert store.reads == 1

    store.replace("a", b"two", generation=listed.generation)
    assert cache.read(store.list("")[0]) == b"two"
    assert store.reads == 2


def test_an_object_that_was_just_written_is_not_read() -> None:
    store = CountingStore()
    cache = ObjectCache(store=store, reads=InlineExecutor())
    generation = store.create("a", b"one")
    assert generation is not None

    cache.keep(ListedObject(name="a", generation=generation), b"one")

    assert cache.read(ListedObject(name="a", generation=generation)) == b"one"
    assert store.reads == 0


def test_what_is_read_at_once_comes_in_order_and_what_is_cached_is_not_read() -> None:
    store = CountingStore()
    for name in ("a", "b", "c"):
        store.create(name, name.encode())
    cache = ObjectCache(store=store, reads=InlineExecutor())
    a, b, c = store.list("")
    cache.read(b)
    store.delete("c")

    assert cache.read_all([a, b, c]) == [b"a", b"b", None]
    assert store.reads == 3


def test_an_object_that_is_gone_is_none() -> None:
    assert (
        ObjectCache(store=MemoryObjectStore(), reads=InlineExecutor()).read(ListedObject(name="a", generation=1))
        is None
    )


def test_an_object_that_was_rewritten_since_its_listing_has_its_newest_bytes() -> None:
    store = MemoryObjectStore()
    store.create("a", b"one")
    (stale,) = store.list("")
    store.replace("a", b"two", generation=stale.generation)
    cache = ObjectCache(store=store, reads=InlineExecutor())

    assert cache.read(stale) == b"two"
    assert cache.read(stale) == b"two"


def test_an_object_as_large_as_the_cache_is_kept() -> None:
    store = CountingStore()
    store.create("a", b"x" * LIMIT_BYTES)
    cache = ObjectCache(store=store, reads=InlineExecutor())
    (listed,) = store.list("")

    assert cache.read(listed) == cache.read(listed)
    assert store.reads == 1


def test_the_cache_is_bounded() -> None:
    store = CountingStore()
    cache = ObjectCache(store=store, reads=InlineExecutor())
    half = b"x" * (LIMIT_BYTES // 2)
    for name in ("a", "b", "c", "d"):
        store.create(name, half)
        cache.read(store.list(name)[0])
    store.create("e", b"x" * (LIMIT_BYTES + 1))
    cache.read(store.list("e")[0])

    cache.read(store.list("d")[0])
    assert store.reads == 5
    cache.read(store.list("a")[0])
    assert store.reads == 6


def test_an_object_that_was_not_listed_is_sent_again_only_if_it_has_changed() -> None:
    store = CountingStore()
    cache = ObjectCache(store=store, reads=InlineExecutor())
    assert cache.read_newest("a") is None
    generation = store.create("a", b"one")
    assert generation is not None

    found = [cache.read_newest("a"), cache.read_newest("a")]
    store.replace("a", b"two", generation=generation)
    found += [cache.read_newest("a"), cache.read_newest("a")]

    assert [one.data if one is not None else None for one in found] == [b"one", b"one", b"two", b"two"]
    assert store.reads == 3


def test_nothing_is_kept_of_an_object_that_was_not_listed_and_is_gone() -> None:
    asked: list[str] = []

    class AskedStore(MemoryObjectStore):
        def read_again(self, name: str, known: StoredObject) -> StoredObject | None:
            asked.append(name)
            return super().read_again(name, known)

    store = AskedStore()
    cache = ObjectCache(store=store, reads=InlineExecutor())
    store.create("a", b"one")
    cache.read_newest("a")
    store.delete("a")

    assert [cache.read_newest("a"), cache.read_newest("a")] == [None, None]
    assert asked == ["a"]


def test_what_was_read_last_costs_no_request_and_what_was_never_read_is_read() -> None:
    store = CountingStore()
    store.create("a", b"one")
    cache = ObjectCache(store=store, reads=InlineExecutor())

    last_read = [cache.last_read(name) for name in ("a", "b", "a", "b")]

    assert [one.data if one is not None else None for one in last_read] == [b"one", None, b"one", None]
    assert store.reads == 2


@pytest.mark.parametrize(("more_bytes", "reads"), [(0, 1), (1, 2)])
def test_an_object_that_was_not_listed_is_kept_if_the_cache_can_hold_it(more_bytes: int, reads: int) -> None:
    store = CountingStore()
    store.create("a", b"x" * (NEWEST_LIMIT_BYTES + more_bytes))
    cache = ObjectCache(store=store, reads=InlineExecutor())

    assert cache.read_newest("a") == cache.read_newest("a")
    assert store.reads == reads
