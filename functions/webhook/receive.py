"""Receive a delivery of LINE: check its signature, publish every event, and answer LINE.

200 means that Pub/Sub has stored every event; 503 makes LINE redeliver; 4xx answers a sender that is not LINE.
Source: LINE, "Receive messages (webhook)": LINE redelivers after an answer other than 2xx, if redelivery is switched on.
"""

from dataclasses import dataclass, field
from typing import Final

from shared import logs
from shared.bus.messages import EventBus, bus_messages
from shared.clock import Clock
from shared.errors import AizuchiError, DeliveryTooLargeError, MethodNotAllowedError, RejectedError
from shared.line.signature import verify_signature
from shared.line.webhook_body import parse_webhook_body

DELIVERY_LIMIT_BYTES: Final = 1_048_576
_RECEIVED: Final = 200
_INTERNAL_ERROR: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Receive:
    """Publishes the events of LINE's deliveries."""

    bus: EventBus
    channel_secrets: tuple[str, ...] = field(repr=False)
    clock: Clock = field(repr=False)

    def __call__(self, method: str, body: bytes, signature: str | None, traceparent: str | None = None) -> int:
        """Publish every event of the delivery; return their count, 0 if LINE only verifies the address.

        Every message carries `traceparent`.
        Repeated: published again, with `is_redelivery` set; the workers recognise a redelivery by its webhook_event_id.
        Raises: MethodNotAllowedError, DeliveryTooLargeError, BadSignatureError, MalformedDeliveryError, PublishFailedError.
        """
        if method != "POST":
            raise MethodNotAllowedError("only POST is answered")
        if len(body) > DELIVERY_LIMIT_BYTES:
            raise DeliveryTooLargeError(f"a delivery has at most {DELIVERY_LIMIT_BYTES} bytes")
        verify_signature(body, signature, channel_secrets=self.channel_secrets)
        delivery = parse_webhook_body(body)
        started_s = self.clock.monotonic_s()
        if delivery.dropped:
            logs.warning("event_dropped", reason="no JSON object", count=delivery.dropped)
        messages = bus_messages(delivery, traceparent=traceparent)
        pubsub_message_ids = self.bus.publish(messages) if messages else ()
        duration_ms = round((self.clock.monotonic_s() - started_s) * 1_000, 1)
        for message, pubsub_message_id in zip(messages, pubsub_message_ids, strict=True):
            logs.info(
                "event_published",
                type=message.attributes["type"],
                webhook_event_id=message.attributes.get("webhook_event_id"),
                is_redelivery=message.attributes["is_redelivery"] == "true",
                pubsub_message_id=pubsub_message_id,
                duration_ms=duration_ms,
            )
        return len(messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookEndpoint:
    """Answers requests; every failure becomes one log line and one sentence for the caller."""

    receive: Receive

    def __call__(
        self, method: str, body: bytes, *, signature: str | None, traceparent: str | None = None
    ) -> tuple[str, int]:
        """Return body and status.  Never raises."""
        with logs.bound(**logs.trace_fields(traceparent)):
            try:
                if not self.receive(method, body, signature, traceparent):
                    logs.info("webhook_received", events=0)
                answer, status = "OK", _RECEIVED
            except RejectedError as cause:
                answer, status = str(cause), cause.http_status
                logs.warning("webhook_rejected", reason=answer, status=status, body_bytes=len(body))
            except AizuchiError as cause:
                answer, status = str(cause), cause.http_status
                logs.error("webhook_failed", cause=cause, reason=answer, status=status)
            except Exception as cause:  # noqa: BLE001 - LINE redelivers, and a stack trace would quote the input
                answer, status = "something unforeseen happened", _INTERNAL_ERROR
                logs.error("webhook_crashed", cause=cause, status=status)
        return answer, status
