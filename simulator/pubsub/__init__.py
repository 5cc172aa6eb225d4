"""A local Pub/Sub with the real service's rules: `PubSubServer` serves gRPC to the real clients and pushes over HTTP.

Source of the rules: https://cloud.google.com/pubsub/docs, google/pubsub/v1/pubsub.proto and, where both are silent, the answers of Google's
own emulator.
"""

from simulator.pubsub.chaos import Chaos
from simulator.pubsub.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OutOfRangeError,
    PortTakenError,
    PubSubError,
    UnavailableError,
    UnimplementedError,
)
from simulator.pubsub.server import PubSubServer
from simulator.pubsub.subscription import OnEvent
from simulator.pubsub.values import (
    DeadLetterPolicy,
    Delivery,
    Message,
    PublishedMessage,
    RetryPolicy,
    SubscriptionSettings,
    Tuning,
)

__all__ = [
    "AlreadyExistsError",
    "Chaos",
    "DeadLetterPolicy",
    "Delivery",
    "FailedPreconditionError",
    "InvalidArgumentError",
    "Message",
    "NotFoundError",
    "OnEvent",
    "OutOfRangeError",
    "PortTakenError",
    "PubSubError",
    "PubSubServer",
    "PublishedMessage",
    "RetryPolicy",
    "SubscriptionSettings",
    "Tuning",
    "UnavailableError",
    "UnimplementedError",
]
