"""Ticks, one a minute, by a thread: what Cloud Scheduler publishes there."""

import threading
from collections.abc import Callable, Sequence
from typing import Final

from shared import logs
from shared.clock import MINUTE_MS, Clock
from shared.errors import AizuchiError

_LATER_S: Final = 1.0
"""A tick comes this long after its minute began, so that no clock that differs a little makes it an early one."""


class Ticks:
    """Calls each of `works` every minute, and once at the start.

    A machine that slept has no tick for the minutes that it slept through; the first one after it carries out all that is due.
    """

    def __init__(self, works: Sequence[Callable[[], object]], *, clock: Clock) -> None:
        self._works = works
        self._clock = clock
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticks", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; a tick that is under way goes on in its thread."""
        self._stopping.set()
        self._thread.join(timeout=_LATER_S)

    def _run(self) -> None:
        while not self._stopping.is_set():
            for work in self._works:
                try:
                    work()
                except AizuchiError as cause:
                    logs.error("tick_failed", cause=cause)
            self._stopping.wait(MINUTE_MS / 1_000 - self._clock.now_ms() % MINUTE_MS / 1_000 + _LATER_S)
