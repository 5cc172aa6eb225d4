"""Pulls and pushes on both Pub/Sub servers, that of this project and Google's emulator, through the real clients."""

from __future__ import annotations

import base64
import datetime as dt
from typing import TYPE_CHECKING

import pytest
from google.api_core import exceptions

if TYPE_CHECKING:
    from tests.contract.simulator.pubsub.conftest import Cloud, Endpoint


def test_a_pulled_message_is_complete_and_removed_when_acknowledged(cloud: Cloud) -> None:
    topic = cloud.topic()
    subscription = cloud.subscription(topic)

    (message_id,) = cloud.publish(topic, {"data": "ねこ".encode(), "attributes": {"type": "message"}})
    (received,) = cloud.pull(subscription)
    cloud.acknowledge(subscription, received.ack_id)

    assert received.message.data.decode() == "ねこ"
    assert dict(received.message.attributes) == {"type": "message"}
    assert received.message.message_id == message_id
    assert abs(received.message.publish_time - dt.datetime.now(dt.UTC)) < dt.timedelta(minutes=1)  # noqa: TID251
    assert cloud.pull(subscription, wait=False) == []


def test_every_subscription_gets_its_own_copy(cloud: Cloud) -> None:
    topic = cloud.topic()
    one, other = cloud.subscription(topic, "one"), cloud.subscription(topic, "other")

    cloud.publish(topic, {"data": b"x"})
    cloud.acknowledge(one, cloud.pull(one)[0].ack_id)

    assert [each.message.data for each in cloud.pull(other)] == [b"x"]


def test_a_refused_message_is_pulled_again(cloud: Cloud) -> None:
    topic = cloud.topic()
    subscription = cloud.subscription(topic)
    (message_id,) = cloud.publish(topic, {"data": b"x"})

    (first,) = cloud.pull(subscription)
    cloud.modify_ack_deadline(subscription, first.ack_id, seconds=0)
    (second,) = cloud.pull(subscription)

    assert first.message.message_id == second.message.message_id == message_id
    assert first.ack_id != second.ack_id


def test_a_pulled_message_is_not_given_to_another_pull(cloud: Cloud) -> None:
    topic = cloud.topic()
    subscription = cloud.subscription(topic)
    cloud.publish(topic, {"data": b"x"})

    assert len(cloud.pull(subscription)) == 1
    assert cloud.pull(subscription, wait=False) == []


def test_missing_and_unknown_ids_are_refused(cloud: Cloud) -> None:
    subscription = cloud.subscription(cloud.topic())

    with pytest.raises(exceptions.InvalidArgument):
        cloud.acknowledge(subscription)
    with pytest.raises(exceptions.InvalidArgument):
        cloud.acknowledge(subscription, "garbage")
    with pytest.raises(exceptions.InvalidArgument):
        cloud.pull(subscription, max_messages=0)


def test_a_push_has_the_wrapped_message(cloud: Cloud, endpoint: Endpoint) -> None:
    topic = cloud.topic()
    subscription = cloud.subscription(topic, push_config={"push_endpoint": endpoint.url})

    (message_id,) = cloud.publish(topic, {"data": b"hello", "attributes": {"type": "message"}})

    (envelope,) = endpoint.wait_for(1)
    message = envelope["message"]
    assert envelope["subscription"] == subscription
    assert base64.b64decode(message["data"]) == b"hello"
    assert message["attributes"] == {"type": "message"}
    assert message["messageId"] == message["message_id"] == message_id
    assert message["publishTime"] == message["publish_time"]
    assert dt.datetime.fromisoformat(message["publishTime"]).tzinfo == dt.UTC
    assert endpoint.headers[0]["content-type"] == "application/json"


def test_a_push_is_repeated_until_it_is_acknowledged(cloud: Cloud, endpoint: Endpoint) -> None:
    topic = cloud.topic()
    cloud.subscription(topic, push_config={"push_endpoint": endpoint.url})
    endpoint.statuses = [503]

    (message_id,) = cloud.publish(topic, {"data": b"x"})

    assert [each["message"]["messageId"] for each in endpoint.wait_for(2)] == [message_id] * 2


def test_a_pull_subscription_becomes_a_push_subscription(cloud: Cloud, endpoint: Endpoint) -> None:
    topic = cloud.topic()
    subscription = cloud.subscription(topic)
    cloud.publish(topic, {"data": b"x"})

    cloud.push_to(subscription, endpoint.url)

    assert endpoint.wait_for(1)[0]["message"]["data"] == "eA=="


def test_a_message_becomes_a_dead_letter_after_five_failures(cloud: Cloud) -> None:
    topic, dead = cloud.topic("events"), cloud.topic("dead")
    policy = {"dead_letter_topic": dead, "max_delivery_attempts": 5}
    subscription = cloud.subscription(topic, "worker", dead_letter_policy=policy)
    graves = cloud.subscription(dead, "graves")
    cloud.publish(topic, {"data": b"poison", "attributes": {"type": "message"}})

    attempts = []
    for _ in range(5):
        (received,) = cloud.pull(subscription)
        attempts.append(received.delivery_attempt)
        cloud.modify_ack_deadline(subscription, received.ack_id, seconds=0)
    left = cloud.pull(subscription, wait=False)  # Google's emulator forwards dead letters only at the next pull
    (grave,) = cloud.pull(graves)

    assert attempts == [1, 2, 3, 4, 5]
    assert left == []
    assert grave.message.data == b"poison"
    about = dict(grave.message.attributes)
    assert about.pop("CloudPubSubDeadLetterSourceTopicPublishTime")
    assert about == {
        "type": "message",
        "CloudPubSubDeadLetterSourceDeliveryCount": "5",
        "CloudPubSubDeadLetterSourceSubscription": "worker",
        "CloudPubSubDeadLetterSourceSubscriptionProject": cloud.project.removeprefix("projects/"),
    }
