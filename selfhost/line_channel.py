"""A channel's settings at LINE, without LINE's SDK: importing the SDK takes longer than an operator's command.

Source: LINE, Messaging API reference, "Set webhook endpoint URL", "Get webhook endpoint information", "Test webhook endpoint", "Get
bot info".
"""

import json
from http import HTTPStatus
from typing import Final, TypeVar
from urllib.parse import urlsplit

from operations.line_webhook import WebhookSetting, WebhookTest
from selfhost.settings import ServeSettings
from shared.adapters.http_pool import FAILURES, HttpPool
from shared.errors import LineRefusedError, LineUnavailableError

_HOST: Final = "https://api.line.me"
_ANSWER_TIMEOUT_S: Final = 30.0  # LINE waits for the webhook that it tests
_REFUSES_THE_TOKEN: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_ENDPOINT: Final = "/v2/bot/channel/webhook/endpoint"
_Field = TypeVar("_Field", str, bool, int)


class HttpLineChannel:
    """The channel of the access token."""

    def __init__(self, *, channel_access_token: str, base_url: str | None) -> None:
        """`base_url` replaces `https://api.line.me`."""
        address = urlsplit(base_url or _HOST)
        self._path = address.path.rstrip("/")
        self._headers = {"Authorization": f"Bearer {channel_access_token}", "Content-Type": "application/json"}
        self._pool = HttpPool(
            f"{address.scheme}://{address.netloc}",
            most_idle=1,
            connect_timeout_s=5.0,
            answer_timeout_s=_ANSWER_TIMEOUT_S,
        )

    def set_webhook(self, url: str) -> None:
        refused = "the webhook's address: it has to begin with https:// and to have at most 500 characters"
        self._ask("PUT", _ENDPOINT, refused, {"endpoint": url})

    def webhook(self) -> WebhookSetting:
        fields = self._ask("GET", _ENDPOINT, "to tell the webhook's address")
        return WebhookSetting(url=_field(fields, "endpoint", str), is_active=_field(fields, "active", bool))

    def test_webhook(self) -> WebhookTest:
        refused = "to test the webhook; it does so sixty times an hour at most"
        fields = self._ask("POST", "/v2/bot/channel/webhook/test", refused, {})
        return WebhookTest(
            success=_field(fields, "success", bool),
            status_code=_field(fields, "statusCode", int),
            reason=_field(fields, "reason", str),
            detail=_field(fields, "detail", str),
        )

    def chat_is_on(self) -> bool:
        return _field(self._bot_info(), "chatMode", str) == "chat"

    def basic_id(self) -> str:
        """Return the account's id as people write it, for example "@123abcde"."""
        return _field(self._bot_info(), "basicId", str)

    def _bot_info(self) -> dict[str, object]:
        return self._ask("GET", "/v2/bot/info", "to tell about the bot")

    def _ask(self, method: str, path: str, refused: str, fields: object = None) -> dict[str, object]:
        """Return the fields of the answer.  `refused` ends the error of a 4xx: "LINE answers 400 and refuses to test the webhook"."""
        body = None if fields is None else json.dumps(fields).encode()
        try:
            answer = self._pool.ask(method, self._path + path, headers=self._headers, body=body)
        except FAILURES as cause:
            raise LineUnavailableError("LINE cannot be reached") from cause
        if answer.status in _REFUSES_THE_TOKEN:
            raise LineRefusedError("LINE refuses the access token; check LINE_CHANNEL_ACCESS_TOKEN")
        if HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            raise LineRefusedError(f"LINE answers {answer.status} and refuses {refused}")
        if answer.status != HTTPStatus.OK:
            raise LineUnavailableError(f"LINE answers {answer.status}; try again later")
        try:
            return dict(json.loads(answer.data))
        except (ValueError, TypeError, RecursionError) as cause:
            raise LineUnavailableError("LINE answers what its API does not promise") from cause


def channel_of(settings: ServeSettings) -> HttpLineChannel:
    """Return the settings' channel."""
    worker = settings.worker
    return HttpLineChannel(channel_access_token=worker.channel_access_token.value(), base_url=worker.line_api_base_url)


def webhook_url(public_url: str) -> str:
    """Return the webhook's address: `webhook_url("https://bot.example.com") -> "https://bot.example.com/"`."""
    return f"{public_url}/"


def _field(fields: dict[str, object], name: str, kind: type[_Field]) -> _Field:
    value = fields.get(name)
    if not isinstance(value, kind):
        raise LineUnavailableError("LINE answers what its API does not promise")
    return value
