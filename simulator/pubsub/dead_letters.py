"""The message for a dead-letter topic.  Source: Pub/Sub, "Forward to dead-letter topics"."""

from dataclasses import replace

from simulator.pubsub.values import Delivery, Message, SubscriptionSettings

_PREFIX = "CloudPubSubDeadLetterSource"


def dead_letter(delivery: Delivery, settings: SubscriptionSettings) -> Message:
    """Return the message with attributes for subscription, publish time and number of deliveries.

    For example, `CloudPubSubDeadLetterSourceDeliveryCount` is "5" after five deliveries.
    """
    _, project, _, subscription_id = settings.name.split("/")
    published = delivery.message
    source = {
        f"{_PREFIX}Subscription": subscription_id,
        f"{_PREFIX}SubscriptionProject": project,
        f"{_PREFIX}TopicPublishTime": published.publish_time.isoformat(timespec="milliseconds"),
        f"{_PREFIX}DeliveryCount": str(delivery.delivery_attempt),
    }
    return replace(published.message, attributes={**published.message.attributes, **source})
