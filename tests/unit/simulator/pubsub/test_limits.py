"""The rules for names, messages and settings, each at its limit."""

from dataclasses import replace

import pytest

from simulator.pubsub.errors import InvalidArgumentError, OutOfRangeError
from simulator.pubsub.limits import (
    check_ack_deadline_change,
    check_messages,
    check_project_name,
    check_subscription_name,
    check_topic_name,
    complete_settings,
)
from simulator.pubsub.values import DeadLetterPolicy, Message, RetryPolicy, SubscriptionSettings

TOPIC = "projects/p/topics/events"
PLAIN = SubscriptionSettings(name="projects/p/subscriptions/worker", topic=TOPIC)


def settled(settings: SubscriptionSettings) -> SubscriptionSettings:
    return complete_settings(settings, minimum_ack_deadline_s=10.0)


@pytest.mark.parametrize("topic_id", ["abc", "a" * 255, "A-b_c.d~e+f%20", "events"])
def test_a_valid_name_is_accepted(topic_id: str) -> None:
    check_topic_name(f"projects/some-project/topics/{topic_id}")
    check_subscription_name(f"projects/some-project/subscriptions/{topic_id}")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "events",
        "projects/p/topics/ab",
        f"projects/p/topics/a{'b' * 255}",
        "projects/p/topics/1abc",
        "projects/p/topics/googevents",
        "projects/p/topics/a b c",
        "projects/p/topics/a/b",
        "projects//topics/events",
        "projects/p/subscriptions/events",
        "projects/p/topics/events\n",
        "_deleted-topic_",
    ],
)
def test_a_malformed_topic_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="Invalid"):
        check_topic_name(name)


@pytest.mark.parametrize("name", ["", "p", "projects/", "projects/p/topics"])
def test_a_malformed_project_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="Invalid"):
        check_project_name(name)


@pytest.mark.parametrize(
    "messages",
    [
        [Message(data=b"x")],
        [Message(attributes={"a": ""})],
        [Message(data=b"x")] * 1000,
        [Message(data=b"x" * 10_000_000)],
        [Message(attributes={"k" * 256: "v" * 1024})],
        [Message(attributes={f"key{number}": "v" for number in range(100)})],
        [Message(data=b"x", ordering_key="k" * 1024)],
    ],
)
def test_messages_at_a_limit_are_accepted(messages: list[Message]) -> None:
    check_messages(messages)


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        ([], "No messages"),
        ([Message(data=b"x"), Message()], "Message 1 is empty"),
        ([Message(ordering_key="k")], "Message 0 is empty"),
        ([Message(data=b"x")] * 1001, "Too many messages"),
        ([Message(data=b"x" * 10_000_001)], "the most is 10000000"),
        ([Message(data=b"x" * 5_000_000, attributes={"a": "b"})] * 2, "the most is 10000000"),
        ([Message(attributes={"": "v"})], "empty key"),
        ([Message(attributes={"google": "v"})], "reserved 'goog'"),
        ([Message(attributes={"み" * 86: "v"})], "key of over 256 bytes"),
        ([Message(attributes={"a": "み" * 342})], "over 1024 bytes"),
        ([Message(attributes={f"key{number}": "v" for number in range(101)})], "101 attributes"),
        ([Message(data=b"x", ordering_key="k" * 1025)], "ordering key of message 0"),
    ],
)
def test_messages_beyond_a_limit_are_refused(messages: list[Message], why: str) -> None:
    with pytest.raises(InvalidArgumentError, match=why):
        check_messages(messages)


def test_missing_settings_get_the_defaults() -> None:
    asked = replace(PLAIN, dead_letter_policy=DeadLetterPolicy(topic=TOPIC, max_delivery_attempts=0))

    got = settled(asked)

    assert got.ack_deadline_s == 10.0
    assert got.dead_letter_policy == DeadLetterPolicy(topic=TOPIC, max_delivery_attempts=5)


@pytest.mark.parametrize(
    "settings",
    [
        replace(PLAIN, ack_deadline_s=600.0),
        replace(PLAIN, retry_policy=RetryPolicy(minimum_backoff_s=0.0, maximum_backoff_s=600.0)),
        replace(PLAIN, dead_letter_policy=DeadLetterPolicy(topic=TOPIC, max_delivery_attempts=100)),
        replace(PLAIN, push_endpoint="http://127.0.0.1:8080/path?query"),
    ],
)
def test_settings_at_a_limit_are_unchanged(settings: SubscriptionSettings) -> None:
    assert settled(settings) == replace(settings, ack_deadline_s=settings.ack_deadline_s or 10.0)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (replace(PLAIN, name="worker"), "Invalid"),
        (replace(PLAIN, ack_deadline_s=9.9), "10 to 600 s"),
        (replace(PLAIN, ack_deadline_s=601.0), "10 to 600 s"),
        (replace(PLAIN, ack_deadline_s=-1.0), "10 to 600 s"),
        (replace(PLAIN, filter="attributes"), "character 11"),
        (replace(PLAIN, push_endpoint="nonsense"), "push_endpoint"),
        (replace(PLAIN, push_endpoint="ftp://host/"), "push_endpoint"),
        (replace(PLAIN, retry_policy=RetryPolicy(minimum_backoff_s=-1.0)), "minimum backoff"),
        (replace(PLAIN, retry_policy=RetryPolicy(maximum_backoff_s=601.0)), "maximum backoff"),
        (replace(PLAIN, retry_policy=RetryPolicy(minimum_backoff_s=9.0, maximum_backoff_s=8.0)), "longer than"),
        (replace(PLAIN, dead_letter_policy=DeadLetterPolicy(topic="nonsense")), "Invalid"),
    ],
)
def test_settings_beyond_a_limit_are_refused(settings: SubscriptionSettings, why: str) -> None:
    with pytest.raises(InvalidArgumentError, match=why):
        settled(settings)


@pytest.mark.parametrize("attempts", [-1, 4, 101])
def test_delivery_attempts_out_of_range_are_refused(attempts: int) -> None:
    settings = replace(PLAIN, dead_letter_policy=DeadLetterPolicy(topic=TOPIC, max_delivery_attempts=attempts))

    with pytest.raises(OutOfRangeError, match="5 to 100"):
        settled(settings)


def test_a_deadline_can_move_by_ten_minutes() -> None:
    check_ack_deadline_change(0.0)
    check_ack_deadline_change(600.0)

    with pytest.raises(InvalidArgumentError, match="0 to 600 s"):
        check_ack_deadline_change(600.5)
