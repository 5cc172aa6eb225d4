import io
import json
from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.bus.endpoint import PushEndpoint
from shared.bus.messages import bus_messages
from shared.composition.assembly import assemble
from shared.conversation.due import DueMarkers
from shared.line.webhook_body import parse_webhook_body
from shared.line.webhook_check import WebhookCheck
from tests.support import push, recorded
from tests.support.chats import everything_in
from tests.support.people import Person
from tests.support.pushed import PushedWorker

HELLO = calling(("reply", {"message": "ok"}))
OTHER_EVENTS = [
    name
    for name in recorded.NAMES
    if not name.startswith("message-")
    and name
    not in {
        *("follow", "join", "leave", "unfollow", "unsend", "member-joined"),
        *("verification", "several-chats", "redelivered"),
    }
]


@pytest.mark.parametrize("name", OTHER_EVENTS)
def test_event_without_a_handler_is_acknowledged_and_ignored(worker: PushedWorker, name: str) -> None:
    assert worker.deliver(recorded.event(name)) == 204
    assert worker.line.calls == 0
    assert worker.store.list("") == ()


def test_event_without_a_chat_is_acknowledged(worker: PushedWorker) -> None:
    assert worker.deliver(recorded.event("message-text", source={"type": "user"})) == 204
    assert worker.store.list("") == ()


def test_unsend_that_was_pushed_to_the_wrong_worker_takes_back_that_message_only(worker: PushedWorker) -> None:
    friend = Person(worker, is_in_group=False)
    friend.says("the garden is green", HELLO)
    friend.says("my pin is 4711", HELLO)

    friend.sends(friend.events.event("unsend", unsend={"messageId": "m2"}))

    left = everything_in(worker.store)
    assert "4711" not in left
    assert "green" in left


class CountedWebhook:
    """A webhook that answers LINE's tests."""

    def __init__(self) -> None:
        self.checks = 0

    def check_webhook(self) -> WebhookCheck:
        self.checks += 1
        return WebhookCheck(is_active=True, is_answered=True, status=200, reason="OK")


def lines_of(lines: io.StringIO, message: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, lines.getvalue().splitlines()) if line["message"] == message]


def test_a_tick_lists_what_is_due(worker: PushedWorker, lines: io.StringIO) -> None:
    conversation = worker.conversations.of(recorded.USER)
    DueMarkers(store=worker.store).mark("newer-kind", conversation, "m1", at_ms=worker.clock.now_ms())
    worker.clock.move(60)

    assert worker.push(push.tick()) == 204

    (unknown,) = lines_of(lines, "due_kind_unknown")
    assert (unknown["severity"], unknown["type"], unknown["kind"]) == ("ERROR", "tick", "newer-kind")
    assert [line["left"] for line in lines_of(lines, "tick_handled")] == [1]
    assert [line["outcome"] for line in lines_of(lines, "event_handled")] == ["ticked"]
    assert len(worker.store.list("due/")) == 1


def test_a_tick_that_fails_is_not_delivered_again(worker: PushedWorker, lines: io.StringIO) -> None:
    worker.store.is_down = True

    assert worker.push(push.tick()) == 204
    assert [line["outcome"] for line in lines_of(lines, "event_handled")] == ["tick_lost"]


def test_ticks_that_waited_during_an_outage_do_not_use_up_the_tests_of_the_webhook(
    worker: PushedWorker, lines: io.StringIO
) -> None:
    """Source: LINE, "Rate limits": sixty tests of a webhook an hour; those of the next hour would be refused, and an alert raised."""
    webhook = CountedWebhook()
    ports, options = replace(worker.ports, webhook=webhook), replace(worker.options, heartbeat_minutes=1)
    endpoint = PushEndpoint(handle=assemble(ports, options), clock=worker.clock)

    for minute in range(60):
        endpoint("POST", push.tick(published=f"2025-11-20T20:{minute:02}:00.000Z"))
    endpoint("POST", push.tick(published="2025-11-21T04:39:00.000Z"))  # a minute ago

    assert len(lines_of(lines, "tick_handled")) == 61
    assert webhook.checks == 1


@pytest.mark.parametrize(
    "delivery",
    [
        {"events": [{"type": "tick"}]},
        {"events": [{"type": "tick", "webhookEventId": "e1", "source": {"type": "user", "userId": recorded.USER}}]},
        {"events": [{"type": "tick", "event": {"type": "tick"}}], "type": "tick"},
        {
            "events": [{"event": {"type": "tick"}, "message": {"data": "eyJ0eXBlIjoidGljayJ9"}}],
            "destination": {"type": "tick"},
        },
    ],
)
def test_nothing_that_is_delivered_to_the_webhook_becomes_a_tick(
    worker: PushedWorker, lines: io.StringIO, delivery: dict[str, Any]
) -> None:
    for message in bus_messages(parse_webhook_body(json.dumps(delivery).encode())):
        assert worker.push(push.wrapped(message.data, attributes=message.attributes)) == 204

    assert [line["outcome"] for line in lines_of(lines, "event_handled")] in (["dropped"], ["ignored"])
    assert lines_of(lines, "tick_handled") == []


def test_since_when_a_member_is_there_is_noted_and_gets_no_answer(worker: PushedWorker) -> None:
    event = recorded.event("member-joined")
    joined = [one["userId"] for one in event["joined"]["members"]]
    members = worker.conversations.of(event["source"]["groupId"]).members

    worker.deliver(event)

    assert worker.line.calls == 0
    assert members.joined_ms(joined) == event["timestamp"]


def test_a_push_that_does_not_say_when_it_was_published_has_just_been(worker: PushedWorker) -> None:
    body = json.loads(push.envelope(recorded.event("message-text")))
    del body["message"]["publishTime"], body["message"]["publish_time"]
    worker.model.steps = [HELLO]

    assert worker.push(json.dumps(body).encode()) == 204

    assert worker.said == ["ok"]


def test_a_push_of_old_is_answered_on_no_token(worker: PushedWorker) -> None:
    assert worker.deliver(recorded.event("message-text"), published="2020-01-01T00:00:00Z") == 204

    assert worker.line.calls == 0
