"""The messages of the events topic.  Schemas: schemas/events/bus-message.json, bus-attributes.json and tick.json."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from shared import logs
from shared.frozen import frozen
from shared.line.webhook_body import WebhookBody, event_attributes

_ENCODE: Final = json.JSONEncoder().encode
TICK_TYPE: Final = "tick"
TRACEPARENT: Final = "traceparent"  # the attribute that carries the webhook's trace to the workers


@frozen
class BusMessage:
    """A message to publish: `data` is `{"destination", "event"}` as JSON, the event as LINE wrote it."""

    data: bytes = field(repr=False)
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Tick:
    """The message of Cloud Scheduler, once a minute, with the data `{"type": "tick"}`, for every chat.

    `{"type": "tick", "shard": 2, "shards": 4}` is for the chats of one shard, by the hash of their ids, so that several instances share
    the due work. A tick with a malformed shard is for every chat: work is then tried twice, as by a doubled tick, and none is left. The
    webhook puts LINE's event under `event`, whatever its type, so no webhook event becomes a tick.
    """

    shard: int = 0
    shards: int = 1

    @classmethod
    def of(cls, message: Mapping[str, object]) -> "Tick":
        """Return the tick of a message's data: `Tick.of({"type": "tick", "shard": 2, "shards": 4})` is `Tick(shard=2, shards=4)`."""
        shard, shards = message.get("shard"), message.get("shards")
        if type(shard) is int and type(shards) is int and 0 <= shard < shards:
            return cls(shard=shard, shards=shards)
        return cls()

    def is_for(self, conversation_id: str) -> bool:
        """Whether the chat is in the shard.  Each chat is in exactly one of the `shards`."""
        return zlib.crc32(conversation_id.encode()) % self.shards == self.shard


class EventBus(Protocol):
    """The topic to which the webhook publishes events."""

    def publish(self, messages: Sequence[BusMessage]) -> tuple[str, ...]:
        """Return the pubsub_message_ids once every message is stored.

        No messages: returns at once. Repeated: published again; the workers are idempotent.
        Raises: PublishFailedError, unless every message was confirmed; some may be stored.
        """
        ...


def bus_messages(delivery: WebhookBody, *, traceparent: str | None = None) -> tuple[BusMessage, ...]:
    """Return one message for every event of the delivery, in the delivery's order.

    `traceparent`: the trace of LINE's request, shared by all log lines of an event; a malformed value is dropped.
    """
    destination = _ENCODE(delivery.destination)
    trace = {TRACEPARENT: traceparent} if traceparent is not None and logs.is_traceparent(traceparent) else {}
    return tuple(
        BusMessage(
            data=f'{{"destination":{destination},"event":{text}}}'.encode(),
            attributes=event_attributes(event) | trace,
        )
        for event, text in zip(delivery.events, delivery.texts, strict=True)
    )
