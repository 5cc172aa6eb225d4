"""The bot's account as LINE describes it, read once a process."""

import threading
from collections.abc import Callable
from typing import Final

from linebot.v3.messaging import BotInfoResponse

from shared import logs
from shared.adapters.line_client import FAILURES
from shared.clock import Clock

_FAILURE_KEPT_S: Final = 60.0


class KeptBotInfo:
    """Keeps what `read` returns; safe to share between threads, of which only one waits for LINE."""

    def __init__(self, read: Callable[[], BotInfoResponse], clock: Clock) -> None:
        self._read = read
        self._clock = clock
        self._lock = threading.Lock()
        self._known: BotInfoResponse | None = None
        self._next_s = float("-inf")  # when LINE is asked next

    def get(self) -> BotInfoResponse | None:
        """Return the info; None while another thread asks LINE, and for a minute after LINE did not answer."""
        if self._known is not None or not self._lock.acquire(blocking=False):
            return self._known
        try:
            if self._clock.monotonic_s() >= self._next_s:
                self._ask()
            return self._known
        finally:
            self._lock.release()

    def _ask(self) -> None:
        try:
            self._known, self._next_s = self._read(), float("inf")
        except FAILURES as cause:
            self._next_s = self._clock.monotonic_s() + _FAILURE_KEPT_S
            logs.warning("bot_info_unavailable", error_type=type(cause).__name__)
