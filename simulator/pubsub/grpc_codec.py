"""Conversion between `google.pubsub_v1.types` and the package's values; refuses unmodelled features."""

import datetime as dt
from dataclasses import replace

from google.pubsub_v1 import types

from simulator.pubsub.errors import InvalidArgumentError, UnimplementedError
from simulator.pubsub.values import DeadLetterPolicy, Delivery, Message, RetryPolicy, SubscriptionSettings

_NOT_BUILT = (
    "bigquery_config",
    "bigtable_config",
    "cloud_storage_config",
    "enable_exactly_once_delivery",
    "enable_message_ordering",
    "message_transforms",
)
_NOT_BUILT_IN_PUSH = ("oidc_token", "no_wrapper")


def message_from_wire(wire: types.PubsubMessage) -> Message:
    """Return the message of a publish request."""
    return Message(data=wire.data, attributes=dict(wire.attributes), ordering_key=wire.ordering_key)


def delivery_to_wire(delivery: Delivery, settings: SubscriptionSettings) -> types.ReceivedMessage:
    """Return the delivery for the response to a pull; the attempt is only set with a dead-letter policy."""
    published = delivery.message
    return types.ReceivedMessage(
        ack_id=delivery.ack_id,
        message=types.PubsubMessage(
            data=published.message.data,
            attributes=dict(published.message.attributes),
            message_id=published.pubsub_message_id,
            publish_time=published.publish_time,
            ordering_key=published.message.ordering_key,
        ),
        delivery_attempt=delivery.delivery_attempt if settings.dead_letter_policy is not None else 0,
    )


def settings_from_wire(wire: types.Subscription) -> SubscriptionSettings:
    """Return a client's settings. Labels, retention and expiry are accepted and ignored.

    Raises: UnimplementedError, for unmodelled features.
    """
    for name in _NOT_BUILT:
        if getattr(wire, name) if name.startswith(("enable_", "message_")) else name in wire:
            raise UnimplementedError(f"This Pub/Sub does not model {name}.")
    return SubscriptionSettings(
        name=wire.name,
        topic=wire.topic,
        push_endpoint=push_endpoint_from_wire(wire.push_config),
        ack_deadline_s=float(wire.ack_deadline_seconds),
        filter=wire.filter,
        retry_policy=_retry_policy_from_wire(wire.retry_policy) if "retry_policy" in wire else None,
        dead_letter_policy=_dead_letter_policy_from_wire(wire) if "dead_letter_policy" in wire else None,
    )


def push_endpoint_from_wire(wire: types.PushConfig) -> str:
    """Return the push endpoint; empty for a pull subscription.

    Raises: UnimplementedError, for unmodelled features.
    """
    for name in _NOT_BUILT_IN_PUSH:
        if name in wire:
            raise UnimplementedError(f"This Pub/Sub does not model {name}.")
    endpoint: str = wire.push_endpoint
    return endpoint


def apply_update(before: SubscriptionSettings, request: types.UpdateSubscriptionRequest) -> SubscriptionSettings:
    """Return the settings with the masked fields of the request.

    Raises: InvalidArgumentError, if the mask is empty or names an unknown or unchangeable field.
    """
    requested = settings_from_wire(request.subscription)
    updated = before
    if not request.update_mask.paths:
        raise InvalidArgumentError("The update_mask must be set, and must contain a non-empty paths list.")
    for path in request.update_mask.paths:
        match path:
            case "push_config" | "push_config.push_endpoint":
                updated = replace(updated, push_endpoint=requested.push_endpoint)
            case "ack_deadline_seconds":
                updated = replace(updated, ack_deadline_s=requested.ack_deadline_s)
            case "retry_policy":
                updated = replace(updated, retry_policy=requested.retry_policy)
            case "dead_letter_policy":
                updated = replace(updated, dead_letter_policy=requested.dead_letter_policy)
            case _:
                raise InvalidArgumentError(f"The field {path} of a subscription cannot be updated.")
    return updated


def settings_to_wire(settings: SubscriptionSettings) -> types.Subscription:
    """Return the settings for a client."""
    wire = types.Subscription(
        name=settings.name,
        topic=settings.topic,
        push_config=types.PushConfig(push_endpoint=settings.push_endpoint),
        ack_deadline_seconds=round(settings.ack_deadline_s),
        filter=settings.filter,
    )
    if settings.retry_policy is not None:
        wire.retry_policy = types.RetryPolicy(
            minimum_backoff=dt.timedelta(seconds=settings.retry_policy.minimum_backoff_s),
            maximum_backoff=dt.timedelta(seconds=settings.retry_policy.maximum_backoff_s),
        )
    if settings.dead_letter_policy is not None:
        wire.dead_letter_policy = types.DeadLetterPolicy(
            dead_letter_topic=settings.dead_letter_policy.topic,
            max_delivery_attempts=settings.dead_letter_policy.max_delivery_attempts,
        )
    return wire


def _retry_policy_from_wire(wire: types.RetryPolicy) -> RetryPolicy:
    policy = RetryPolicy()
    if "minimum_backoff" in wire:
        policy = replace(policy, minimum_backoff_s=_seconds(wire.minimum_backoff))
    if "maximum_backoff" in wire:
        policy = replace(policy, maximum_backoff_s=_seconds(wire.maximum_backoff))
    return policy


def _dead_letter_policy_from_wire(wire: types.Subscription) -> DeadLetterPolicy:
    policy = wire.dead_letter_policy
    return DeadLetterPolicy(topic=policy.dead_letter_topic, max_delivery_attempts=policy.max_delivery_attempts)


def _seconds(wire: dt.timedelta) -> float:
    return wire.total_seconds()
