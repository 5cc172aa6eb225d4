"""Time lapse: hours pass in seconds, with a tick in every minute with due work, as in a stack running all the time."""

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from simulator.clock import StackClock
from simulator.pubsub import UnavailableError

MOST_TICKS: Final = 200
"""Of one lapse; what is due after that comes with the last tick, as after an outage."""
_SETTLE_S: Final = 20.0
_INTO_THE_MINUTE_MS: Final = 1_000


class TimeLapse:
    """Moves a stack's clock over due work.

    `due_minutes` returns the minutes with due work, for example `20261122T0930`; `settle` returns after all effects of a tick.
    """

    def __init__(
        self,
        clock: StackClock,
        *,
        due_minutes: Callable[[], Awaitable[Iterable[str]]],
        tick: Callable[[], object],
        settle: Callable[[], Awaitable[None]],
    ) -> None:
        self.clock = clock
        self._due_minutes = due_minutes
        self._tick = tick
        self._settle = settle
        self._lock = asyncio.Lock()

    async def move(self, *, seconds: float) -> None:
        """Move the clock, and carry out all work due on the way in the right minute.  Concurrent lapses follow one another.

        For example, `move(seconds=7_200)` with a reminder due in an hour: one tick in the reminder's minute, one at the end.
        """
        async with self._lock:
            target_ms = self.clock.now_ms() + round(seconds * 1_000)
            for _ in range(MOST_TICKS):
                now_ms = self.clock.now_ms()
                ahead = [at for at in map(_begin_ms, await self._due_minutes()) if at is not None and at > now_ms]
                next_ms = min(ahead, default=target_ms) + _INTO_THE_MINUTE_MS
                if next_ms >= target_ms:
                    break
                await self._pass_until(next_ms)
            await self._pass_until(target_ms)

    async def _pass_until(self, at_ms: int) -> None:
        self.clock.move(ms=max(0, at_ms - self.clock.now_ms()))
        try:
            self._tick()
            async with asyncio.timeout(_SETTLE_S):
                await self._settle()
        except (TimeoutError, UnavailableError):  # a fault that was asked for; the next tick goes on
            return


def _begin_ms(minute: str) -> int | None:
    try:
        begin = dt.datetime.strptime(minute, "%Y%m%dT%H%M").replace(tzinfo=dt.UTC)
    except ValueError:
        return None
    return round(begin.timestamp() * 1_000)
