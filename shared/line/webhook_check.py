"""LINE's view of the webhook: whether LINE sends events, and how the webhook answered a signed delivery without events.

Source: LINE, Messaging API reference, "Get webhook endpoint information", "Test webhook endpoint" (at most 60 times an hour).
"""

from typing import Protocol

from shared.frozen import frozen


@frozen
class WebhookCheck:
    """`is_active`: LINE sends events.  `status` is the webhook's HTTP status, 0 or less without an answer."""

    is_active: bool
    is_answered: bool
    status: int
    reason: str


class WebhookChecker(Protocol):
    """LINE's own test of the registered webhook."""

    def check_webhook(self) -> WebhookCheck:
        """Have LINE send a signed delivery without events; return the result.  Raises: LineUnavailableError, LineRefusedError."""
        ...


class WebhookAddress(Protocol):
    """The address that is registered at LINE for the webhook."""

    def webhook_address(self) -> str | None:
        """Return the address, for example `https://webhook-x.run.app`; None where none is registered, or LINE does not answer."""
        ...
