"""A channel's settings through LINE's own SDK.  Source: line-bot-sdk 3.27, `MessagingApi`."""

from typing import Final

import urllib3
from linebot.v3.messaging import (
    ApiClient,
    Configuration,
    MessagingApi,
    SetWebhookEndpointRequest,
    TestWebhookEndpointRequest,
)

from operations.adapters.line_errors import translate_errors
from operations.line_webhook import WebhookSetting, WebhookTest

_TIMEOUT_S: Final = (5.0, 30.0)  # to connect, to answer; a test waits for the webhook's cold start


class SdkLineChannel:
    """The channel of the access token."""

    def __init__(self, *, channel_access_token: str, base_url: str | None) -> None:
        """`base_url` replaces `https://api.line.me`."""
        configuration = Configuration(access_token=channel_access_token, host=base_url)
        configuration.retries = urllib3.Retry(0)
        self._api = MessagingApi(ApiClient(configuration))

    def set_webhook(self, url: str) -> None:
        with translate_errors(
            "the webhook's address: it has to begin with https:// and to have at most 500 characters"
        ):
            self._api.set_webhook_endpoint(SetWebhookEndpointRequest(endpoint=url), _request_timeout=_TIMEOUT_S)

    def webhook(self) -> WebhookSetting:
        with translate_errors("to tell the webhook's address"):
            endpoint = self._api.get_webhook_endpoint(_request_timeout=_TIMEOUT_S)
        return WebhookSetting(url=endpoint.endpoint, is_active=endpoint.active)

    def test_webhook(self) -> WebhookTest:
        with translate_errors("to test the webhook; it does so sixty times an hour at most"):
            tested = self._api.test_webhook_endpoint(TestWebhookEndpointRequest(), _request_timeout=_TIMEOUT_S)
        return WebhookTest(
            success=bool(tested.success), status_code=tested.status_code, reason=tested.reason, detail=tested.detail
        )

    def chat_is_on(self) -> bool:
        with translate_errors("to tell about the bot"):
            return str(self._api.get_bot_info(_request_timeout=_TIMEOUT_S).chat_mode) == "chat"

    def basic_id(self) -> str:
        """Return the account's id as people write it, for example "@123abcde"."""
        with translate_errors("to tell about the bot"):
            return str(self._api.get_bot_info(_request_timeout=_TIMEOUT_S).basic_id)
