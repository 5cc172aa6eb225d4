"""Rates of hooks: 20 notices a minute and 200 a day.  The worker counts exactly; each instance of the webhook counts what it has seen."""

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import Final

from shared.clock import HOUR_MS, MINUTE_MS, Clock
from shared.frozen import frozen

DAY_MS: Final = 24 * HOUR_MS
A_MINUTE: Final = 20
A_DAY: Final = 200
_HOOKS_COUNTED: Final = 10_000


@frozen
class Rate:
    """How many notices a hook had in a minute and in a day of UTC, both counted from 1970."""

    minute: int = 0
    in_minute: int = 0
    day: int = 0
    in_day: int = 0

    def at(self, now_ms: int) -> "Rate":
        """Return the rate in the minute and the day of this moment."""
        minute, day = now_ms // MINUTE_MS, now_ms // DAY_MS
        return Rate(
            minute=minute,
            in_minute=self.in_minute if minute == self.minute else 0,
            day=day,
            in_day=self.in_day if day == self.day else 0,
        )

    @property
    def is_spent(self) -> bool:
        """Whether no further notice is allowed."""
        return self.in_minute >= A_MINUTE or self.in_day >= A_DAY

    def plus_one(self) -> "Rate":
        """Return the rate with one more notice."""
        return replace(self, in_minute=self.in_minute + 1, in_day=self.in_day + 1)

    @property
    def reset_s(self) -> int:
        """When the day's count begins anew, in seconds since 1970."""
        return (self.day + 1) * DAY_MS // 1_000


class InstanceRates:
    """The rates of hooks as one instance sees them: never above the true rate.  Safe to share between threads.

    The 10,000 hooks used last are counted.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rates: OrderedDict[str, Rate] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, hook_id: str) -> tuple[Rate, bool]:
        """Count a notice unless the rate is spent; return the rate, and whether the notice is allowed."""
        with self._lock:
            rate = self._now(hook_id)
            if rate.is_spent:
                return rate, False
            counted = rate.plus_one()
            self._rates[hook_id] = counted
            self._rates.move_to_end(hook_id)
            while len(self._rates) > _HOOKS_COUNTED:
                self._rates.popitem(last=False)
            return counted, True

    def see(self, hook_id: str) -> Rate:
        """Return the rate, without counting."""
        with self._lock:
            return self._now(hook_id)

    def _now(self, hook_id: str) -> Rate:
        return self._rates.get(hook_id, Rate()).at(self._clock.now_ms())
