"""What LINE tells about the webhook: whether it sends events, and how the webhook answered a signed delivery without events.

Source: LINE, Messaging API reference, "Get webhook endpoint information", "Test webhook endpoint" (at most 60 times an hour).
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookCheck:
    """`is_active`: LINE sends events.  `status` is what the webhook answered, 0 or less if it did not answer."""

    is_active: bool
    is_answered: bool
    status: int
    reason: str


class WebhookChecker(Protocol):
    """LINE's own test of the webhook that is registered there."""

    def check_webhook(self) -> WebhookCheck:
        """Have LINE send a signed delivery without events; return how it went.  Raises: LineUnavailableError, LineRefusedError."""
        ...
