"""The content of messages, from LINE's content host.

line-bot-sdk reads the whole body into memory, of any size.  Source: LINE, "Get content": 202 while the content is prepared.
"""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Final, TypeVar

from shared import logs
from shared.adapters.http_pool import FAILURES as NO_ANSWER
from shared.adapters.http_pool import ArrivingAnswer
from shared.adapters.line_client import LineClient, RefusalError, raise_if_bot_is_refused
from shared.line.media_content import LARGEST_BYTES, ArrivingContent, ContentTooLargeError, Unfetched

ANSWER_S: Final = 20.0  # also between two pieces
_PIECE_BYTES: Final = 256 * 1024
_GONE: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})
_NO_TYPE: Final = "application/octet-stream"
_Kept = TypeVar("_Kept")


class LineMedia:
    """Fetches content; safe to share between threads."""

    def __init__(self, client: LineClient) -> None:
        """`client` asks the content host, and waits for ANSWER_S."""
        self._client = client

    def fetch(
        self, line_message_id: str, keep: Callable[[ArrivingContent], _Kept], *, at_most_bytes: int = LARGEST_BYTES
    ) -> _Kept | Unfetched:
        try:
            hand_over = partial(_hand_over, keep=keep, at_most_bytes=at_most_bytes)
            return self._client.arriving(f"/v2/bot/message/{line_message_id}/content", hand_over)
        except ContentTooLargeError:
            return "too_large"
        except RefusalError as refusal:
            raise_if_bot_is_refused(refusal)
            if refusal.status in _GONE:
                return "gone"
            logs.warning("content_unavailable", status=refusal.status)
        except NO_ANSWER as cause:
            logs.warning("content_unavailable", error_type=type(cause).__name__)
        return "unavailable"


def _hand_over(
    answer: ArrivingAnswer, *, keep: Callable[[ArrivingContent], _Kept], at_most_bytes: int
) -> _Kept | Unfetched:
    """Read the body in pieces; for example, a photo of 1 MiB arrives as four pieces of 256 KiB."""
    if answer.status == HTTPStatus.ACCEPTED:
        return "not_ready"
    content_type = answer.response.headers.get("Content-Type", _NO_TYPE).partition(";")[0].strip().lower()
    pieces = answer.pieces(_PIECE_BYTES)
    return keep(ArrivingContent(pieces, content_type=content_type or _NO_TYPE, at_most_bytes=at_most_bytes))
