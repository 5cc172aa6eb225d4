from concurrent.futures import ThreadPoolExecutor

from cachetools import LRUCache

from shared.locked_cache import LockedCache


def test_the_value_that_was_used_longest_ago_leaves_first() -> None:
    cache = LockedCache[str, int](LRUCache(2))
    cache.put("a", 1)
    cache.put("b", 2)

    assert cache.get("a") == 1
    cache.put("c", 3)

    assert [key in cache for key in ("a", "b", "c")] == [True, False, True]


def test_a_value_larger_than_the_whole_cache_is_not_cached() -> None:
    cache = LockedCache[str, str](LRUCache(3, getsizeof=len))
    cache.put("a", "abc")
    cache.put("b", "abcd")

    assert (cache.get("a"), cache.get("b")) == ("abc", None)


def test_a_removed_value_is_returned_once() -> None:
    cache = LockedCache[str, int](LRUCache(2))
    cache.put("a", 1)

    assert (cache.pop("a"), cache.pop("a")) == (1, None)


def test_a_change_that_returns_nothing_leaves_the_value() -> None:
    cache = LockedCache[str, int](LRUCache(2))
    cache.put("a", 1)

    assert not cache.update("a", lambda _: None)
    assert cache.update("b", lambda before: 2 if before is None else None)
    assert (cache.get("a"), cache.get("b")) == (1, 2)


def test_changes_of_several_threads_are_all_counted() -> None:
    cache = LockedCache[str, int](LRUCache(1))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: cache.update("a", lambda before: (before or 0) + 1), range(400)))

    assert cache.get("a") == 400
