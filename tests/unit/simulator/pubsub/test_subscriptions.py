"""Pulls, and changes of topics and subscriptions."""

import asyncio

import pytest

from simulator.pubsub.broker import Broker
from simulator.pubsub.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
)
from simulator.pubsub.subscription import Subscription
from simulator.pubsub.values import (
    DELETED_TOPIC,
    Delivery,
    RetryPolicy,
    SubscriptionSettings,
)
from tests.unit.simulator.pubsub.brokers import (
    ACKNOWLEDGED,
    DEAD,
    PULL,
    PUSH,
    REFUSED,
    TOPIC,
    make_broker,
    run,
    says,
    texts,
)


def test_a_pull_waits_for_a_message_and_times_out_empty() -> None:
    broker = make_broker(PULL)

    async def script() -> tuple[int, int]:
        waiting = asyncio.create_task(broker.subscription(PULL.name).pull(5, wait=True))
        await asyncio.sleep(0)
        broker.publish(TOPIC, texts("one"))
        return len(await waiting), len(await broker.subscription(PULL.name).pull(5, wait=True))

    assert run(broker, says(ACKNOWLEDGED), script()) == (1, 0)


def test_a_pulled_message_is_redelivered_after_deadline_or_refusal() -> None:
    impatient = SubscriptionSettings(name=PULL.name, topic=TOPIC, ack_deadline_s=0.3)
    broker = make_broker(impatient)

    async def script() -> list[int]:
        subscription = broker.subscription(PULL.name)
        broker.publish(TOPIC, texts("one"))
        first = await _pulled(subscription)
        second = await _pulled(subscription)
        subscription.modify_ack_deadline([second.ack_id], 0.0)
        third = await _pulled(subscription)
        subscription.acknowledge([third.ack_id, first.ack_id])
        await broker.wait_until_idle(subscriptions=[PULL.name])
        return [each.delivery_attempt for each in (first, second, third)]

    assert run(broker, says(ACKNOWLEDGED), script()) == [1, 2, 3]


async def _pulled(subscription: Subscription) -> Delivery:
    """Return the next delivery; a pull that ends empty before the message's deadline is repeated."""
    while not (deliveries := await subscription.pull(1, wait=True)):
        pass
    return deliveries[0]


def test_one_wrong_id_refuses_the_whole_acknowledgement() -> None:
    broker = make_broker(PULL)

    async def script() -> int:
        subscription = broker.subscription(PULL.name)
        broker.publish(TOPIC, texts("one"))
        (delivery,) = await subscription.pull(1, wait=True)
        with pytest.raises(InvalidArgumentError, match="Invalid ack id"):
            subscription.acknowledge([delivery.ack_id, "garbage"])
        with pytest.raises(InvalidArgumentError, match="No ack ids"):
            subscription.acknowledge([])
        return subscription.count_outstanding()

    assert run(broker, says(ACKNOWLEDGED), script()) == 1


def test_idle_can_ignore_long_backoffs() -> None:
    patient = SubscriptionSettings(
        name=PUSH.name, topic=TOPIC, push_endpoint=PUSH.push_endpoint, retry_policy=RetryPolicy()
    )
    broker, endpoint = make_broker(patient), says(REFUSED)

    async def script() -> None:
        broker.publish(TOPIC, texts("one"))
        await broker.wait_until_idle(ignoring_waits_over_s=5.0)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await broker.wait_until_idle()

    run(broker, endpoint, script())

    assert len(endpoint.got) == 1


def test_a_subscription_keeps_its_messages_when_it_becomes_a_push_one() -> None:
    pulling = SubscriptionSettings(name=PUSH.name, topic=TOPIC, ack_deadline_s=10.0)
    broker, endpoint = make_broker(pulling), says(ACKNOWLEDGED)

    async def script() -> None:
        broker.publish(TOPIC, texts("one"))
        broker.update_subscription(PUSH)
        await broker.wait_until_idle()
        with pytest.raises(FailedPreconditionError, match="push subscriptions"):
            await broker.subscription(PUSH.name).pull(1, wait=False)

    run(broker, endpoint, script())

    assert len(endpoint.got) == 1


def test_a_deleted_subscription_gets_no_more_messages() -> None:
    broker, endpoint = make_broker(PUSH, PULL), says(REFUSED)

    async def script() -> None:
        broker.publish(TOPIC, texts("one"))
        await asyncio.sleep(0)
        broker.delete_subscription(PUSH.name)
        broker.publish(TOPIC, texts("two"))
        await broker.wait_until_idle()

    run(broker, endpoint, script())

    assert len(endpoint.got) <= 1
    assert [settings.name for settings in broker.subscriptions] == [PULL.name]


def test_subscriptions_survive_their_topic() -> None:
    broker = make_broker(PULL)

    broker.delete_topic(TOPIC)
    broker.create_topic(TOPIC)

    assert broker.subscription(PULL.name).settings.topic == DELETED_TOPIC
    with pytest.raises(AlreadyExistsError):
        broker.create_subscription(PULL)


def test_names_are_unique_and_must_exist() -> None:
    broker = make_broker(PULL)

    with pytest.raises(AlreadyExistsError):
        broker.create_topic(TOPIC)
    with pytest.raises(NotFoundError):
        broker.publish("projects/p/topics/none", texts("one"))
    with pytest.raises(NotFoundError):
        broker.subscription("projects/p/subscriptions/none")
    with pytest.raises(InvalidArgumentError, match="cannot be updated"):
        broker.update_subscription(SubscriptionSettings(name=PULL.name, topic=DEAD))


def test_each_server_has_other_message_ids() -> None:
    ids: list[str] = []
    for _ in range(2):
        broker = Broker()
        broker.create_topic(TOPIC)
        ids += broker.publish(TOPIC, texts("one"))

    assert len(set(ids)) == 2
