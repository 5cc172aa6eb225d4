"""The body of a request to the webhook, before it is read; and of a delivery, parsed only as far as the bus needs.

Unknown events, message types and fields pass unchanged, because LINE makes additions without notice.
Source: LINE, "Webhook event objects" and "Development guidelines".
"""

import json
import re
from dataclasses import field
from typing import Final, Protocol

from shared.errors import MalformedDeliveryError
from shared.frozen import frozen
from shared.line.ids import conversation_id_of, is_event_or_message_id
from shared.line.json_text import may_be_deep, parse_json, parse_json_at
from shared.line.utf16 import without_lone_surrogates

_TYPE_LENGTH: Final = 64  # characters; an attribute's value may have 1,024 bytes, LINE's longest type has 17
_HEAD: Final = re.compile(r'\{"destination":"([^"\\\x00-\x1f]*+)","events":\[')
_TAIL: Final = "]}"
_ENCODE: Final = json.JSONEncoder(separators=(",", ":")).encode


class UnreadBody(Protocol):
    """The body of a request before it is read.  `declared_bytes`: the Content-Length, None without one."""

    @property
    def declared_bytes(self) -> int | None: ...

    def read(self, at_most_bytes: int) -> bytes | None:
        """Return the body, or its first `at_most_bytes`; None after a deadline.

        For example, `read(1_048_577)` shows whether a body has more than 1 MiB.
        """
        ...

    def refuse(self) -> None:
        """Leave the rest of the body unread."""
        ...


@frozen
class WebhookBody:
    """The events of a POST, unchanged and in LINE's order; none if LINE only verifies the address.

    `texts`: each event as JSON that UTF-8 can encode, for example `{"type":"follow",…}`. `dropped` counts the members of `events` other
    than JSON objects.
    """

    destination: str
    events: tuple[dict[str, object], ...]
    texts: tuple[str, ...] = field(repr=False)
    dropped: int = 0


def parse_webhook_body(body: bytes) -> WebhookBody:
    """Read `{"destination": "U...", "events": [...]}`.  Raises: MalformedDeliveryError.

    An event loses only the values that `parse_json` replaces by None; its text may keep these.
    """
    delivery = _in_the_form_of_line(body)
    return delivery if delivery is not None else _in_any_form(body)


def _in_the_form_of_line(body: bytes) -> WebhookBody | None:
    """Read a body whose outer object is written as LINE writes it, so that each event's text is at hand, and is not encoded again.

    None: the body is written differently, is no JSON, or may be deep.
    """
    if may_be_deep(body):
        return None
    try:
        text = body.decode()
        head = _HEAD.match(text)
        if head is None:
            return None
        events: list[dict[str, object]] = []
        texts: list[str] = []
        end = head.end() - 1
        while not events or text.startswith(",", end):
            start = end + 1
            event, end = parse_json_at(text, start)
            if not isinstance(event, dict):
                return None
            events.append(event)
            texts.append(text[start:end])
    except (ValueError, RecursionError):
        return None
    if len(text) != end + len(_TAIL) or not text.endswith(_TAIL):
        return None
    return WebhookBody(destination=head[1], events=tuple(events), texts=tuple(texts))


def _in_any_form(body: bytes) -> WebhookBody:
    """Read any other body.  Texts are in ASCII, because JSON may hold lone surrogates, which UTF-8 cannot encode."""
    try:
        delivery = parse_json(body)
    except ValueError as cause:
        raise MalformedDeliveryError("the body is not JSON") from cause
    events = delivery.get("events") if isinstance(delivery, dict) else None
    if not isinstance(delivery, dict) or not isinstance(events, list):
        raise MalformedDeliveryError('the body is not {"destination": ..., "events": [...]}')
    objects = tuple(event for event in events if isinstance(event, dict))
    destination = delivery.get("destination")
    return WebhookBody(
        destination=destination if isinstance(destination, str) else "",
        events=objects,
        texts=tuple(map(_ENCODE, objects)),
        dropped=len(events) - len(objects),
    )


def event_attributes(event: dict[str, object]) -> dict[str, str]:
    """Return the bus attributes of an event: type, webhook_event_id, conversation_id, is_redelivery.

    For example: `{"type": "message", "is_redelivery": "false", "webhook_event_id": "01J...", "conversation_id": "U4af4..."}`. A malformed
    id is left out, so that a single malformed event never makes Pub/Sub refuse the whole delivery.
    """
    context, type_ = event.get("deliveryContext"), event.get("type")
    attributes = {
        "type": without_lone_surrogates(type_[:_TYPE_LENGTH]) if isinstance(type_, str) else "",
        "is_redelivery": "true" if isinstance(context, dict) and context.get("isRedelivery") is True else "false",
    }
    webhook_event_id = event.get("webhookEventId")
    if isinstance(webhook_event_id, str) and is_event_or_message_id(webhook_event_id):
        attributes["webhook_event_id"] = webhook_event_id
    conversation_id = conversation_id_of(event.get("source"))
    if conversation_id is not None:
        attributes["conversation_id"] = conversation_id
    return attributes
