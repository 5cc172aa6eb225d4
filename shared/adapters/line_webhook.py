"""LINE's view of the webhook, through LINE's SDK."""

from typing import Final

from shared.adapters.line_calls import LineCalls
from shared.adapters.line_client import LOST_ANSWERS, LineClient, RefusalError, raise_if_bot_is_refused
from shared.adapters.line_sdk import TestWebhookEndpointRequest
from shared.errors import LineUnavailableError
from shared.line.webhook_check import WebhookCheck

ANSWER_S: Final = 12.0  # LINE waits for a cold start of the webhook
_REASON_CHARACTERS: Final = 60


class LineWebhook:
    """Checks the webhook's registration at LINE; safe to share between threads."""

    def __init__(self, client: LineClient) -> None:
        """`client` waits for answers for ANSWER_S."""
        self._calls = LineCalls(client)

    def check_webhook(self) -> WebhookCheck:
        try:
            setting = self._calls.webhook_endpoint()
            tested = self._calls.test_webhook_endpoint(TestWebhookEndpointRequest())
        except RefusalError as refusal:
            raise_if_bot_is_refused(refusal)
            raise LineUnavailableError("LINE does not test the webhook") from refusal
        except LOST_ANSWERS as cause:
            raise LineUnavailableError("LINE cannot be asked to test the webhook") from cause
        return WebhookCheck(
            is_active=bool(setting.active),
            is_answered=bool(tested.success),
            status=int(tested.status_code or 0),
            reason=str(tested.reason)[:_REASON_CHARACTERS],
        )

    def webhook_address(self) -> str | None:
        try:
            return self._calls.webhook_endpoint().endpoint or None
        except (RefusalError, *LOST_ANSWERS):
            return None
