"""The body that a push subscription posts."""

import base64
import json
from collections.abc import Mapping

PUBLISHED = "2026-11-21T04:40:01.123Z"
TICK = b'{"type":"tick"}'


def envelope(
    event: Mapping[str, object],
    *,
    attempt: int | None = None,
    message_id: str = "1",
    published: str = PUBLISHED,
    traceparent: str | None = None,
) -> bytes:
    """Return the body that Pub/Sub posts for an event."""
    data = json.dumps({"destination": "U8e742f61d673b39c7fff3cecb7536ef0", "event": event}).encode()
    attributes = {"type": str(event.get("type")), "is_redelivery": "false"}
    if traceparent is not None:
        attributes["traceparent"] = traceparent
    return wrapped(data, attributes=attributes, attempt=attempt, message_id=message_id, published=published)


def tick(*, shard: int = 0, shards: int = 1, published: str = PUBLISHED) -> bytes:
    """Return the body that Pub/Sub posts for a message of Cloud Scheduler."""
    data = TICK if shards == 1 else json.dumps({"type": "tick", "shard": shard, "shards": shards}).encode()
    return wrapped(data, attributes={"type": "tick"}, published=published)


def wrapped(
    data: bytes,
    *,
    attributes: Mapping[str, str],
    attempt: int | None = None,
    message_id: str = "1",
    published: str = PUBLISHED,
) -> bytes:
    """Return the body that Pub/Sub posts for a message with this data."""
    message = {
        "data": base64.b64encode(data).decode(),
        "attributes": attributes,
        "messageId": message_id,
        "message_id": message_id,
        "publishTime": published,
        "publish_time": published,
    }
    body: dict[str, object] = {"message": message, "subscription": "projects/p/subscriptions/s"}
    return json.dumps(body if attempt is None else {**body, "deliveryAttempt": attempt}).encode()
