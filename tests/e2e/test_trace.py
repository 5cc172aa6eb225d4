"""The trace of a message on the page, taken from the stand-ins and from the functions' logs."""

import time
from typing import Any

from simulator.gemini.script import unavailable
from simulator.line.switches import DeliverySwitches
from tests.e2e.conftest import PATIENCE_S, Person, Platform
from tests.support.serving import plain_http

TRACED_MS = 20_000


def trace(platform: Platform, line_message_id: str, *, until: str) -> list[dict[str, Any]]:
    """Return the steps of the newest event about the message, as soon as the step `until` is among them."""
    until_s = time.monotonic() + PATIENCE_S
    with plain_http(base_url=f"{platform.stack.url}/simulator") as simulator:
        while True:
            chats = simulator.get("/state").json()["chats"]
            entries = [entry for chat in chats for entry in chat["entries"] if entry["kind"] == "message"]
            (event_ids,) = [one["webhook_event_ids"] for one in entries if one["line_message_id"] == line_message_id]
            steps: list[dict[str, Any]] = simulator.get(f"/trace/{event_ids[-1]}").json()["steps"]
            if until in [step["name"] for step in steps]:
                return steps
            assert time.monotonic() < until_s, steps
            time.sleep(0.05)


def test_a_message_is_traced_from_the_phone_to_the_acknowledgement(platform: Platform, person: Person) -> None:
    said = person.says("こんにちは、私はモモコです。")
    person.hears_next(after=0)
    platform.settle()

    steps = trace(platform, said, until="event_handled")

    way = [(step["part"], step["name"]) for step in steps]
    wanted = [
        ("LINE", "event_created"),
        ("LINE", "webhook_delivered"),
        ("Pub/Sub", "published"),
        ("Pub/Sub", "push_started"),
        ("agent_worker", "turn_opened"),
        ("agent_worker", "model_called"),
        ("agent_worker", "tool_called"),
        ("agent_worker", "reply_sent"),
        ("agent_worker", "event_handled"),
        ("Pub/Sub", "push_ended"),
        ("Pub/Sub", "acknowledged"),
    ]
    assert [step for step in way if step in wanted] == wanted
    assert ("webhook", "event_published") in way
    times_ms = [step["since_ms"] for step in steps]
    assert times_ms == sorted(times_ms)
    assert 0 <= times_ms[0] < times_ms[-1] < TRACED_MS
    assert not [step for step in steps if step["is_failed"] or step["is_repeated"]]
    details = {step["name"]: step["details"] for step in steps}
    assert details["model_called"]["prompt_tokens"] > 0
    assert details["model_called"]["finish_reason"] == "STOP"
    assert (details["tool_called"]["tool"], details["webhook_delivered"]["status"]) == ("reply", 200)
    assert "モモコ" not in str(steps)


def test_an_answer_has_the_trace_of_its_question(platform: Platform, person: Person) -> None:
    said = person.says("こんにちは")
    person.hears_next(after=0)
    *_, answer = platform.do(lambda stack: list(stack.line.chat(person.id).messages))

    assert answer.line_message_id != said
    assert trace(platform, answer.line_message_id, until="reply_sent")[0]["name"] == "event_created"


def test_failed_and_repeated_steps_are_marked(platform: Platform, person: Person) -> None:
    platform.do(lambda stack: stack.gemini.script([unavailable()]))
    platform.do(lambda stack: setattr(stack.line, "switches", DeliverySwitches(duplicates=1)))
    said = person.says("hello")
    person.hears_next(after=0)
    platform.settle()
    platform.do(lambda stack: setattr(stack.line, "switches", DeliverySwitches()))

    steps = trace(platform, said, until="event_handled")

    deliveries = [step["is_repeated"] for step in steps if step["name"] == "webhook_delivered"]
    assert deliveries == [False, True]
    assert "model_unavailable" in [step["name"] for step in steps if step["is_failed"]]


def test_an_unsend_has_a_trace_of_its_own(platform: Platform, person: Person) -> None:
    said = person.says("my pin is 4711")
    person.hears_next(after=0)
    person.unsends(said)
    platform.settle()

    steps = trace(platform, said, until="message_withdrawn")

    assert [step["part"] for step in steps if step["name"] == "message_withdrawn"] == ["unsend"]
