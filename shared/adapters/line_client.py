"""Requests to LINE: the access token, a second try with a changed token, and refusals as errors.

Source: LINE, "Messaging API reference": `Authorization: Bearer`, 401 for a token that ended; "Error messages".
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final, TypeVar

import pydantic.v1

from shared.adapters.http_pool import FAILURES as NO_ANSWER
from shared.adapters.http_pool import Answer, ArrivingAnswer, HttpPool
from shared.clock import Clock
from shared.errors import LineRefusedError
from shared.settings.secret import Secret
from shared.version import version

HOST: Final = "https://api.line.me"
CONTENT_HOST: Final = "https://api-data.line.me"
CONNECT_S: Final = 2.0
TIMEOUT_S: Final = (CONNECT_S, 5.0)  # to connect, to answer
_CONNECTIONS: Final = 64
_REFUSAL_BYTES: Final = 64 * 1024
_SUCCESS: Final = range(200, 300)
_REFUSES_THE_BOT: Final = frozenset({401, 403})
_Result = TypeVar("_Result")


class RefusalError(Exception):
    """LINE answered with another status than 2xx."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"LINE answered {answer.status}")
        self.status = answer.status
        self.body = answer.data
        self.request_id = answer.header("x-line-request-id") or None


class UnreadableAnswerError(Exception):
    """LINE accepted the call, and the answer lacks a field that LINE documents."""


LOST_ANSWERS: Final = (*NO_ANSWER, UnreadableAnswerError)
FAILURES: Final = (RefusalError, *LOST_ANSWERS)
INVALID: Final = pydantic.v1.ValidationError
"""What a model of the SDK raises for values that LINE would refuse."""


class LineClient:
    """Asks one of LINE's hosts; safe to share between threads."""

    def __init__(
        self, channel_access_token: Secret, origin: str, *, answer_s: float, clock: Clock | None = None
    ) -> None:
        """`answer_s`: seconds that LINE may take for an answer, or for a piece of a body; no connection is opened."""
        self._channel_access_token = channel_access_token
        self._pool = HttpPool(
            origin, most_idle=_CONNECTIONS, connect_timeout_s=CONNECT_S, answer_timeout_s=answer_s, clock=clock
        )

    def ask(
        self, method: str, path: str, *, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """Return the answer of a call that LINE accepted.  Raises: FAILURES."""

        def ask() -> Answer:
            answer = self._pool.ask(method, path, body=body, headers=self._headers(headers))
            if answer.status not in _SUCCESS:
                raise RefusalError(answer)
            return answer

        return self._with_newest_token(ask)

    def arriving(self, path: str, hand_over: Callable[[ArrivingAnswer], _Result]) -> _Result:
        """Return what `hand_over` makes of an accepted answer whose body still arrives.  Raises: FAILURES."""

        def fetch() -> _Result:
            with self._pool.arriving("GET", path, headers=self._headers(None)) as answer:
                if answer.status not in _SUCCESS:
                    data = b"".join(answer.pieces(_REFUSAL_BYTES))
                    raise RefusalError(Answer(status=answer.status, data=data, headers=answer.response.headers))
                return hand_over(answer)

        return self._with_newest_token(fetch)

    def close(self) -> None:
        """Close the idle connections."""
        self._pool.close()

    def _headers(self, headers: dict[str, str] | None) -> dict[str, str]:
        bearer = f"Bearer {self._channel_access_token.value()}"
        return {"authorization": bearer, "user-agent": f"aizuchi/{version()}", **(headers or {})}

    def _with_newest_token(self, call: Callable[[], _Result]) -> _Result:
        """Repeat a call that LINE refused because of the access token, if another token exists; a refused call had no effect."""
        try:
            return call()
        except RefusalError as refusal:
            if refusal.status != HTTPStatus.UNAUTHORIZED or not self._channel_access_token.read_again():
                raise
        return call()


def raise_if_bot_is_refused(refusal: RefusalError) -> None:
    """Raise LineRefusedError if LINE refuses the bot itself and not only this call."""
    if refusal.status in _REFUSES_THE_BOT:
        raise LineRefusedError("LINE refuses the bot's access token; check LINE_CHANNEL_ACCESS_TOKEN") from refusal
