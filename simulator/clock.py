"""The stack's clock: one clock for the stand-ins and the functions, moved only forward.

The functions are separate processes, so the offset stands in a file, read at every request for the time. The file is kept with the chats,
because messages must not lie in the future after a restart.
"""

import datetime as dt
import time
from collections.abc import Callable
from pathlib import Path

from simulator.line.listeners import Listeners


class StackClock:
    """The wall clock of a stack; `path` keeps the offset."""

    def __init__(self, path: Path, *, real_now_ms: Callable[[], int] | None = None) -> None:
        self.path = path
        self._real_now_ms = real_now_ms or _real_now_ms
        self._listeners = Listeners()
        self._offset_ms = _read(path)

    @property
    def offset_ms(self) -> int:
        """The offset from the machine's clock in milliseconds, for example 3,600,000 after a move of an hour."""
        return self._offset_ms

    def now_ms(self) -> int:
        """Return milliseconds since 1970, UTC."""
        return self._real_now_ms() + self._offset_ms

    def now(self) -> dt.datetime:
        """Return the time in UTC."""
        return dt.datetime.fromtimestamp(self.now_ms() / 1_000, tz=dt.UTC)

    def move(self, *, ms: int) -> None:
        """Move the clock forward, for every process of the stack.  Raises: ValueError, for a time in the past."""
        if ms < 0:
            raise ValueError("the clock is never moved back")
        self._offset_ms += ms
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_name(f"{self.path.name}.unfinished")
        unfinished.write_text(str(self._offset_ms), encoding="ascii")
        unfinished.replace(self.path)
        self._listeners.notify()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call the listener after every move.  Returns: a function to remove the listener."""
        return self._listeners.add(listener)


def _read(path: Path) -> int:
    try:
        return max(0, int(path.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return 0


def _real_now_ms() -> int:
    return time.time_ns() // 1_000_000
