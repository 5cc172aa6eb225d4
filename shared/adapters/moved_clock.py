"""The clock of a local stack: a file moves it forward, so that a developer need not wait for tomorrow's reminders."""

from pathlib import Path
from typing import Final

from shared.clock import Clock, SystemClock

_MOST_DIGITS: Final = 15


class MovedClock:
    """The machine's clocks; `now_ms` is later by the milliseconds in a file, which every process of the stack reads.

    A missing file, or a file without a number, moves nothing. Durations pass as on the machine. Example: a file with `3600000` moves the
    clock one hour forward.
    """

    def __init__(self, path: Path, clock: Clock | None = None) -> None:
        self._path = path
        self._clock = clock or SystemClock()

    def now_ms(self) -> int:
        return self._clock.now_ms() + self._offset_ms()

    def monotonic_s(self) -> float:
        return self._clock.monotonic_s()

    def sleep(self, seconds: float) -> None:
        self._clock.sleep(seconds)

    def _offset_ms(self) -> int:
        try:
            with self._path.open("rb") as file:
                digits = file.read(_MOST_DIGITS + 1).strip()
        except OSError:
            return 0
        return int(digits) if digits.isdigit() and len(digits) <= _MOST_DIGITS else 0


def clock_of(offset_file: Path | None) -> Clock:
    """Return the clock that the file moves; without a file, the machine's clock."""
    return SystemClock() if offset_file is None else MovedClock(offset_file)
