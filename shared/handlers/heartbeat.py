"""Heartbeats: every few minutes LINE is asked to test the webhook, and the model's provider to confirm the key and the model's name.

A dead webhook, a revoked key or token, and a retired model are therefore noticed even if no messages come.

LINE's test delivery is signed with the channel secret, and fails where a message would: address, switch, signature, instance.
The alert counts what the webhook received (`webhook_received`); this module logs why the webhook received nothing.
"""

from dataclasses import field
from typing import Protocol

from shared import logs
from shared.clock import MINUTE_MS, Clock
from shared.errors import AizuchiError, LineRefusedError, ModelRefusedError
from shared.frozen import frozen
from shared.line.webhook_check import WebhookChecker


class ModelChecker(Protocol):
    """The provider's own answer about the model."""

    def check_model(self) -> None:
        """The provider accepts the key and knows the model; nothing is generated.  Raises: ModelUnavailableError, ModelRefusedError."""
        ...


@frozen
class Heartbeat:
    """Checks webhook and model in every `every_minutes`th minute; 0: never.  `model` None: the model is not checked.

    Example: with 5, at 09:00, 09:05 and 09:10 UTC.
    """

    checker: WebhookChecker
    model: ModelChecker | None = None
    every_minutes: int
    clock: Clock = field(repr=False)

    def __call__(self) -> None:
        """If it is time, LINE has tested the webhook, and the model was checked; a failure is one log line.

        Repeated: tested again. Never raises.
        """
        if not self.every_minutes or self.clock.now_ms() // MINUTE_MS % self.every_minutes:
            return
        self._check_webhook()
        if self.model is not None:
            self._check_model(self.model)

    def _check_webhook(self) -> None:
        try:
            check = self.checker.check_webhook()
        except LineRefusedError:
            logs.error("line_token_refused")
            return
        except AizuchiError as cause:
            logs.warning("heartbeat_not_sent", error_type=type(cause).__name__)
            return
        if not check.is_active:
            logs.error("webhook_switched_off")
        if check.is_answered:
            logs.info("heartbeat_answered", status=check.status)
        else:
            logs.error("heartbeat_lost", status=check.status, reason=check.reason)

    def _check_model(self, model: ModelChecker) -> None:
        try:
            model.check_model()
        except ModelRefusedError as cause:
            if cause.is_about_name:
                logs.error("gemini_model_unknown")
            elif not cause.is_about_request:
                logs.error("gemini_key_refused")
            else:
                logs.warning("model_not_checked", error_type=type(cause).__name__)
        except AizuchiError as cause:
            logs.warning("model_not_checked", error_type=type(cause).__name__)
