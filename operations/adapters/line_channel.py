"""A channel's settings through LINE's own SDK.  Source: line-bot-sdk 3.27, `MessagingApi`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import urllib3
from linebot.v3.messaging import (
    ApiClient,
    ApiException,
    Configuration,
    MessagingApi,
    SetWebhookEndpointRequest,
    TestWebhookEndpointRequest,
)

from operations.line_webhook import WebhookSetting, WebhookTest
from shared.errors import LineRefusedError, TransientError

_TIMEOUT_S: Final = (5.0, 30.0)  # to connect, to answer; a test waits for the webhook's cold start
_REFUSES_THE_TOKEN: Final = frozenset({401, 403})


class LineUnavailableError(TransientError):
    """LINE did not answer, or its answer does not match its API."""


class SdkLineChannel:
    """The channel of the access token."""

    def __init__(self, *, channel_access_token: str, base_url: str | None) -> None:
        """`base_url` replaces `https://api.line.me`."""
        configuration = Configuration(access_token=channel_access_token, host=base_url)
        configuration.retries = urllib3.Retry(0)
        self._api = MessagingApi(ApiClient(configuration))

    def set_webhook(self, url: str) -> None:
        with _translate_errors(
            "the webhook's address: it has to begin with https:// and to have at most 500 characters"
        ):
            self._api.set_webhook_endpoint(SetWebhookEndpointRequest(endpoint=url), _request_timeout=_TIMEOUT_S)

    def webhook(self) -> WebhookSetting:
        with _translate_errors("to tell the webhook's address"):
            endpoint = self._api.get_webhook_endpoint(_request_timeout=_TIMEOUT_S)
        return WebhookSetting(url=endpoint.endpoint, is_active=endpoint.active)

    def test_webhook(self) -> WebhookTest:
        with _translate_errors("to test the webhook; it does so sixty times an hour at most"):
            tested = self._api.test_webhook_endpoint(TestWebhookEndpointRequest(), _request_timeout=_TIMEOUT_S)
        return WebhookTest(
            success=bool(tested.success), status_code=tested.status_code, reason=tested.reason, detail=tested.detail
        )

    def chat_is_on(self) -> bool:
        with _translate_errors("to tell about the bot"):
            return str(self._api.get_bot_info(_request_timeout=_TIMEOUT_S).chat_mode) == "chat"

    def basic_id(self) -> str:
        """Return the account's id as people write it, for example "@123abcde"."""
        with _translate_errors("to tell about the bot"):
            return str(self._api.get_bot_info(_request_timeout=_TIMEOUT_S).basic_id)


@contextmanager
def _translate_errors(refused: str) -> Iterator[None]:
    try:
        yield
    except ApiException as cause:
        status = int(cause.status or 0)
        if status in _REFUSES_THE_TOKEN:
            raise LineRefusedError("LINE refuses the access token; check LINE_CHANNEL_ACCESS_TOKEN") from cause
        if 400 <= status < 500:  # noqa: PLR2004 - 4xx
            raise LineRefusedError(f"LINE answers {status} and refuses {refused}") from cause
        raise LineUnavailableError(f"LINE answers {status}; try again later") from cause
    except (urllib3.exceptions.HTTPError, ValueError) as cause:  # pydantic's errors are ValueErrors
        raise LineUnavailableError("LINE cannot be reached, or answers what its API does not promise") from cause
