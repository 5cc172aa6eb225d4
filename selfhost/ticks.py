"""A tick every minute from a thread; on Google Cloud, Cloud Scheduler publishes the ticks."""

import threading
from collections.abc import Callable, Sequence
from typing import Final

from shared import logs
from shared.clock import MINUTE_MS, Clock

_LATER_S: Final = 1.0
"""The delay of a tick after the start of its minute, so that a slightly different clock never makes the tick early."""


class Ticks:
    """Calls each of `works` every minute, and once at the start.

    After a machine has slept, the missed ticks are not made up for: the first tick carries out all due work.
    """

    def __init__(self, works: Sequence[Callable[[], object]], *, clock: Clock) -> None:
        self._works = works
        self._clock = clock
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticks", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop; a tick in progress goes on in the thread."""
        self._stopping.set()
        self._thread.join(timeout=_LATER_S)

    def _run(self) -> None:
        while not self._stopping.is_set():
            for work in self._works:
                try:
                    work()
                except Exception as cause:  # noqa: BLE001 - the ticks that follow must come, whatever a work has met
                    logs.error("tick_failed", cause=cause)
            self._stopping.wait(MINUTE_MS / 1_000 - self._clock.now_ms() % MINUTE_MS / 1_000 + _LATER_S)
