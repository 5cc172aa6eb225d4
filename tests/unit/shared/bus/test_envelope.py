import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.bus.envelope import BODY_LIMIT_BYTES, decode_envelope
from shared.bus.messages import Tick
from shared.errors import DeliveryTooLargeError, MalformedEnvelopeError, UnusableEventError
from tests.support import push, recorded, schemas


def test_an_envelope_keeps_delivery_attempt_and_publish_time() -> None:
    body = push.envelope(recorded.event("message-text"), attempt=3, message_id="77")

    envelope = decode_envelope(body)

    schemas.validator("events/push-envelope").validate(json.loads(body))
    assert envelope.pubsub_message_id == "77"
    assert envelope.delivery_attempt == 3
    assert envelope.published_ms == 1_795_236_001_123
    assert envelope.event() == recorded.event("message-text")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"{}", b'{"message": "x"}', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_envelope_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedEnvelopeError, match="the body is not"):
        decode_envelope(body)


@pytest.mark.parametrize(
    "data", ["", "%%%", "e30=", base64.b64encode(b'{"event": 1}').decode(), base64.b64encode(b"[").decode(), 7]
)
def test_a_message_without_an_event_is_unusable(data: object) -> None:
    envelope = decode_envelope(json.dumps({"message": {"data": data}}).encode())

    with pytest.raises(UnusableEventError, match="the message's data"):
        envelope.event()


@given(
    st.dictionaries(
        st.sampled_from(["messageId", "publishTime", "attributes", "data"]),
        st.none() | st.integers() | st.text(max_size=5),
    )
)
def test_malformed_fields_are_no_error(message: dict[str, object]) -> None:
    envelope = decode_envelope(json.dumps({"message": message, "deliveryAttempt": "x"}).encode())

    assert envelope.delivery_attempt is None


def test_a_body_larger_than_any_push_is_refused() -> None:
    body = json.dumps({"message": {"data": ""}}).encode().ljust(BODY_LIMIT_BYTES)

    assert decode_envelope(body).data == ""
    with pytest.raises(DeliveryTooLargeError, match="bytes"):
        decode_envelope(body + b" ")


@pytest.mark.parametrize(
    "odd",
    [
        b'"\\ud83d"',
        b"1e400",
        b"9" * 5_000,
        b"[" * 300 + b"]" * 300,
        b'{"a":' * 9_000 + b"1" + b"}" * 9_000,
        b'"0001-01-01"',
    ],
    ids=["half", "1e400", "long", "deep", "deeper", "year 1"],
)
def test_an_odd_value_of_an_envelope_costs_nothing_else(odd: bytes) -> None:
    event = recorded.event("message-text")
    event_and_odd = b'{"event": {"odd": ' + odd + b"," + json.dumps(event).encode()[1:] + b"}"
    data = base64.b64encode(event_and_odd)
    fields = b'"messageId": ' + odd + b', "publishTime": ' + odd + b', "attributes": ' + odd
    envelope = decode_envelope(
        b'{"deliveryAttempt": ' + odd + b', "message": {' + fields + b', "data": "' + data + b'"}}'
    )

    assert envelope.pubsub_message_id.encode() is not None
    found = envelope.event()
    assert isinstance(found, dict)
    assert {name: value for name, value in found.items() if name != "odd"} == event


def test_cloud_schedulers_message_is_a_tick() -> None:
    schemas.validator("events/tick").validate(json.loads(push.TICK))

    assert decode_envelope(push.tick()).event() == Tick()


def test_a_tick_may_be_for_one_shard() -> None:
    body = push.tick(shard=2, shards=4)

    assert decode_envelope(body).event() == Tick(shard=2, shards=4)


@pytest.mark.parametrize(
    "fields",
    [
        b'"shard": 4, "shards": 4',
        b'"shard": -1, "shards": 4',
        b'"shard": 0, "shards": 0',
        b'"shard": "0", "shards": 4',
        b'"shard": true, "shards": 4',
        b'"shard": 1.0, "shards": 4',
        b'"shards": 4',
        b'"shard": 0',
    ],
)
def test_a_tick_whose_shard_makes_no_sense_is_for_every_chat(fields: bytes) -> None:
    data = b'{"type": "tick", ' + fields + b"}"

    assert decode_envelope(push.wrapped(data, attributes={"type": "tick"})).event() == Tick()


def test_each_chat_is_in_one_shard_and_the_shards_are_alike() -> None:
    chats = [f"U{number:032x}" for number in range(4_000)]
    shards = [[chat for chat in chats if Tick(shard=shard, shards=4).is_for(chat)] for shard in range(4)]

    assert sorted(chat for shard in shards for chat in shard) == chats
    assert all(900 <= len(shard) <= 1_100 for shard in shards)


@pytest.mark.parametrize(
    "data",
    [
        b'{"destination": "U1", "event": {"type": "tick"}}',
        b'{"type": "tick", "destination": "U1", "event": {"type": "message"}}',
    ],
)
def test_a_message_with_an_event_is_no_tick(data: bytes) -> None:
    assert not schemas.validator("events/tick").is_valid(json.loads(data))
    assert decode_envelope(push.wrapped(data, attributes={"type": "tick"})).event() == json.loads(data)["event"]


@pytest.mark.parametrize(
    "data", [b"{}", b'{"type": "tock"}', b'{"type": "tick", "event": null}', b'["tick"]', b'"tick"']
)
def test_a_message_that_is_neither_event_nor_tick_is_unusable(data: bytes) -> None:
    with pytest.raises(UnusableEventError, match="the message's data"):
        decode_envelope(push.wrapped(data, attributes={"type": "tick"})).event()
