"""Asks Gemini whether it knows the key and the model, at most once a minute; costs no tokens.

Source: Gemini API, "models.get": `GET https://generativelanguage.googleapis.com/v1beta/{name=models/*}`.
"""

import threading
from http import HTTPStatus
from typing import Final
from urllib.parse import quote, urlsplit

from shared.adapters.http_pool import FAILURES, HttpPool
from shared.clock import Clock
from shared.settings.agent_worker import GeminiSettings

_HOST: Final = "https://generativelanguage.googleapis.com"
_FRESH_S: Final = 60.0


class GeminiModelCheck:
    """Keeps the last answer for a minute; safe to share between threads."""

    def __init__(self, settings: GeminiSettings, clock: Clock) -> None:
        address = urlsplit(settings.base_url or _HOST)
        self._settings = settings
        self._clock = clock
        self._path = f"{address.path}/v1beta/models/{quote(settings.model, safe='')}"
        self._pool = HttpPool(
            f"{address.scheme}://{address.netloc}", kept=1, connect_timeout_s=3.0, answer_timeout_s=5.0, clock=clock
        )
        self._lock = threading.Lock()
        self._answer: tuple[bool, str] = (False, "not asked yet")
        self._asked_s = float("-inf")

    def __call__(self) -> tuple[bool, str]:
        """Return whether Gemini has the model for this key, and a sentence."""
        with self._lock:
            if self._clock.monotonic_s() - self._asked_s >= _FRESH_S:
                self._answer = self._ask()
                self._asked_s = self._clock.monotonic_s()
            return self._answer

    def _ask(self) -> tuple[bool, str]:
        key = self._settings.api_key.value() if self._settings.api_key is not None else ""
        try:
            answer = self._pool.ask("GET", self._path, headers={"x-goog-api-key": key})
        except FAILURES:
            return False, "does not answer"
        if answer.status == HTTPStatus.OK:
            return True, f"has {self._settings.model}"
        return False, f"answers {answer.status} for {self._settings.model}; check GEMINI_API_KEY and GEMINI_MODEL"
