"""What travels on the events topic.  Schemas: schemas/events/bus-message.json and bus-attributes.json."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from shared.line.delivery import Delivery, event_attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class BusMessage:
    """A message to publish: `data` is `{"destination", "event"}` as JSON in ASCII."""

    data: bytes = field(repr=False)
    attributes: Mapping[str, str]


class EventBus(Protocol):
    """Where the webhook hands events over."""

    def publish(self, messages: Sequence[BusMessage]) -> tuple[str, ...]:
        """Return the pubsub_message_ids once every message is stored.

        Nothing to publish: returns at once. Repeated: published twice, which the workers bear.
        Raises: PublishFailedError, when that was not confirmed for all of them; some may have been stored.
        """
        ...


def bus_messages(delivery: Delivery) -> tuple[BusMessage, ...]:
    """Return one message for every event of the delivery, in its order."""
    return tuple(
        BusMessage(
            # ASCII, because JSON may hold halves of characters that UTF-8 has no bytes for
            data=json.dumps({"destination": delivery.destination, "event": event}, separators=(",", ":")).encode(
                "ascii"
            ),
            attributes=event_attributes(event),
        )
        for event in delivery.events
    )
