"""The envelope of a push."""

import base64
import datetime as dt
import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from simulator.pubsub.push import envelope, rfc3339
from simulator.pubsub.values import DeadLetterPolicy, Delivery, Message, PublishedMessage, SubscriptionSettings

TOKYO = dt.timezone(dt.timedelta(hours=9))
SETTINGS = SubscriptionSettings(name="projects/p/subscriptions/worker", topic="projects/p/topics/events")


def delivery(message: Message, *, attempt: int = 1) -> Delivery:
    published = PublishedMessage(
        number=1,
        pubsub_message_id="4711",
        publish_time=dt.datetime(2026, 1, 31, 18, 30, 0, 125_000, tzinfo=TOKYO),
        message=message,
    )
    return Delivery(ack_id="1", message=published, copy=1, delivery_attempt=attempt, deadline_s=10.0)


def test_the_envelope_has_the_documented_form() -> None:
    message = Message(data="ねこ".encode(), attributes={"type": "message"}, ordering_key="chat")

    body = json.loads(envelope(delivery(message), SETTINGS))

    assert body == {
        "message": {
            "data": base64.b64encode("ねこ".encode()).decode(),
            "attributes": {"type": "message"},
            "messageId": "4711",
            "message_id": "4711",
            "publishTime": "2026-01-31T09:30:00.125Z",
            "publish_time": "2026-01-31T09:30:00.125Z",
            "orderingKey": "chat",
        },
        "subscription": "projects/p/subscriptions/worker",
    }


def test_empty_fields_are_left_out() -> None:
    body = json.loads(envelope(delivery(Message(attributes={"type": "unsend"})), SETTINGS))

    assert "data" not in body["message"]
    assert "orderingKey" not in body["message"]


def test_only_a_dead_letter_policy_adds_the_attempt() -> None:
    watched = replace(SETTINGS, dead_letter_policy=DeadLetterPolicy(topic="projects/p/topics/dead"))
    third = delivery(Message(data=b"x"), attempt=3)

    assert json.loads(envelope(third, watched))["deliveryAttempt"] == 3
    assert "deliveryAttempt" not in json.loads(envelope(third, SETTINGS))


@given(st.binary(min_size=1), st.dictionaries(st.text(), st.text()))
def test_data_and_attributes_round_trip_through_the_envelope(data: bytes, attributes: dict[str, str]) -> None:
    body = json.loads(envelope(delivery(Message(data=data, attributes=attributes)), SETTINGS))

    assert base64.b64decode(body["message"]["data"]) == data
    assert body["message"].get("attributes", {}) == attributes


@given(st.datetimes(min_value=dt.datetime(1970, 1, 1), timezones=st.just(TOKYO)))  # noqa: DTZ001
def test_times_round_trip_to_the_millisecond(moment: dt.datetime) -> None:
    written = rfc3339(moment)

    assert written.endswith("Z")
    assert dt.timedelta(0) <= moment - dt.datetime.fromisoformat(written) < dt.timedelta(milliseconds=1)
