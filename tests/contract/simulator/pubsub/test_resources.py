"""Topics and subscriptions on both Pub/Sub servers, that of this project and Google's emulator, through the real clients."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest
from google.api_core import exceptions

if TYPE_CHECKING:
    from tests.contract.simulator.pubsub.conftest import Cloud


def test_a_topic_is_created_read_listed_and_deleted(cloud: Cloud) -> None:
    topic = cloud.topic("events")
    other = cloud.topic("letters")

    assert cloud.publisher.get_topic(topic=topic).name == topic
    assert [each.name for each in cloud.publisher.list_topics(project=cloud.project)] == [topic, other]

    cloud.publisher.delete_topic(topic=topic)

    assert [each.name for each in cloud.publisher.list_topics(project=cloud.project)] == [other]
    with pytest.raises(exceptions.NotFound):
        cloud.publisher.get_topic(topic=topic)


def test_topics_are_listed_in_pages(cloud: Cloud) -> None:
    names = [cloud.topic(f"topic-{number}") for number in range(5)]

    pages = cloud.publisher.list_topics(request={"project": cloud.project, "page_size": 2}).pages

    assert [[each.name for each in page.topics] for page in pages] == [names[:2], names[2:4], names[4:]]


def test_a_topic_name_is_unique(cloud: Cloud) -> None:
    cloud.topic("events")

    with pytest.raises(exceptions.AlreadyExists):
        cloud.topic("events")


@pytest.mark.parametrize("topic_id", ["ab", "1abc", "googevents", "a b c"])
def test_a_malformed_topic_name_is_refused(cloud: Cloud, topic_id: str) -> None:
    with pytest.raises(exceptions.InvalidArgument):
        cloud.topic(topic_id)


def test_a_publish_to_an_unknown_topic_is_refused(cloud: Cloud) -> None:
    with pytest.raises(exceptions.NotFound):
        cloud.publish(f"{cloud.project}/topics/none", {"data": b"x"})


@pytest.mark.parametrize("messages", [[], [{"data": b"x"}, {}], [{"data": b"x"}] * 1001])
def test_empty_messages_and_too_many_messages_are_refused(cloud: Cloud, messages: list[dict[str, Any]]) -> None:
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


def test_the_filter_of_a_subscription_cannot_change(cloud: Cloud) -> None:
    subscription = cloud.subscription(cloud.topic())

    with pytest.raises(exceptions.InvalidArgument):
        cloud.update(subscription, "filter", filter="attributes:a")


def test_a_subscription_outlives_its_topic(cloud: Cloud) -> None:
    topic = cloud.topic()
    subscription = cloud.subscription(topic)

    cloud.publisher.delete_topic(topic=topic)

    assert cloud.subscriber.get_subscription(subscription=subscription).topic == "_deleted-topic_"


def _in_project(value: Any, project: str) -> Any:  # noqa: ANN401 - settings nest
    if isinstance(value, dict):
        return {key: _in_project(inner, project) for key, inner in value.items()}
    return value.replace("PROJECT", project) if isinstance(value, str) else value
