import json

from benchmarks import wire
from shared.bus.envelope import decode_envelope
from shared.line.signature import verify_signature
from simulator.stack import CHANNEL_SECRET


def test_the_signature_of_a_delivery_is_valid() -> None:
    body = wire.delivery()

    verify_signature(body, wire.signed_headers(body)["x-line-signature"], channel_secrets=(CHANNEL_SECRET,))
    assert len(json.loads(body)["events"]) == 1


def test_the_floor_gets_what_the_webhook_publishes() -> None:
    message = wire.bus_message(wire.delivery())

    assert json.loads(message.data)["event"] == json.loads(wire.delivery())["events"][0]
    assert message.attributes["type"] == "message"


def test_a_push_holds_the_event_and_its_moment() -> None:
    envelope = decode_envelope(wire.push_body({"type": "message", "webhookEventId": "1"}))

    assert envelope.event() == {"type": "message", "webhookEventId": "1"}
    assert envelope.published_ms is not None
