"""A cache of the instance that threads share: every call holds the lock for as long as it takes, and never while something is read."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from cachetools import Cache

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class LockedCache(Generic[_Key, _Value]):
    """A cache of cachetools under a lock.  Example: `LockedCache(LRUCache(1_000))` holds the values of the 1,000 keys used last."""

    def __init__(self, cache: Cache[_Key, _Value]) -> None:
        self._cache = cache
        self._lock = threading.Lock()

    def __contains__(self, key: object) -> bool:
        with self._lock:
            return key in self._cache

    def get(self, key: _Key) -> _Value | None:
        """Return the cached value, which counts as used."""
        with self._lock:
            return self._cache.get(key)

    def put(self, key: _Key, value: _Value) -> None:
        """Cache the value; a value larger than the whole cache is not cached."""
        self.update(key, lambda _: value)

    def pop(self, key: _Key) -> _Value | None:
        """Remove and return the cached value."""
        with self._lock:
            return self._cache.pop(key, None)

    def update(self, key: _Key, change: Callable[[_Value | None], _Value | None]) -> bool:
        """Cache what `change` makes of the cached value, and return True; if `change` returns None, leave the value, and return False.

        `change` runs under the lock, so it may read nothing.
        """
        with self._lock:
            value = change(self._cache.get(key))
            if value is not None and self._cache.getsizeof(value) <= self._cache.maxsize:
                self._cache[key] = value
            return value is not None
