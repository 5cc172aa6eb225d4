"""The service without a port: topics, subscriptions, publishing, and dead letters."""

import asyncio
import datetime as dt
import random
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from simulator.pubsub.chaos import Chaos
from simulator.pubsub.dead_letters import dead_letter
from simulator.pubsub.errors import AlreadyExistsError, InvalidArgumentError, NotFoundError, UnavailableError
from simulator.pubsub.limits import check_messages, check_subscription_name, check_topic_name, complete_settings
from simulator.pubsub.subscription import OnEvent, PushSender, Subscription, SubscriptionServices
from simulator.pubsub.values import DELETED_TOPIC, Delivery, Message, PublishedMessage, SubscriptionSettings, Tuning

FIRST_MESSAGE_IDS = (10**15, 9 * 10**15)  # as long as the real ids; each start of the server uses other ids


def wall_clock() -> dt.datetime:
    """Return the current time in UTC."""
    return dt.datetime.fromtimestamp(time.time_ns() / 1e9, tz=dt.UTC)


class Broker:
    """Topics and subscriptions in one event loop; not for several threads.

    Both can be created at any time, and topics published to; messages are delivered between `open` and `close`.

    Args:
        clock: the wall clock of publish times.
        chance: picks the first message id.
        chaos: the faults to inject; assign `chaos` to change them at run time.
        tuning: the real service's limits and times.
        on_event: called with `published`, `push_started`, `push_ended`, `acknowledged` and `dead_lettered`, and the
            facts as fields; must not raise.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], dt.datetime] = wall_clock,
        chance: random.Random | None = None,
        chaos: Chaos | None = None,
        tuning: Tuning | None = None,
        on_event: OnEvent | None = None,
    ) -> None:
        self._clock = clock
        self._first_message_id = (chance or random.Random()).randrange(*FIRST_MESSAGE_IDS)
        self.chaos = chaos or Chaos()
        self._tuning = tuning or Tuning()
        self._on_event: OnEvent = on_event or (lambda _name, _fields: None)
        self._services = SubscriptionServices(
            tuning=self._tuning,
            chaos=lambda: self.chaos,
            dead_letter=self._dead_letter,
            on_event=self._on_event,
            on_change=self._wake_waiters,
        )
        self._topics: set[str] = set()
        self._subscriptions: dict[str, Subscription] = {}
        self._messages = 0
        self._publishes = 0
        self._changed = asyncio.Event()
        self._pushes: PushSender | None = None
        self._closing: set[asyncio.Task[None]] = set()

    def open(self, pushes: PushSender) -> None:
        """Start the deliveries."""
        self._pushes = pushes
        for subscription in self._subscriptions.values():
            subscription.start(pushes)

    async def close(self) -> None:
        """Stop the deliveries, and cancel the pushes in flight."""
        self._pushes = None
        await asyncio.gather(*(subscription.stop() for subscription in self._subscriptions.values()), *self._closing)

    @property
    def topics(self) -> tuple[str, ...]:
        """The names of all topics, sorted."""
        return tuple(sorted(self._topics))

    @property
    def subscriptions(self) -> tuple[SubscriptionSettings, ...]:
        """The settings of all subscriptions, sorted by name."""
        return tuple(self._subscriptions[name].settings for name in sorted(self._subscriptions))

    def create_topic(self, name: str) -> None:
        """Create a topic.

        Raises: InvalidArgumentError, when the name is malformed; AlreadyExistsError.
        """
        check_topic_name(name)
        if name in self._topics:
            raise AlreadyExistsError(f"Topic already exists: {name}")
        self._topics.add(name)

    def check_topic(self, name: str) -> None:
        """Raise NotFoundError unless the topic exists, and InvalidArgumentError for a malformed name."""
        check_topic_name(name)
        if name not in self._topics:
            raise NotFoundError(f"Topic not found: {name}")

    def delete_topic(self, name: str) -> None:
        """Delete a topic; the topic's subscriptions keep their messages and get no more.

        Raises: as `check_topic`.
        """
        self.check_topic(name)
        self._topics.discard(name)
        for subscription in self._subscriptions.values():
            if subscription.settings.topic == name:
                subscription.settings = replace(subscription.settings, topic=DELETED_TOPIC)

    def publish(self, topic: str, messages: Sequence[Message]) -> tuple[str, ...]:
        """Hand the messages to every subscription of the topic; return the message ids, for example `("1001", "1002")`.

        Raises: as `check_topic`; InvalidArgumentError, for messages against a rule; UnavailableError by chaos.
        """
        self.check_topic(topic)
        check_messages(messages)
        self._publishes += 1
        if self.chaos.fails_before(self._publishes):
            raise UnavailableError("The service was unavailable before the messages were stored (chaos).")
        ids = tuple(self._publish(topic, message) for message in messages)
        if self.chaos.fails_after(self._publishes):
            raise UnavailableError("The service was unavailable after the messages were stored (chaos).")
        return ids

    def create_subscription(self, settings: SubscriptionSettings) -> SubscriptionSettings:
        """Create a subscription for later messages; return the settings with the defaults filled in.

        Raises: InvalidArgumentError or OutOfRangeError, for settings against a rule; NotFoundError, without the topic or
            the dead-letter topic; AlreadyExistsError.
        """
        settings = self._complete(settings)
        if settings.name in self._subscriptions:
            raise AlreadyExistsError(f"Subscription already exists: {settings.name}")
        self.check_topic(settings.topic)
        self._check_dead_letter_topic(settings)
        subscription = Subscription(settings, self._services)
        self._subscriptions[settings.name] = subscription
        if self._pushes is not None:
            subscription.start(self._pushes)
        return settings

    def update_subscription(self, settings: SubscriptionSettings) -> SubscriptionSettings:
        """Replace the settings of a subscription; the messages stay.

        Raises: as `create_subscription`; InvalidArgumentError also for another topic or filter, which cannot change.
        """
        subscription = self.subscription(settings.name)
        before = subscription.settings
        if (settings.topic, settings.filter) != (before.topic, before.filter):
            raise InvalidArgumentError("The topic and the filter of a subscription cannot be updated.")
        settings = self._complete(settings)
        if settings.dead_letter_policy != before.dead_letter_policy:
            self._check_dead_letter_topic(settings)
        subscription.settings = settings
        return settings

    def delete_subscription(self, name: str) -> None:
        """Delete a subscription with all messages, and cancel the pushes in flight.

        Raises: as `subscription`.
        """
        closing = asyncio.get_running_loop().create_task(self.subscription(name).stop())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        del self._subscriptions[name]
        self._wake_waiters()

    def subscription(self, name: str) -> Subscription:
        """Return the subscription, to pull from and to acknowledge at.

        Raises: NotFoundError; InvalidArgumentError, when the name is malformed.
        """
        check_subscription_name(name)
        if name not in self._subscriptions:
            raise NotFoundError(f"Subscription not found: {name}")
        return self._subscriptions[name]

    async def wait_until_idle(
        self, *, subscriptions: Collection[str] | None = None, ignoring_waits_over_s: float | None = None
    ) -> None:
        """Return once no message is undelivered, in flight or unacknowledged.

        Considers all push subscriptions, or only the named ones. With a limit, a message does not count if its wait (backoff, chaos) ends
        later. Waits for ever unless the caller sets a timeout.
        """
        while any(
            subscription.count_outstanding(ignoring_waits_over_s=ignoring_waits_over_s)
            for name, subscription in self._subscriptions.items()
            if (name in subscriptions if subscriptions is not None else subscription.settings.push_endpoint)
        ):
            await self._changed.wait()

    def _publish(self, topic: str, message: Message) -> str:
        number = self._messages = self._messages + 1
        now = self._clock() - dt.timedelta(seconds=self.chaos.waited_s)
        published = PublishedMessage(
            number=number,
            pubsub_message_id=str(self._first_message_id + number),
            publish_time=now.replace(microsecond=now.microsecond // 1000 * 1000),
            message=message,
        )
        self._on_event(
            "published",
            {
                "topic": topic,
                "pubsub_message_id": published.pubsub_message_id,
                "attributes": dict(message.attributes),
            },
        )
        for subscription in self._subscriptions.values():
            if subscription.settings.topic == topic:
                subscription.offer(published)
        return published.pubsub_message_id

    def _dead_letter(self, settings: SubscriptionSettings, delivery: Delivery) -> bool:
        policy = settings.dead_letter_policy
        if policy is None or policy.topic not in self._topics:
            return False
        published = delivery.message
        self._on_event(
            "dead_lettered",
            {
                "subscription": settings.name,
                "topic": policy.topic,
                "pubsub_message_id": published.pubsub_message_id,
                "delivery_attempt": delivery.delivery_attempt,
            },
        )
        self._publish(policy.topic, dead_letter(delivery, settings))
        return True

    def _complete(self, settings: SubscriptionSettings) -> SubscriptionSettings:
        return complete_settings(settings, minimum_ack_deadline_s=self._tuning.minimum_ack_deadline_s)

    def _check_dead_letter_topic(self, settings: SubscriptionSettings) -> None:
        if settings.dead_letter_policy is not None:
            self.check_topic(settings.dead_letter_policy.topic)

    def _wake_waiters(self) -> None:
        self._changed.set()  # wakes the coroutines that wait at this moment
        self._changed.clear()
