"""LINE's Messaging API through its own SDK: one client a process, a timeout on every call.

Source: line-bot-sdk 3.27: no default timeout; `host` serves both api.line.me and api-data.line.me; a POST whose answer was lost raises
urllib3's error; a 200 without `sentMessages` raises pydantic's.
"""

import threading
from collections.abc import Sequence
from typing import Final

import pydantic.v1
import urllib3
from linebot.v3.messaging import (
    ApiClient,
    ApiException,
    Configuration,
    MarkMessagesAsReadByTokenRequest,
    MessagingApi,
    ReplyMessageRequest,
    ShowLoadingAnimationRequest,
    TextMessage,
)

from shared import logs
from shared.errors import LineRefusedError
from shared.line.replies import ReplyFate

_TIMEOUT_S: Final = (2.0, 5.0)  # to connect, to answer
_CONNECTIONS: Final = 64
_LOADING_S: Final = (
    5  # the least that LINE takes, since a turn may end in silence; Source: LINE, "Display a loading animation"
)
_REFUSES_THE_BOT: Final = frozenset({401, 403})
_FAILURES: Final = (ApiException, urllib3.exceptions.HTTPError, pydantic.v1.ValidationError)


class LineApi:
    """The calls that the worker makes; safe to share between threads."""

    def __init__(self, *, channel_access_token: str, base_url: str | None) -> None:
        """`base_url` replaces both of LINE's hosts."""
        configuration = Configuration(access_token=channel_access_token, host=base_url)
        configuration.connection_pool_maxsize = _CONNECTIONS
        configuration.retries = urllib3.Retry(0)  # what is tried again is the caller's decision
        self._api = MessagingApi(ApiClient(configuration))
        self._display_name: str | None = None
        self._lock = threading.Lock()

    def reply(self, reply_token: str, texts: Sequence[str]) -> ReplyFate:
        request = ReplyMessageRequest(replyToken=reply_token, messages=[TextMessage(text=text) for text in texts])
        try:
            response = self._api.reply_message(request, _request_timeout=_TIMEOUT_S)
        except ApiException as refusal:
            return _fate_of(refusal)
        except (urllib3.exceptions.NewConnectionError, urllib3.exceptions.MaxRetryError) as cause:
            return ReplyFate(kind="not_sent" if _never_connected(cause) else "unknown")
        except urllib3.exceptions.HTTPError:
            return ReplyFate(kind="unknown")
        except pydantic.v1.ValidationError:  # accepted, in words that the SDK does not know
            return ReplyFate(kind="accepted")
        return ReplyFate(kind="accepted", sent_message_ids=tuple(sent.id for sent in response.sent_messages))

    def display_name(self) -> str | None:
        """Return the account's name, read once; None while LINE does not tell it."""
        with self._lock:
            if self._display_name is None:
                try:
                    self._display_name = self._api.get_bot_info(_request_timeout=_TIMEOUT_S).display_name
                except _FAILURES as cause:
                    logs.warning("bot_info_unavailable", error_type=type(cause).__name__)
            return self._display_name

    def show_loading(self, user_id: str) -> None:
        """The person sees that an answer is on its way; a failure is logged and forgotten.  Only for 1:1 chats."""
        try:
            self._api.show_loading_animation(
                ShowLoadingAnimationRequest(chatId=user_id, loadingSeconds=_LOADING_S), _request_timeout=_TIMEOUT_S
            )
        except _FAILURES as cause:
            logs.warning("loading_not_shown", error_type=type(cause).__name__)

    def mark_as_read(self, mark_as_read_token: str) -> None:
        """The message and all before it show as read; a failure is logged and forgotten."""
        try:
            self._api.mark_messages_as_read_by_token(
                MarkMessagesAsReadByTokenRequest(markAsReadToken=mark_as_read_token), _request_timeout=_TIMEOUT_S
            )
        except _FAILURES as cause:
            logs.warning("not_marked_as_read", error_type=type(cause).__name__)


def _fate_of(refusal: ApiException) -> ReplyFate:
    status = int(refusal.status or 0)
    logs.warning("reply_not_accepted", status=status, line_request_id=(refusal.headers or {}).get("x-line-request-id"))
    if status in _REFUSES_THE_BOT:
        raise LineRefusedError("LINE refuses the bot's access token; check LINE_CHANNEL_ACCESS_TOKEN") from refusal
    if status == 429:  # noqa: PLR2004 - Too Many Requests
        return ReplyFate(kind="not_sent")
    return ReplyFate(kind="refused" if 400 <= status < 500 else "unknown")  # noqa: PLR2004 - 4xx


def _never_connected(cause: urllib3.exceptions.HTTPError) -> bool:
    reason = cause.reason if isinstance(cause, urllib3.exceptions.MaxRetryError) else cause
    return isinstance(reason, urllib3.exceptions.NewConnectionError | urllib3.exceptions.ConnectTimeoutError)
