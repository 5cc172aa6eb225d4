"""The values of Pub/Sub: messages, deliveries, and the settings of subscriptions."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

DELETED_TOPIC = (
    "_deleted-topic_"  # the topic of a subscription whose topic was deleted.  Source: pubsub.proto, Subscription.topic
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as a publisher sends it, for example `Message(data=b"hi", attributes={"type": "unsend"})`."""

    data: bytes = b""
    attributes: Mapping[str, str] = field(default_factory=dict)
    ordering_key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedMessage:
    """A stored message.

    `number` counts the server's messages from 1; `pubsub_message_id` is the public id, a unique decimal string.
    """

    number: int
    pubsub_message_id: str
    publish_time: dt.datetime
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message in a subscriber's hands until `deadline_s` on the loop's clock.

    `copy` distinguishes the duplicates of a message. `delivery_attempt` counts from 1.
    """

    ack_id: str
    message: PublishedMessage
    copy: int
    delivery_attempt: int
    deadline_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """The wait after a failed delivery. The defaults are the real service's for a policy without values."""

    minimum_backoff_s: float = 10.0
    maximum_backoff_s: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterPolicy:
    """The topic for a message after `max_delivery_attempts` failed deliveries. 0 attempts means the default, 5."""

    topic: str
    max_delivery_attempts: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionSettings:
    """The settings of a subscription.

    Example: `SubscriptionSettings(name="projects/p/subscriptions/s", topic="projects/p/topics/t")` is a pull subscription.
    A `push_endpoint` makes a push subscription. Without a `retry_policy` failed messages are redelivered at once; an `ack_deadline_s`
    of 0 means 10 s; an empty `filter` matches every message.
    """

    name: str
    topic: str
    push_endpoint: str = ""
    ack_deadline_s: float = 0.0
    filter: str = ""
    retry_policy: RetryPolicy | None = None
    dead_letter_policy: DeadLetterPolicy | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The real service's limits and times, which a test may change.

    Attributes:
        minimum_ack_deadline_s: the lowest deadline of a subscription; 10 at the real service.
        redelivery_floor_s: the shortest wait of a failed message, under any retry policy.
        push_window: the highest number of pushes in flight of a subscription.
        pull_wait_s: how long a pull waits for a first message.
    """

    minimum_ack_deadline_s: float = 10.0
    redelivery_floor_s: float = 0.1
    push_window: int = 1000
    pull_wait_s: float = 20.0
