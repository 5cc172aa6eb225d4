"""The service's rules for names, messages and settings.

Source: https://cloud.google.com/pubsub/quotas#resource_limits, google/pubsub/v1/pubsub.proto.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from simulator.pubsub.errors import InvalidArgumentError, OutOfRangeError
from simulator.pubsub.filters import parse_filter
from simulator.pubsub.values import DeadLetterPolicy, Message, RetryPolicy, SubscriptionSettings

MAX_MESSAGES = 1_000
MAX_PUBLISH_BYTES = 10_000_000
MAX_ATTRIBUTES = 100
MAX_ATTRIBUTE_KEY_BYTES = 256
MAX_ATTRIBUTE_VALUE_BYTES = 1_024
MAX_ORDERING_KEY_BYTES = 1_024
DEFAULT_ACK_DEADLINE_S = 10.0
MAX_ACK_DEADLINE_S = 600.0
MAX_BACKOFF_S = 600.0
DEFAULT_DELIVERY_ATTEMPTS, MIN_DELIVERY_ATTEMPTS, MAX_DELIVERY_ATTEMPTS = 5, 5, 100

_PROJECT = r"[A-Za-z0-9][A-Za-z0-9.:_-]*"
_PROJECT_NAME = re.compile(rf"projects/{_PROJECT}")
_RESOURCE_NAME = re.compile(rf"projects/{_PROJECT}/(topics|subscriptions)/(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{{2,254}}")


def check_project_name(name: str) -> None:
    """Raise InvalidArgumentError unless the name is `projects/P`."""
    if _PROJECT_NAME.fullmatch(name) is None:
        raise InvalidArgumentError(f"Invalid [projects] name: (name={name})")


def check_topic_name(name: str) -> None:
    """Raise InvalidArgumentError unless the name is `projects/P/topics/T`."""
    _check_resource_name(name, "topics")


def check_subscription_name(name: str) -> None:
    """Raise InvalidArgumentError unless the name is `projects/P/subscriptions/S`."""
    _check_resource_name(name, "subscriptions")


def check_messages(messages: Sequence[Message]) -> None:
    """Check the messages against the limits of a publish request.  Raises: InvalidArgumentError."""
    if not messages:
        raise InvalidArgumentError("No messages to publish.")
    if len(messages) > MAX_MESSAGES:
        raise InvalidArgumentError(f"Too many messages to publish: {len(messages)}; the most is {MAX_MESSAGES}.")
    for index, message in enumerate(messages):
        _check_message(index, message)
    size_bytes = sum(_size_bytes(message) for message in messages)
    if size_bytes > MAX_PUBLISH_BYTES:
        raise InvalidArgumentError(f"The request has {size_bytes} bytes; the most is {MAX_PUBLISH_BYTES}.")


def complete_settings(settings: SubscriptionSettings, *, minimum_ack_deadline_s: float) -> SubscriptionSettings:
    """Return the settings with the service's defaults filled in.

    Raises:
        InvalidArgumentError: a name, the filter, the endpoint, a deadline or a backoff breaks a rule.
        OutOfRangeError: the number of delivery attempts breaks a rule.
    """
    check_subscription_name(settings.name)
    parse_filter(settings.filter)
    _check_endpoint(settings.push_endpoint)
    ack_deadline_s = settings.ack_deadline_s or DEFAULT_ACK_DEADLINE_S
    if not minimum_ack_deadline_s <= ack_deadline_s <= MAX_ACK_DEADLINE_S:
        raise InvalidArgumentError(
            f"The acknowledgement deadline is {minimum_ack_deadline_s:g} to {MAX_ACK_DEADLINE_S:g} s, "
            f"not {ack_deadline_s:g}."
        )
    if settings.retry_policy is not None:
        _check_retry_policy(settings.retry_policy)
    return replace(
        settings,
        ack_deadline_s=ack_deadline_s,
        dead_letter_policy=settings.dead_letter_policy and _complete_dead_letter_policy(settings.dead_letter_policy),
    )


def check_ack_deadline_change(ack_deadline_s: float) -> None:
    """Raise InvalidArgumentError unless the new deadline of a delivery is 0 to 600 s from now."""
    if not 0.0 <= ack_deadline_s <= MAX_ACK_DEADLINE_S:
        raise InvalidArgumentError(f"A deadline is 0 to {MAX_ACK_DEADLINE_S:g} s from now, not {ack_deadline_s:g}.")


def _check_resource_name(name: str, kind: str) -> None:
    match = _RESOURCE_NAME.fullmatch(name)
    if match is None or match[1] != kind:
        raise InvalidArgumentError(f"Invalid [{kind}] name: (name={name})")


def _check_message(index: int, message: Message) -> None:
    if not message.data and not message.attributes:
        raise InvalidArgumentError(f"Message {index} is empty: it needs data or an attribute.")
    if len(message.attributes) > MAX_ATTRIBUTES:
        raise InvalidArgumentError(
            f"Message {index} has {len(message.attributes)} attributes; the most is {MAX_ATTRIBUTES}."
        )
    if len(message.ordering_key.encode()) > MAX_ORDERING_KEY_BYTES:
        raise InvalidArgumentError(f"The ordering key of message {index} is over {MAX_ORDERING_KEY_BYTES} bytes.")
    for key, value in message.attributes.items():
        if not key:
            raise InvalidArgumentError(f"Message {index} has an attribute with an empty key.")
        if key.startswith("goog"):
            raise InvalidArgumentError(f"Message {index}: the attribute {key!r} starts with the reserved 'goog'.")
        if len(key.encode()) > MAX_ATTRIBUTE_KEY_BYTES:
            raise InvalidArgumentError(f"Message {index} has a key of over {MAX_ATTRIBUTE_KEY_BYTES} bytes.")
        if len(value.encode()) > MAX_ATTRIBUTE_VALUE_BYTES:
            raise InvalidArgumentError(
                f"Message {index}: the value of {key!r} is over {MAX_ATTRIBUTE_VALUE_BYTES} bytes."
            )


def _size_bytes(message: Message) -> int:
    attributes = sum(len(key.encode()) + len(value.encode()) for key, value in message.attributes.items())
    return len(message.data) + len(message.ordering_key.encode()) + attributes


def _check_endpoint(endpoint: str) -> None:
    if not endpoint:
        return
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidArgumentError(f"Unsupported push_endpoint: {endpoint!r} is no http or https address.")


def _check_retry_policy(policy: RetryPolicy) -> None:
    for name, backoff_s in (("minimum", policy.minimum_backoff_s), ("maximum", policy.maximum_backoff_s)):
        if not 0.0 <= backoff_s <= MAX_BACKOFF_S:
            raise InvalidArgumentError(f"The {name} backoff is 0 to {MAX_BACKOFF_S:g} s, not {backoff_s:g}.")
    if policy.minimum_backoff_s > policy.maximum_backoff_s:
        raise InvalidArgumentError("The minimum backoff is longer than the maximum backoff.")


def _complete_dead_letter_policy(policy: DeadLetterPolicy) -> DeadLetterPolicy:
    check_topic_name(policy.topic)
    attempts = policy.max_delivery_attempts or DEFAULT_DELIVERY_ATTEMPTS
    if not MIN_DELIVERY_ATTEMPTS <= attempts <= MAX_DELIVERY_ATTEMPTS:
        raise OutOfRangeError(
            f"max_delivery_attempts is {MIN_DELIVERY_ATTEMPTS} to {MAX_DELIVERY_ATTEMPTS}, not {attempts}."
        )
    return replace(policy, max_delivery_attempts=attempts)
