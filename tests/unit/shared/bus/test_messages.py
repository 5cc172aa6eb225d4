import json

import pytest

from shared.bus.messages import bus_messages
from shared.line.webhook_body import parse_webhook_body
from tests.support import recorded, schemas


@pytest.mark.parametrize("name", recorded.NAMES)
def test_published_messages_match_their_schemas(name: str) -> None:
    for message in bus_messages(parse_webhook_body(recorded.body(name))):
        schemas.validator("events/bus-message").validate(json.loads(message.data))
        schemas.validator("events/bus-attributes").validate(dict(message.attributes))


def test_events_are_published_one_by_one_in_order() -> None:
    messages = bus_messages(parse_webhook_body(recorded.body("several-chats")))

    assert [json.loads(message.data)["event"] for message in messages] == recorded.events("several-chats")
    assert [message.attributes["type"] for message in messages] == [
        "message",
        "follow",
        "message",
        "telepathy",
        "unsend",
    ]


def test_a_lone_surrogate_survives_the_bus() -> None:
    body = b'{"destination": "U", "events": [{"type": "message", "message": {"text": "\\ud83d"}}]}'

    (message,) = bus_messages(parse_webhook_body(body))

    assert json.loads(message.data)["event"]["message"]["text"] == "\ud83d"


def test_a_trace_is_an_attribute_of_every_message() -> None:
    traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    messages = bus_messages(parse_webhook_body(recorded.body("several-chats")), traceparent=traceparent)

    for message in messages:
        schemas.validator("events/bus-attributes").validate(dict(message.attributes))
    assert {message.attributes["traceparent"] for message in messages} == {traceparent}


@pytest.mark.parametrize(
    "odd", [None, "", "00-xyz", "a" * 2_000, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n"]
)
def test_a_malformed_traceparent_is_not_published(odd: str | None) -> None:
    (message,) = bus_messages(parse_webhook_body(recorded.body("follow")), traceparent=odd)

    assert "traceparent" not in message.attributes
