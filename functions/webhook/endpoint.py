"""The edge of the webhook: what LINE is told.

200 only once Pub/Sub has every event; 503 makes LINE deliver again; 4xx is for whoever is not LINE.
Source: LINE, "Receive messages (webhook)": anything but 2xx is redelivered, where that is switched on.
"""

from collections.abc import Callable
from dataclasses import dataclass

from shared import logs
from shared.errors import AizuchiError, RejectedError

_RECEIVED = 200
_UNFORESEEN = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookEndpoint:
    """Answers one request; everything that goes wrong becomes one line in the log and one sentence for the caller."""

    receive: Callable[[str, bytes, str | None, str | None], int]

    def __call__(
        self, method: str, body: bytes, *, signature: str | None, traceparent: str | None = None
    ) -> tuple[str, int]:
        """Return body and status.  Never raises."""
        with logs.bound(**logs.trace_fields(traceparent)):
            try:
                if not self.receive(method, body, signature, traceparent):
                    logs.info("webhook_received", events=0)
                said, status = "OK", _RECEIVED
            except RejectedError as cause:
                said, status = str(cause), cause.http_status
                logs.warning("webhook_rejected", reason=said, status=status, body_bytes=len(body))
            except AizuchiError as cause:
                said, status = str(cause), cause.http_status
                logs.error("webhook_failed", cause=cause, reason=said, status=status)
            except Exception as cause:  # noqa: BLE001 - LINE delivers again, and nothing personal ends in a stack trace
                said, status = "something unforeseen happened", _UNFORESEEN
                logs.error("webhook_crashed", cause=cause, status=status)
        return said, status
