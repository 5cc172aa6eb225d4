"""Receive a delivery of LINE: check its signature, publish every event, and answer LINE.

200 means that Pub/Sub has stored every event; 503 makes LINE redeliver; 4xx answers any other sender. For example, a body with a wrong
signature is answered with 401, and nothing is published.
Source: LINE, "Receive messages (webhook)": LINE redelivers after an answer other than 2xx, if redelivery is switched on.
"""

from concurrent.futures import Executor, Future
from dataclasses import field
from typing import Final

from shared import logs
from shared.bus.messages import BusMessage, EventBus, bus_messages
from shared.clock import Clock
from shared.errors import (
    AizuchiError,
    BadSignatureError,
    DeliveryIncompleteError,
    DeliveryTooLargeError,
    MethodNotAllowedError,
    RejectedError,
)
from shared.frozen import frozen
from shared.line.signature import verify_signature
from shared.line.webhook_body import UnreadBody, parse_webhook_body
from shared.settings.reader import split_secrets
from shared.settings.secret import Secret

DELIVERY_LIMIT_BYTES: Final = 1_048_576
_RECEIVED: Final = 200
_INTERNAL_ERROR: Final = 500


@frozen
class Forwarding:
    """Passes signed deliveries on to another system, by a topic whose push subscription posts them (FORWARD_TOPIC).

    The subscription is without a wrapper: the body is what LINE sent, and each attribute becomes a header of its name, so that the other
    system checks LINE's signature itself.  Source: Pub/Sub, "Payload unwrapping for Pub/Sub push subscriptions", "Write metadata".
    """

    bus: EventBus
    threads: Executor = field(repr=False)

    def begin(self, content: bytes, signature: str) -> Future[tuple[str, ...]]:
        """Publish the delivery beside its events.  The result raises PublishFailedError, unless Pub/Sub has stored it."""
        attributes = {"Content-Type": "application/json", "x-line-signature": signature}
        return self.threads.submit(self.bus.publish, (BusMessage(data=content, attributes=attributes),))


@frozen
class Receive:
    """Publishes the events of LINE's deliveries.  `channel_secret` may hold two, for example `"new,old"` during a rotation."""

    bus: EventBus
    channel_secret: Secret = field(repr=False)
    clock: Clock = field(repr=False)
    forwarding: Forwarding | None = None

    def __call__(self, method: str, body: UnreadBody, signature: str | None, traceparent: str | None = None) -> int:
        """Publish every event of the delivery; return the number of events, 0 if LINE only verifies the address.

        A sender other than LINE is refused before the body is read.

        Every message carries `traceparent`.
        Repeated: published again, with `is_redelivery` set; the workers recognise a redelivery by its webhook_event_id.
        Raises: MethodNotAllowedError, DeliveryTooLargeError, BadSignatureError, DeliveryIncompleteError, MalformedDeliveryError,
        PublishFailedError.
        """
        if method != "POST":
            raise MethodNotAllowedError("only POST is answered")
        if (body.declared_bytes or 0) > DELIVERY_LIMIT_BYTES:
            raise DeliveryTooLargeError(f"a delivery has at most {DELIVERY_LIMIT_BYTES} bytes")
        if not signature:
            raise BadSignatureError("the x-line-signature header is missing")
        content = self._signed(body, signature)
        delivery = parse_webhook_body(content)
        started_s = self.clock.monotonic_s()
        if delivery.dropped:
            logs.warning("event_dropped", reason="no JSON object", count=delivery.dropped)
        messages = bus_messages(delivery, traceparent=traceparent)
        forwarded = self.forwarding.begin(content, signature) if self.forwarding is not None and messages else None
        pubsub_message_ids = self.bus.publish(messages) if messages else ()
        if forwarded is not None:
            forwarded.result()  # LINE redelivers what was not stored for the other system either
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

    def _signed(self, body: UnreadBody, signature: str) -> bytes:
        """Return the bytes of the body after a check of LINE's signature."""
        content = body.read(DELIVERY_LIMIT_BYTES + 1)  # one byte over the limit suffices to refuse the body
        if content is None:
            raise DeliveryIncompleteError("the body was not complete in time")
        if len(content) > DELIVERY_LIMIT_BYTES:
            raise DeliveryTooLargeError(f"a delivery has at most {DELIVERY_LIMIT_BYTES} bytes")
        try:
            verify_signature(content, signature, channel_secrets=split_secrets(self.channel_secret.value()))
        except BadSignatureError:
            if not self.channel_secret.read_again():  # LINE may sign with a new secret that was not read yet
                raise
            verify_signature(content, signature, channel_secrets=split_secrets(self.channel_secret.value()))
        return content


@frozen
class WebhookEndpoint:
    """Answers requests; a failure becomes one log line and one sentence, such as `("only POST is answered", 405)`."""

    receive: Receive

    def __call__(
        self, method: str, body: UnreadBody, *, signature: str | None, traceparent: str | None = None
    ) -> tuple[str, int]:
        """Return body and status.  Never raises."""
        with logs.bound(**logs.trace_fields(traceparent)):
            try:
                if not self.receive(method, body, signature, traceparent):
                    logs.info("webhook_received", events=0)
                answer, status = "OK", _RECEIVED
            except RejectedError as cause:
                answer, status = str(cause), cause.http_status
                logs.warning(
                    "webhook_rejected",
                    reason=answer,
                    status=status,
                    is_signed=bool(signature),
                    body_bytes=body.declared_bytes,
                )
                body.refuse()
            except AizuchiError as cause:
                answer, status = str(cause), cause.http_status
                logs.error("webhook_failed", cause=cause, reason=answer, status=status)
            except Exception as cause:  # noqa: BLE001 - LINE redelivers, and a stack trace would quote the input
                answer, status = "something unforeseen happened", _INTERNAL_ERROR
                logs.error("webhook_crashed", cause=cause, status=status)
        return answer, status
