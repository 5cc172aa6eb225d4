"""The body of a request to the webhook, before it is read; and of a delivery, parsed only as far as the bus needs.

Unknown events, message types and fields pass unchanged, because LINE makes additions without notice.
Source: LINE, "Webhook event objects" and "Development guidelines".
"""

from dataclasses import dataclass
from typing import Final, Protocol

from shared.errors import MalformedDeliveryError
from shared.line.ids import conversation_id_of, is_event_or_message_id
from shared.line.json_text import parse_json
from shared.line.utf16 import without_lone_surrogates

_TYPE_LENGTH: Final = 64  # characters; an attribute's value may have 1,024 bytes, LINE's longest type has 17


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


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookBody:
    """The events of a POST, unchanged and in LINE's order; none if LINE only verifies the address.

    `dropped` counts the members of `events` other than JSON objects.
    """

    destination: str
    events: tuple[dict[str, object], ...]
    dropped: int = 0


def parse_webhook_body(body: bytes) -> WebhookBody:
    """Read `{"destination": "U...", "events": [...]}`.  Raises: MalformedDeliveryError.

    An event loses only the values that `parse_json` replaces by None.
    """
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
        "is_redelivery": str(isinstance(context, dict) and context.get("isRedelivery") is True).lower(),
    }
    webhook_event_id = event.get("webhookEventId")
    if isinstance(webhook_event_id, str) and is_event_or_message_id(webhook_event_id):
        attributes["webhook_event_id"] = webhook_event_id
    conversation_id = conversation_id_of(event.get("source"))
    if conversation_id is not None:
        attributes["conversation_id"] = conversation_id
    return attributes
