"""Heartbeats: every few minutes LINE is asked to test the webhook, so that a dead webhook is noticed while no messages come.

LINE sends a delivery that is signed with the channel secret, so it fails where a message would: address, switch, signature, instance.
The alert counts what the webhook received (`webhook_received`); the lines of this module tell why it received nothing.
"""

from dataclasses import dataclass, field

from shared import logs
from shared.clock import MINUTE_MS, Clock
from shared.errors import AizuchiError
from shared.line.webhook_check import WebhookChecker


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """Checks the webhook in every `every_minutes`th minute; 0: never."""

    checker: WebhookChecker
    every_minutes: int
    clock: Clock = field(repr=False)

    def __call__(self) -> None:
        """LINE has tested the webhook, if it is time; a failure is one line.  Repeated: tested again.  Never raises."""
        if not self.every_minutes or self.clock.now_ms() // MINUTE_MS % self.every_minutes:
            return
        try:
            check = self.checker.check_webhook()
        except AizuchiError as cause:
            logs.warning("heartbeat_not_sent", error_type=type(cause).__name__)
            return
        if not check.is_active:
            logs.error("webhook_switched_off")
        if check.is_answered:
            logs.info("heartbeat_answered", status=check.status)
        else:
            logs.error("heartbeat_lost", status=check.status, reason=check.reason)
