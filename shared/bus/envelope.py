"""The body that a push subscription posts (wrapped), decoded without loss.

The framework's conversion to a CloudEvent is not used, because it drops `deliveryAttempt` and messages without data.
Source: Pub/Sub, "Push subscriptions": `{"message": {"data", "attributes", "messageId", "publishTime"}, "subscription",
"deliveryAttempt"?}`; `deliveryAttempt` comes only with a dead-letter policy.
"""

import base64
import binascii
import datetime as dt
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from shared.bus.messages import TICK_TYPE, TRACEPARENT, Tick
from shared.bus.notices import NOTICE_TYPE, HookNotice
from shared.errors import DeliveryTooLargeError, MalformedEnvelopeError, UnusableEventError
from shared.frozen import frozen
from shared.line.json_text import parse_json
from shared.line.utf16 import without_lone_surrogates

BODY_LIMIT_BYTES: Final = 4_259_840
"""A delivery of 1 MiB, written in ASCII (at most three times as long), in base64 (four thirds), and 64 KiB of envelope."""


@frozen
class Envelope:
    """A pushed message.  `data` is base64; `published_ms` is None if the envelope has no publish time.

    `traceparent`: the trace of LINE's request, for example `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    """

    pubsub_message_id: str
    data: str = field(repr=False)
    delivery_attempt: int | None = None
    published_ms: int | None = None
    traceparent: str | None = None

    def event(self) -> Mapping[str, object] | Tick | HookNotice:
        """Return the LINE event in the message, or the tick, or a hook's notice: LINE's events stand under `event`, whatever their type.

        Raises: UnusableEventError, UnusableIdError, for any other data; a redelivery would not help.
        """
        try:
            message = parse_json(base64.b64decode(self.data, validate=True))
        except (binascii.Error, ValueError) as cause:
            raise UnusableEventError("the message's data is not JSON in base64") from cause
        if not isinstance(message, dict):
            raise UnusableEventError("the message's data is no JSON object")
        if "event" not in message and message.get("type") == TICK_TYPE:
            return Tick.of(message)
        if "event" not in message and message.get("type") == NOTICE_TYPE:
            return HookNotice.of(message)
        event = message.get("event")
        if not isinstance(event, dict):
            raise UnusableEventError("the message's data holds no event")
        return event


def decode_envelope(body: bytes) -> Envelope:
    """Read a push body.  Raises: DeliveryTooLargeError; MalformedEnvelopeError, if the body is no envelope."""
    if len(body) > BODY_LIMIT_BYTES:
        raise DeliveryTooLargeError(f"a push body has at most {BODY_LIMIT_BYTES} bytes")
    try:
        envelope = parse_json(body)
    except ValueError as cause:
        raise MalformedEnvelopeError("the body is not JSON") from cause
    message = envelope.get("message") if isinstance(envelope, dict) else None
    if not isinstance(envelope, dict) or not isinstance(message, dict):
        raise MalformedEnvelopeError('the body is not {"message": {...}, "subscription": ...}')
    attempt = envelope.get("deliveryAttempt")
    attributes = message.get("attributes")
    traceparent = attributes.get(TRACEPARENT) if isinstance(attributes, dict) else None
    return Envelope(
        pubsub_message_id=without_lone_surrogates(str(message.get("messageId") or message.get("message_id") or "")),
        data=str(message.get("data", "")),
        delivery_attempt=attempt if isinstance(attempt, int) else None,
        published_ms=_published_ms(message.get("publishTime") or message.get("publish_time")),
        traceparent=traceparent if isinstance(traceparent, str) else None,
    )


def _published_ms(value: object) -> int | None:
    try:
        return int(dt.datetime.fromisoformat(str(value)).timestamp() * 1_000)
    except (ValueError, OverflowError, OSError):
        return None
