"""What every Pub/Sub does, through the real clients: this project's and Google's emulator."""

from __future__ import annotations

import base64
import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest
from google.api_core import exceptions

if TYPE_CHECKING:
    from tests.contract.simulator.pubsub.conftest import Cloud, Endpoint


def test_a_topic_is_made_read_listed_and_deleted(cloud: Cloud) -> None:
    topic = cloud.topic("events")
    other = cloud.topic("letters")

    assert cloud.publisher.get_topic(topic=topic).name == topic
    assert [each.name for each in cloud.publisher.list_topics(project=cloud.project)] == [topic, other]

    cloud.publisher.delete_topic(topic=topic)

    assert [each.name for each in cloud.publisher.list_topics(project=cloud.project)] == [other]
    with pytest.raises(exceptions.NotFound):
        cloud.publisher.get_topic(topic=topic)


def test_topics_come_in_pages(cloud: Cloud) -> None:
    names = [cloud.topic(f"topic-{number}") for number in range(5)]

    pages = cloud.publisher.list_topics(request={"project": cloud.project, "page_size": 2}).pages

    assert [[each.name for each in page.topics] for page in pages] == [names[:2], names[2:4], names[4:]]


def test_a_topic_name_is_taken_once(cloud: Cloud) -> None:
    cloud.topic("events")

    with pytest.raises(exceptions.AlreadyExists):
        cloud.topic("events")


@pytest.mark.parametrize("topic_id", ["ab", "1abc", "googevents", "a b c"])
def test_a_malformed_topic_name_is_refused(cloud: Cloud, topic_id: str) -> None:
    with pytest.raises(exceptions.InvalidArgument):
        cloud.topic(topic_id)


def test_nothing_is_published_to_a_topic_that_is_not_there(cloud: Cloud) -> None:
    with pytest.raises(exceptions.NotFound):
        cloud.publish(f"{cloud.project}/topics/none", {"data": b"x"})


@pytest.mark.parametrize("messages", [[], [{"data": b"x"}, {}], [{"data": b"x"}] * 1001])
def test_no_empty_messages_and_not_too_many(cloud: Cloud, messages: list[dict[str, Any]]) -> None:
    topic = cloud.topic()

    with pytest.raises(exceptions.InvalidArgument):
        cloud.publish(topic, *messages)


def test_a_subscription_has_the_documented_defaults(cloud: Cloud) -> None:
    topic = cloud.topic()
    dead = cloud.topic("dead")
    name = f"{cloud.project}/subscriptions/worker"

    made = cloud.create_subscription(
        {"name": name, "topic": topic, "retry_policy": {}, "dead_letter_policy": {"dead_letter_topic": dead}}
    )

    assert (made.name, made.topic, made.ack_deadline_seconds) == (name, topic, 10)
    assert made.retry_policy.minimum_backoff == dt.timedelta(seconds=10)
    assert made.retry_policy.maximum_backoff == dt.timedelta(seconds=600)
    assert made.dead_letter_policy.max_delivery_attempts == 5
    assert cloud.subscriber.get_subscription(subscription=name) == made


@pytest.mark.parametrize(
    ("settings", "refusal"),
    [
        ({"ack_deadline_seconds": 601}, exceptions.InvalidArgument),
        ({"ack_deadline_seconds": -1}, exceptions.InvalidArgument),
        ({"push_config": {"push_endpoint": "nonsense"}}, exceptions.InvalidArgument),
        ({"retry_policy": {"maximum_backoff": {"seconds": 601}}}, exceptions.InvalidArgument),
        (
            {"retry_policy": {"minimum_backoff": {"seconds": 9}, "maximum_backoff": {"seconds": 8}}},
            exceptions.InvalidArgument,
        ),
        (
            {"dead_letter_policy": {"dead_letter_topic": "PROJECT/topics/events", "max_delivery_attempts": 4}},
            exceptions.OutOfRange,
        ),
        ({"dead_letter_policy": {"dead_letter_topic": "PROJECT/topics/none"}}, exceptions.NotFound),
        ({"topic": "PROJECT/topics/none"}, exceptions.NotFound),
        ({"name": "PROJECT/subscriptions/1"}, exceptions.InvalidArgument),
    ],
)
def test_settings_that_break_a_rule_are_refused(
    cloud: Cloud, settings: dict[str, Any], refusal: type[exceptions.GoogleAPICallError]
) -> None:
    topic = cloud.topic("events")
    request = {"name": f"{cloud.project}/subscriptions/worker", "topic": topic, **_in_project(settings, cloud.project)}

    with pytest.raises(refusal):
        cloud.create_subscription(request)


def test_a_subscription_is_listed_updated_and_deleted(cloud: Cloud) -> None:
    subscription = cloud.subscription(cloud.topic(), ack_deadline_seconds=20)

    updated = cloud.update(subscription, "ack_deadline_seconds", ack_deadline_seconds=30)

    assert updated.ack_deadline_seconds == 30
    assert list(cloud.subscriber.list_subscriptions(project=cloud.project)) == [updated]
    with pytest.raises(exceptions.InvalidArgument):
        cloud.update(subscription)
    with pytest.raises(exceptions.AlreadyExists):
        cloud.subscription(updated.topic)

    cloud.subscriber.delete_subscription(subscription=subscription)

    with pytest.raises(exceptions.NotFound):
        cloud.subscriber.get_subscription(subscription=subscription)


def test_the_filter_of_a_subscription_is_for_life(cloud: Cloud) -> None:
    subscription = cloud.subscription(cloud.topic())

    with pytest.raises(exceptions.InvalidArgument):
        cloud.update(subscription, "filter", filter="attributes:a")


def test_a_subscription_outlives_its_topic(cloud: Cloud) -> None:
    topic = cloud.topic()
    subscription = cloud.subscription(topic)

    cloud.publisher.delete_topic(topic=topic)

    assert cloud.subscriber.get_subscription(subscription=subscription).topic == "_deleted-topic_"


def test_a_message_is_pulled_with_all_it_has_and_goes_when_acknowledged(cloud: Cloud) -> None:
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


def test_a_message_in_hand_is_not_given_to_another(cloud: Cloud) -> None:
    topic = cloud.topic()
    subscription = cloud.subscription(topic)
    cloud.publish(topic, {"data": b"x"})

    assert len(cloud.pull(subscription)) == 1
    assert cloud.pull(subscription, wait=False) == []


def test_no_ids_and_invented_ids_are_refused(cloud: Cloud) -> None:
    subscription = cloud.subscription(cloud.topic())

    with pytest.raises(exceptions.InvalidArgument):
        cloud.acknowledge(subscription)
    with pytest.raises(exceptions.InvalidArgument):
        cloud.acknowledge(subscription, "garbage")
    with pytest.raises(exceptions.InvalidArgument):
        cloud.pull(subscription, max_messages=0)


def test_a_push_carries_the_wrapped_message(cloud: Cloud, endpoint: Endpoint) -> None:
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


def test_a_subscription_turns_from_pull_to_push(cloud: Cloud, endpoint: Endpoint) -> None:
    topic = cloud.topic()
    subscription = cloud.subscription(topic)
    cloud.publish(topic, {"data": b"x"})

    cloud.push_to(subscription, endpoint.url)

    assert endpoint.wait_for(1)[0]["message"]["data"] == "eA=="


def test_a_message_that_fails_five_times_goes_to_the_dead_letters(cloud: Cloud) -> None:
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
    left = cloud.pull(subscription, wait=False)  # Google's buries only when somebody asks for more
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


def _in_project(value: Any, project: str) -> Any:  # noqa: ANN401 - settings nest
    if isinstance(value, dict):
        return {key: _in_project(inner, project) for key, inner in value.items()}
    return value.replace("PROJECT", project) if isinstance(value, str) else value
