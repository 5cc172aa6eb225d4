import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import MalformedDeliveryError
from shared.line.webhook_body import event_attributes, parse_webhook_body
from tests.support import recorded

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=10), children, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("name", recorded.NAMES)
def test_recorded_deliveries_are_parsed_without_a_change(name: str) -> None:
    delivery = parse_webhook_body(recorded.body(name))

    assert list(delivery.events) == recorded.events(name)
    assert delivery.destination.startswith("U")


def test_lines_verification_request_holds_no_events() -> None:
    assert parse_webhook_body(recorded.body("verification")).events == ()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"x"',
        b"{}",
        b'{"events": {}}',
        b'{"events": null}',
        b'{"events": [NaN]}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
    ],
)
def test_a_body_that_is_no_delivery_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedDeliveryError, match="the body is not"):
        parse_webhook_body(body)


def test_events_that_are_no_objects_are_counted_and_left_out() -> None:
    delivery = parse_webhook_body(b'{"destination": "U", "events": [1, {"type": "follow"}, null]}')

    assert delivery.events == ({"type": "follow"},)
    assert delivery.dropped == 2


@pytest.mark.parametrize("destination", ["null", "7", '["U"]', "{}"])
def test_a_destination_that_is_no_text_is_empty(destination: str) -> None:
    body = f'{{"destination": {destination}, "events": []}}'

    assert parse_webhook_body(body.encode()).destination == ""


@given(event=st.dictionaries(st.text(max_size=10), JSON_VALUES, max_size=6))
def test_attributes_of_every_event_are_short_and_known(event: dict[str, object]) -> None:
    attributes = event_attributes(event)

    assert set(attributes) <= {"type", "is_redelivery", "webhook_event_id", "conversation_id"}
    assert all(len(value) <= 64 for value in attributes.values())


def test_attributes_name_the_event_and_its_chat() -> None:
    attributes = event_attributes(recorded.event("redelivered"))

    assert attributes == {
        "type": "message",
        "webhook_event_id": recorded.event("redelivered")["webhookEventId"],
        "conversation_id": recorded.USER,
        "is_redelivery": "true",
    }


def test_an_event_without_usable_ids_still_gets_attributes() -> None:
    odd = json.loads('{"type": "message", "webhookEventId": "a/b", "source": {"type": "user", "userId": "me"}}')

    assert event_attributes(odd) == {"type": "message", "is_redelivery": "false"}
