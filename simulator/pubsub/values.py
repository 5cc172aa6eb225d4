"""The values of Pub/Sub: messages, deliveries, and the settings of subscriptions."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

DELETED_TOPIC = (
    "_deleted-topic_"  # the topic of a subscription whose topic was deleted.  Source: pubsub.proto, Subscription.topic
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as a publisher sends it."""

    data: bytes = b""
    attributes: Mapping[str, str] = field(default_factory=dict)
    ordering_key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedMessage:
    """A message that the service has stored.

    `number` counts this server's messages from 1; `pubsub_message_id` is the public id, a unique decimal string.
    """

    number: int
    pubsub_message_id: str
    publish_time: dt.datetime
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One message that a subscriber has until `deadline_s` on the loop's clock.

    `copy` distinguishes the duplicates of a message. `delivery_attempt` counts from 1.
    """

    ack_id: str
    message: PublishedMessage
    copy: int
    delivery_attempt: int
    deadline_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How long a message waits after a failed delivery. The defaults are those of a policy without values."""

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
    With a `push_endpoint` it pushes. Without a `retry_policy` failed messages are redelivered at once; an `ack_deadline_s`
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
    """Limits and times that the real service sets, and that a test may change.

    Attributes:
        minimum_ack_deadline_s: the lowest deadline that a subscription may have; 10 at the real service.
        redelivery_floor_s: the shortest wait of a failed message, whatever its retry policy.
        push_window: how many pushes of one subscription are in flight at most.
        pull_wait_s: how long a pull waits for a first message.
    """

    minimum_ack_deadline_s: float = 10.0
    redelivery_floor_s: float = 0.1
    push_window: int = 1000
    pull_wait_s: float = 20.0
