import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.line.deliveries import sign
from simulator.line.harness import CHANNEL_SECRET, LineHarness
from simulator.line.messages import DeliveryState
from simulator.line.switches import DeliverySwitches


def test_the_signature_matches_lines_example() -> None:
    body = b'{"destination":"U8e742f61d673b39c7fff3cecb7536ef0","events":[]}'

    assert sign("8c570fa6dd201bb328f1c1eac23a96d8", body) == "GhRKmvmHys4Pi8DxkF4+EayaH0OqtJtaZxgTD9fMDLs="


@given(st.binary(min_size=1), st.data())
def test_any_changed_byte_breaks_the_signature(body: bytes, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(body) - 1))
    change = data.draw(st.integers(1, 255))
    forged = bytes([*body[:position], body[position] ^ change, *body[position + 1 :]])

    assert sign(CHANNEL_SECRET, forged) != sign(CHANNEL_SECRET, body)


def test_a_delivery_has_lines_signature_and_headers(line: LineHarness) -> None:
    line.receive_text()

    [headers], [body] = line.webhook.headers, line.webhook.bodies
    assert headers["x-line-signature"] == sign(CHANNEL_SECRET, body)
    assert headers["user-agent"] == "LineBotWebhook/2.0"
    assert headers["content-type"].startswith("application/json")
    assert line.webhook.payloads[0]["destination"] == line.platform.account.user_id


@pytest.mark.parametrize(
    ("answer", "reason", "failure"),
    [
        (500, "error_status_code", "500"),
        (302, "error_status_code", "302"),
        ("refuse", "could_not_connect", "could_not_connect"),
        ("break", "unclassified", "unclassified"),
    ],
)
def test_a_failed_delivery_is_logged_and_shown(line: LineHarness, answer: int | str, reason: str, failure: str) -> None:
    line.webhook.answers = [answer]

    line.receive_text()

    [attempt] = line.platform.deliveries
    [message] = line.platform.chat(line.user_id).messages
    assert (attempt.is_accepted, attempt.reason) == (False, reason)
    assert (message.delivery, message.failure) == (DeliveryState.FAILED, failure)
    assert len(line.webhook.bodies) == 1


def test_a_slow_webhook_times_out(line: LineHarness) -> None:
    line.platform.switches = DeliverySwitches(timeout_s=0.01)
    line.webhook.answers = ["hang"]

    line.receive_text()

    assert line.platform.deliveries[0].reason == "request_timeout"


def test_a_redelivery_is_the_same_event_with_its_flag(line: LineHarness) -> None:
    line.platform.switches = DeliverySwitches(redelivers=True, redelivery_count=3, redelivery_interval_s=30)
    line.webhook.answers = [503, "refuse"]

    line.receive_text()

    first, second, third = line.webhook.events
    assert [event["deliveryContext"]["isRedelivery"] for event in (first, second, third)] == [False, True, True]
    assert {**second, "deliveryContext": None} == {**first, "deliveryContext": None}
    assert line.platform.deliveries[1].started_ms - line.platform.deliveries[0].started_ms == 30_000
    [message] = line.platform.chat(line.user_id).messages
    assert message.delivery is DeliveryState.DELIVERED


def test_redelivery_stops_after_its_count(line: LineHarness) -> None:
    line.platform.switches = DeliverySwitches(redelivers=True, redelivery_count=2)
    line.webhook.answers = [500, 500, 500, 500]

    line.receive_text()

    assert len(line.platform.deliveries) == 3


def test_a_duplicate_is_not_marked_as_a_redelivery(line: LineHarness) -> None:
    line.platform.switches = DeliverySwitches(duplicates=1)

    line.receive_text()

    one, two = line.webhook.events
    assert one == two
    assert one["deliveryContext"] == {"isRedelivery": False}


def test_held_deliveries_are_sent_in_the_given_order(line: LineHarness) -> None:
    line.platform.switches = DeliverySwitches(holds=True)
    first = line.do(lambda: line.platform.say(line.user_id, line.user_id, "1"))
    second = line.do(lambda: line.platform.say(line.user_id, line.user_id, "2"))
    third = line.do(lambda: line.platform.say(line.user_id, line.user_id, "3"))
    assert line.webhook.bodies == []

    line.do(lambda: line.platform.courier.release(third.webhook_event_id, first.webhook_event_id))

    assert [event["message"]["text"] for event in line.webhook.events] == ["3", "1"]
    assert [[event.webhook_event_id for event in events] for events in line.platform.courier.held_deliveries] == [
        [second.webhook_event_id]
    ]


def test_a_delayed_deliverys_token_lives_from_its_departure(line: LineHarness) -> None:
    line.platform.switches = DeliverySwitches(delay_s=300)
    token = line.receive_text()
    line.clock.advance(s=60)

    assert line.reply(token, "in time").status_code == 200


def test_events_of_one_delivery_share_a_request(line: LineHarness) -> None:
    def talk() -> None:
        with line.platform.in_one_delivery():
            line.platform.say(line.user_id, line.user_id, "one")
            line.platform.say(line.user_id, line.user_id, "two")

    line.do(talk)

    assert [len(payload["events"]) for payload in line.webhook.payloads] == [2]


def test_the_chat_mode_decides_when_a_message_is_read(line: LineHarness) -> None:
    line.receive_text("one")
    line.receive_text("two")
    first, second = line.platform.chat(line.user_id).messages
    assert not second.is_read

    answer = line.call("POST", "/v2/bot/chat/markAsRead", json={"markAsReadToken": second.mark_as_read_token})

    assert answer.status_code == 200
    assert [message.is_read for message in line.platform.chat(line.user_id).messages] == [True, True]
    assert line.call("POST", "/v2/bot/chat/markAsRead", json={"markAsReadToken": "made up"}).status_code == 400
    assert first.mark_as_read_token != second.mark_as_read_token


def test_every_fact_is_reported_to_the_hook() -> None:
    told: list[str] = []
    with LineHarness(on_event=lambda name, _fields: told.append(name)) as line:
        line.reply(line.receive_text(), "hi")

    assert told == ["event_created", "webhook_delivered", "api_called"]
