"""The bot's account at LINE, read once a process, and without LINE's SDK: a cold start needs the name before anything else.

Source: LINE, "Get bot info".
"""

import threading
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

import msgspec

from shared import logs
from shared.adapters.http_pool import FAILURES, Answer, HttpPool
from shared.clock import Clock
from shared.frozen import frozen
from shared.settings.secret import Secret

_HOST: Final = "https://api.line.me"
_CONNECT_TIMEOUT_S: Final = 2.0
_ANSWER_TIMEOUT_S: Final = 5.0
_WAITED_S: Final = 7.0
_FAILURE_CACHED_S: Final = 60.0


class BotInfo(msgspec.Struct, frozen=True, rename="camel"):
    """The account's display name; `mark_as_read_mode` is `manual` if the bot sets read marks itself."""

    display_name: str
    mark_as_read_mode: str = "auto"


class BotInfoUnavailableError(Exception):
    """LINE did not return the bot's info."""


class CachedBotInfo:
    """Caches the result of `read`; safe to share between threads.

    Callers during the first reading wait, for `waited_s` at most. If LINE did not answer, one thread asks again later, and the others
    continue without the info.
    """

    def __init__(self, read: Callable[[], BotInfo], clock: Clock, *, waited_s: float = _WAITED_S) -> None:
        self._read = read
        self._clock = clock
        self._waited_s = waited_s
        self._lock = threading.Lock()
        self._info: BotInfo | None = None
        self._next_s = float("-inf")  # when LINE is asked next
        self._was_asked = threading.Event()

    def get(self) -> BotInfo | None:
        """Return the info; None for a minute after a failure, and while another thread then asks again."""
        if self._info is not None:
            return self._info
        if self._lock.acquire(blocking=False):
            try:
                if self._clock.monotonic_s() >= self._next_s:
                    self._ask()
            finally:
                self._was_asked.set()
                self._lock.release()
        else:
            self._was_asked.wait(self._waited_s)
        return self._info

    def _ask(self) -> None:
        try:
            self._info, self._next_s = self._read(), float("inf")
        except BotInfoUnavailableError as cause:
            self._next_s = self._clock.monotonic_s() + _FAILURE_CACHED_S
            logs.warning("bot_info_unavailable", error_type=type(cause.__cause__ or cause).__name__)


@frozen
class BotInfoApi:
    """LINE's call.  `base_url` replaces LINE's host."""

    channel_access_token: Secret
    base_url: str | None

    def read(self) -> BotInfo:
        """Return the info; asked again if LINE refuses the token and another token exists.  Raises: BotInfoUnavailableError."""
        try:
            response = self._ask()
            if response.status == HTTPStatus.UNAUTHORIZED and self.channel_access_token.read_again():
                response = self._ask()
            if response.status != HTTPStatus.OK:
                raise BotInfoUnavailableError(f"LINE answered {response.status}")
            return msgspec.json.decode(response.data, type=BotInfo)
        except (msgspec.MsgspecError, *FAILURES) as cause:
            raise BotInfoUnavailableError("LINE gave no readable answer") from cause

    def _ask(self) -> Answer:
        pool = HttpPool(
            self.base_url or _HOST,
            most_idle=0,
            connect_timeout_s=_CONNECT_TIMEOUT_S,
            answer_timeout_s=_ANSWER_TIMEOUT_S,
        )
        headers = {"authorization": f"Bearer {self.channel_access_token.value()}"}
        return pool.ask("GET", "/v2/bot/info", headers=headers)
