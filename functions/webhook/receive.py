"""Hand every event of a delivery to the bus, and only then say that it was received."""

from dataclasses import dataclass, field

from shared import logs
from shared.bus.messages import EventBus, bus_messages
from shared.clock import Clock
from shared.errors import DeliveryTooLargeError, MethodNotAllowedError
from shared.line.signature import verify_signature
from shared.line.webhook_body import parse_delivery

DELIVERY_LIMIT_BYTES = 1_048_576


@dataclass(frozen=True, slots=True, kw_only=True)
class Receive:
    """Accepts one POST of LINE."""

    bus: EventBus
    channel_secrets: tuple[str, ...] = field(repr=False)
    clock: Clock = field(repr=False)

    def __call__(self, method: str, body: bytes, signature: str | None, traceparent: str | None = None) -> int:
        """Every event of the delivery is on the bus; return how many there were, 0 when LINE only checks that somebody answers.

        `traceparent` travels with every event.
        Repeated: published again, with `is_redelivery` set; the workers tell by the webhook_event_id.
        Raises: MethodNotAllowedError, DeliveryTooLargeError, BadSignatureError, MalformedDeliveryError, PublishFailedError.
        """
        if method != "POST":
            raise MethodNotAllowedError("only POST is answered")
        if len(body) > DELIVERY_LIMIT_BYTES:
            raise DeliveryTooLargeError(f"a delivery has at most {DELIVERY_LIMIT_BYTES} bytes")
        verify_signature(body, signature, channel_secrets=self.channel_secrets)
        delivery = parse_delivery(body)
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
