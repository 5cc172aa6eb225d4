"""The content of messages, from LINE's content host.

Source: line-bot-sdk 3.27: `get_message_content` reads the whole body into memory, of any size, and returns None for 202. The
transport leaves the body unread with `_preload_content=False`.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final, TypeVar

import urllib3

from shared import logs
from shared.adapters.line_client import raise_if_bot_is_refused
from shared.adapters.line_sdk import ApiClient, ApiException
from shared.line.media_content import LARGEST_BYTES, ArrivingContent, ContentTooLargeError, Unfetched

_CONTENT_HOST: Final = "https://api-data.line.me"
_TIMEOUT_S: Final = (2.0, 20.0)  # to connect; between two chunks
_PIECE_BYTES: Final = 256 * 1024
_GONE: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})
_NO_TYPE: Final = "application/octet-stream"
_Kept = TypeVar("_Kept")


class LineMedia:
    """Fetches content; safe to share between threads."""

    def __init__(self, client: ApiClient) -> None:
        configuration = client.configuration
        self._transport = client.rest_client
        self._host = configuration.host or _CONTENT_HOST
        self._configuration = configuration

    def fetch(
        self, line_message_id: str, keep: Callable[[ArrivingContent], _Kept], *, at_most_bytes: int = LARGEST_BYTES
    ) -> _Kept | Unfetched:
        try:
            return _hand_over(self._content(line_message_id), keep, at_most_bytes)
        except ContentTooLargeError:
            return "too_large"
        except ApiException as refusal:
            raise_if_bot_is_refused(refusal)
            if refusal.status in _GONE:
                return "gone"
            logs.warning("content_unavailable", status=refusal.status)
        except urllib3.exceptions.HTTPError as cause:
            logs.warning("content_unavailable", error_type=type(cause).__name__)
        return "unavailable"

    def _content(self, line_message_id: str) -> Any:  # noqa: ANN401 - the transport's response
        """Return the answer; asked again if LINE refuses the token and another token exists.  Raises: line_client.FAILURES."""
        try:
            return self._ask(line_message_id)
        except ApiException as refusal:
            if refusal.status != HTTPStatus.UNAUTHORIZED or not self._configuration.channel_access_token.read_again():
                raise
        return self._ask(line_message_id)

    def _ask(self, line_message_id: str) -> Any:  # noqa: ANN401 - likewise
        url = f"{self._host}/v2/bot/message/{line_message_id}/content"
        headers = {"Authorization": f"Bearer {self._configuration.access_token}"}
        return self._transport.request("GET", url, headers=headers, _preload_content=False, _request_timeout=_TIMEOUT_S)


def _hand_over(
    response: Any,  # noqa: ANN401 - the transport's response
    keep: Callable[[ArrivingContent], _Kept],
    at_most_bytes: int,
) -> _Kept | Unfetched:
    """Read the body in pieces; the connection is reused only if the body was read to the end.

    Example: a photo of 1 MiB arrives as four pieces of 256 KiB.
    """
    with response:
        if response.status == HTTPStatus.ACCEPTED:
            return "not_ready"
        content_type = response.headers.get("Content-Type", _NO_TYPE).partition(";")[0].strip().lower()
        pieces = response.stream(_PIECE_BYTES)
        return keep(ArrivingContent(pieces, content_type=content_type or _NO_TYPE, at_most_bytes=at_most_bytes))
