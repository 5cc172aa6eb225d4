"""Parts of the worker that are built when they are first needed, and only once, because a part may hold state.

Example: of `presses = once(build_press_handler)`, the first call imports and builds, and every call returns the same handler.
"""

import threading
from collections.abc import Callable
from functools import cache
from typing import TypeVar

_Part = TypeVar("_Part")


def once(build: Callable[[], _Part]) -> Callable[[], _Part]:
    """Return a function whose first call builds the part; calls at the same time wait, and all return the same part."""
    building, built = threading.Lock(), cache(build)

    def part() -> _Part:
        with building:  # the cache alone calls twice if two threads are first
            return built()

    return part
