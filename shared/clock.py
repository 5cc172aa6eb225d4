"""The only module that reads the machine's clocks; other code takes a Clock."""

import time
from dataclasses import replace
from typing import Final, Protocol

from shared.frozen import frozen

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
SKEW_MS: Final = 5_000
"""The assumed largest difference between the wall clocks of two instances, or of an instance and LINE."""


class Clock(Protocol):
    """Wall-clock time, monotonic time, and sleep."""

    def now_ms(self) -> int:
        """Return milliseconds since 1970, UTC; may jump."""
        ...

    def monotonic_s(self) -> float:
        """Return ever-increasing seconds, for durations and deadlines within one process."""
        ...

    def sleep(self, seconds: float) -> None:
        """Block the calling thread."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic_s(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


@frozen
class Deadline:
    """A moment after which no further step begins.  A request has one deadline from the beginning on, and all waits end by then."""

    clock: Clock
    at_s: float

    @classmethod
    def after(cls, clock: Clock, seconds: float) -> "Deadline":
        return cls(clock=clock, at_s=clock.monotonic_s() + seconds)

    def within(self, seconds: float) -> "Deadline":
        """Return the deadline of a part: in `seconds`, or at this deadline if sooner.

        Example: with 30 s left, `deadline.within(8)` has 8 s left; with 5 s left, `deadline.within(8)` has 5 s left.
        """
        return replace(self, at_s=min(self.at_s, self.clock.monotonic_s() + seconds))

    def earlier(self, seconds: float) -> "Deadline":
        """Return a deadline `seconds` before this one: 30 s become 25 s by `deadline.earlier(5)`."""
        return replace(self, at_s=self.at_s - seconds)

    def pause(self, seconds: float, *, least_s: float = 0.0) -> bool:
        """Sleep before another attempt; return False, without sleeping, if the attempt would have no time, or less than `least_s`."""
        left_s = self.left_s - seconds
        if left_s <= 0 or left_s < least_s:
            return False
        self.clock.sleep(seconds)
        return True

    @property
    def left_s(self) -> float:
        """Seconds until the deadline; never negative."""
        return max(0.0, self.at_s - self.clock.monotonic_s())
