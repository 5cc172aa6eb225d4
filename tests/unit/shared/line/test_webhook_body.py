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


@given(
    events=st.lists(st.dictionaries(st.text(max_size=10), JSON_VALUES, max_size=6), max_size=4),
    destination=st.text(max_size=8),
    is_ascii=st.booleans(),
    tail=st.sampled_from(["", " ", "]", "}", ',"events":[{}]}', "x"]),
)
def test_the_form_of_a_delivery_makes_no_difference(
    events: list[dict[str, object]], destination: str, is_ascii: bool, tail: str
) -> None:
    delivery = {"destination": destination, "events": events}
    in_lines_form = json.dumps(delivery, ensure_ascii=is_ascii, separators=(",", ":")) + tail
    in_another_form = json.dumps(delivery) + tail

    read = [_read_or_refused(body.encode(errors="surrogatepass")) for body in (in_lines_form, in_another_form)]

    assert read[0] == read[1]


def _read_or_refused(body: bytes) -> object:
    try:
        delivery = parse_webhook_body(body)
    except MalformedDeliveryError:
        return None
    texts = [json.loads(text.encode()) for text in delivery.texts]
    return delivery.destination, delivery.events, texts, delivery.dropped


@pytest.mark.parametrize(
    "body",
    [
        b'{"destination":"U","events":[{"type":"a"}],"events":[{"type":"b"}]}',
        b'{"destination":"U","events":[{"type":"a"}],"\\u0065vents":[{"type":"b"}]}',
        b'{"destination":"U","events":[{"type":"b"}],"more":1}',
        b'{"destination":"\\u0055","events":[{"type":"b"}]}',
        b'{"destination":"U","events":[ {"type":"b"} ]}',
        b'\n{"destination":"U","events":[{"type":"b"}]}',
        '{"destination":"U","events":[{"type":"b"}]}'.encode("utf-16"),
    ],
)
def test_a_delivery_that_line_does_not_write_is_read_as_json(body: bytes) -> None:
    delivery = parse_webhook_body(body)

    assert delivery.events == ({"type": "b"},)
    assert delivery.texts == ('{"type":"b"}',)
    assert delivery.destination == "U"


def test_an_event_goes_on_as_it_is_written() -> None:
    event = '{"type":"message","message":{"text":"\\ud83d 明日","emojis":[1.50,1e400]},"type":"message"}'

    delivery = parse_webhook_body(f'{{"destination":"U","events":[{event},{{}}]}}'.encode())

    assert delivery.texts == (event, "{}")
    assert delivery.events[0]["message"] == {"text": "\ud83d 明日", "emojis": [1.5, None]}
