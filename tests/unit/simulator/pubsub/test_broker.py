"""The broker with endpoints in memory: redelivery, filters and dead letters."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from simulator.pubsub.errors import (
    NotFoundError,
)
from simulator.pubsub.push import PushResult
from simulator.pubsub.values import (
    DeadLetterPolicy,
    Message,
    SubscriptionSettings,
    Tuning,
)
from tests.unit.simulator.pubsub.brokers import (
    ACKNOWLEDGED,
    DEAD,
    PULL,
    PUSH,
    REFUSED,
    TOPIC,
    Endpoint,
    make_broker,
    run,
    says,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

BURIED = SubscriptionSettings(name="projects/p/subscriptions/graves", topic=DEAD)


def test_an_acknowledged_message_is_delivered_once() -> None:
    broker, endpoint = make_broker(PUSH), says(ACKNOWLEDGED)

    async def script() -> tuple[str, ...]:
        ids = broker.publish(TOPIC, texts("one", "two"))
        await broker.wait_until_idle()
        await asyncio.sleep(0.01)
        return ids

    ids = run(broker, endpoint, script())

    assert [message["messageId"] for message in endpoint.got] == list(ids)
    assert len(set(ids)) == 2
    assert all(each.isdecimal() for each in ids)
    assert endpoint.got[0]["publishTime"] == "2026-01-31T09:30:00.123Z"


def test_a_refused_message_is_redelivered_until_it_is_acknowledged() -> None:
    broker, endpoint = make_broker(PUSH), says(REFUSED, REFUSED, ACKNOWLEDGED)

    async def script() -> None:
        broker.publish(TOPIC, texts("one"))
        await broker.wait_until_idle()

    run(broker, endpoint, script())

    assert len(endpoint.got) == 3


def test_a_push_past_its_deadline_counts_as_refused() -> None:
    impatient = SubscriptionSettings(name=PUSH.name, topic=TOPIC, push_endpoint=PUSH.push_endpoint, ack_deadline_s=0.02)
    broker, seen = make_broker(impatient), []

    async def answer(message: dict[str, Any]) -> PushResult:
        seen.append(message["messageId"])
        if len(seen) == 1:
            await asyncio.sleep(60.0)
        return ACKNOWLEDGED

    async def script() -> None:
        broker.publish(TOPIC, texts("slow"))
        await broker.wait_until_idle()

    run(broker, Endpoint(answer=answer), script())

    assert len(seen) >= 2  # on a busy machine the next push may be late, too


def test_pushes_run_concurrently_up_to_the_window() -> None:
    narrow = make_broker(PUSH, tuning=Tuning(push_window=3))

    async def answer(_message: dict[str, Any]) -> PushResult:
        await asyncio.sleep(0.002)
        return ACKNOWLEDGED

    async def script() -> None:
        narrow.publish(TOPIC, texts(*"abcdefgh"))
        await narrow.wait_until_idle()

    endpoint = Endpoint(answer=answer)
    run(narrow, endpoint, script())

    assert endpoint.most_at_once == 3
    assert len(endpoint.got) == 8


def test_a_filtered_subscription_gets_only_matching_messages() -> None:
    unsend = SubscriptionSettings(
        name=PUSH.name, topic=TOPIC, push_endpoint=PUSH.push_endpoint, filter='attributes.type = "unsend"'
    )
    broker, endpoint = make_broker(unsend), says(ACKNOWLEDGED)

    async def script() -> None:
        broker.publish(TOPIC, [Message(attributes={"type": "message"}), Message(attributes={"type": "unsend"})])
        broker.publish(TOPIC, texts("no type at all"))
        await broker.wait_until_idle()

    run(broker, endpoint, script())

    assert [message["attributes"] for message in endpoint.got] == [{"type": "unsend"}]


def test_a_message_that_fails_too_often_becomes_a_dead_letter() -> None:
    mortal = SubscriptionSettings(
        name=PUSH.name,
        topic=TOPIC,
        push_endpoint=PUSH.push_endpoint,
        dead_letter_policy=DeadLetterPolicy(topic=DEAD, max_delivery_attempts=5),
    )
    broker, endpoint = make_broker(mortal, BURIED), says(REFUSED)

    async def script() -> Message:
        broker.publish(TOPIC, [Message(data=b"poison", attributes={"type": "message"})])
        await broker.wait_until_idle()
        (grave,) = await broker.subscription(BURIED.name).pull(10, wait=False)
        return grave.message.message

    buried = run(broker, endpoint, script())

    assert len(endpoint.got) == 5
    assert buried.data == b"poison"
    assert buried.attributes == {
        "type": "message",
        "CloudPubSubDeadLetterSourceSubscription": "worker",
        "CloudPubSubDeadLetterSourceSubscriptionProject": "p",
        "CloudPubSubDeadLetterSourceTopicPublishTime": "2026-01-31T09:30:00.123+00:00",
        "CloudPubSubDeadLetterSourceDeliveryCount": "5",
    }


def test_without_a_dead_letter_topic_redelivery_goes_on() -> None:
    mortal = SubscriptionSettings(
        name=PUSH.name, topic=TOPIC, push_endpoint=PUSH.push_endpoint, dead_letter_policy=DeadLetterPolicy(topic=DEAD)
    )
    broker, endpoint = make_broker(mortal), says(*[REFUSED] * 6, ACKNOWLEDGED)
    broker.delete_topic(DEAD)

    async def script() -> None:
        broker.publish(TOPIC, texts("one"))
        await broker.wait_until_idle()

    run(broker, endpoint, script())

    assert len(endpoint.got) == 7


def test_a_deleted_dead_letter_topic_allows_other_updates() -> None:
    mortal = SubscriptionSettings(name=PULL.name, topic=TOPIC, dead_letter_policy=DeadLetterPolicy(topic=DEAD))
    broker = make_broker(mortal)
    broker.delete_topic(DEAD)

    changed = broker.update_subscription(replace(mortal, ack_deadline_s=60.0))

    assert changed.ack_deadline_s == 60.0
    with pytest.raises(NotFoundError):
        broker.update_subscription(replace(mortal, dead_letter_policy=DeadLetterPolicy(topic=f"{DEAD}-too")))


def test_every_step_is_reported() -> None:
    told: list[tuple[str, Mapping[str, object]]] = []
    broker = make_broker(PUSH, on_event=lambda name, fields: told.append((name, fields)))

    async def script() -> str:
        (message_id,) = broker.publish(TOPIC, texts("one"))
        await broker.wait_until_idle()
        return message_id

    message_id = run(broker, says(REFUSED, ACKNOWLEDGED), script())

    assert [name for name, _ in told] == [
        "published",
        "push_started",
        "push_ended",
        "push_started",
        "push_ended",
        "acknowledged",
    ]
    assert {fields["pubsub_message_id"] for _, fields in told} == {message_id}
    assert [fields["delivery_attempt"] for name, fields in told if name == "push_started"] == [1, 2]
    assert [(fields["status"], fields["outcome"]) for name, fields in told if name == "push_ended"] == [
        (503, "refused"),
        (204, "acknowledged"),
    ]
