"""The values that Pub/Sub is made of: messages, deliveries, settings of subscriptions. No behaviour, no rules."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

DELETED_TOPIC = (
    "_deleted-topic_"  # what a subscription names after its topic went.  Source: pubsub.proto, Subscription.topic
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a publisher hands over."""

    data: bytes = b""
    attributes: Mapping[str, str] = field(default_factory=dict)
    ordering_key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedMessage:
    """A message that the service has taken.

    `number` counts this server's messages from 1; `pubsub_message_id` is what the world sees, a unique decimal string.
    """

    number: int
    pubsub_message_id: str
    publish_time: dt.datetime
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One message in a subscriber's hands until `deadline_s` on the loop's clock.

    `copy` tells the duplicates of a message apart. `delivery_attempt` counts from 1.
    """

    ack_id: str
    message: PublishedMessage
    copy: int
    delivery_attempt: int
    deadline_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How long a message rests after a failed delivery. The defaults are those of a policy set without values."""

    minimum_backoff_s: float = 10.0
    maximum_backoff_s: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterPolicy:
    """Where a message goes after `max_delivery_attempts` failed deliveries. 0 attempts means the default, 5."""

    topic: str
    max_delivery_attempts: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionSettings:
    """A subscription as its owner describes it.

    Example: `SubscriptionSettings(name="projects/p/subscriptions/s", topic="projects/p/topics/t")` is a pull subscription.
    With a `push_endpoint` it pushes. Without a `retry_policy` failed messages come back at once; an `ack_deadline_s` of 0
    means 10 s; an empty `filter` lets everything through.
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
    """What the real service decides by itself, and a test may want to be otherwise.

    Attributes:
        minimum_ack_deadline_s: the lowest deadline that a subscription may ask for; the real service's is 10.
        redelivery_floor_s: the shortest rest of a failed message, whatever its retry policy.
        push_window: the pushes that one subscription has under way at once.
        pull_wait_s: how long a pull waits for a first message.
    """

    minimum_ack_deadline_s: float = 10.0
    redelivery_floor_s: float = 0.1
    push_window: int = 1000
    pull_wait_s: float = 20.0
