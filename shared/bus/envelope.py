"""The body that a push subscription posts (wrapped), decoded without loss.

The framework's conversion to a CloudEvent is not used, because it drops `deliveryAttempt` and messages without data.
Source: Pub/Sub, "Push subscriptions": `{"message": {"data", "attributes", "messageId", "publishTime"}, "subscription",
"deliveryAttempt"?}`; `deliveryAttempt` comes only with a dead-letter policy.
"""

import base64
import binascii
import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from shared.bus.messages import TRACEPARENT
from shared.errors import MalformedEnvelopeError, UnusableEventError


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A pushed message.  `data` is still encoded; `published_ms` is None if the envelope has no publish time.

    `traceparent` is the trace of the request with which LINE delivered the event.
    """

    pubsub_message_id: str
    data: str = field(repr=False)
    delivery_attempt: int | None = None
    published_ms: int | None = None
    traceparent: str | None = None

    def event(self) -> Mapping[str, object]:
        """Return the LINE event in the message.  Raises: UnusableEventError, if there is none; a redelivery would not help."""
        try:
            message = json.loads(base64.b64decode(self.data, validate=True))
        except (binascii.Error, ValueError, RecursionError) as cause:
            raise UnusableEventError("the message's data is not JSON in base64") from cause
        event = message.get("event") if isinstance(message, dict) else None
        if not isinstance(event, dict):
            raise UnusableEventError("the message's data holds no event")
        return event


def decode_envelope(body: bytes) -> Envelope:
    """Read a push body.  Raises: MalformedEnvelopeError, if it is no envelope."""
    try:
        envelope = json.loads(body)
    except (ValueError, RecursionError) as cause:
        raise MalformedEnvelopeError("the body is not JSON") from cause
    message = envelope.get("message") if isinstance(envelope, dict) else None
    if not isinstance(message, dict):
        raise MalformedEnvelopeError('the body is not {"message": {...}, "subscription": ...}')
    attempt = envelope.get("deliveryAttempt")
    attributes = message.get("attributes")
    traceparent = attributes.get(TRACEPARENT) if isinstance(attributes, dict) else None
    return Envelope(
        pubsub_message_id=str(message.get("messageId") or message.get("message_id") or ""),
        data=str(message.get("data", "")),
        delivery_attempt=attempt if isinstance(attempt, int) else None,
        published_ms=_published_ms(message.get("publishTime") or message.get("publish_time")),
        traceparent=traceparent if isinstance(traceparent, str) else None,
    )


def _published_ms(value: object) -> int | None:
    try:
        return int(dt.datetime.fromisoformat(str(value)).timestamp() * 1_000)
    except (ValueError, OverflowError):
        return None
