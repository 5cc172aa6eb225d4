"""Ticks over real wires: what is due is listed and carried out; what this release does not know stays."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.conftest import PATIENCE_S, Person, Platform
from tests.support.serving import plain_http
from tests.support.stacks import running_stack

PAST, FUTURE = "20260101T0000", "99991231T2359"


@contextmanager
def objects(platform: Platform, *names: str) -> Iterator[None]:
    """Empty objects that stand in the bucket during the block."""
    for name in names:
        platform.put(name)
    try:
        yield
    finally:
        for name in names:
            platform.remove(name)


def lines_of(platform: Platform, message: str, *, pubsub_message_id: str) -> list[dict[str, Any]]:
    """Return the worker's log lines of this name about the tick."""
    logged = platform.log_lines("agent_worker")
    return [line for line in logged if (line["message"], line.get("pubsub_message_id")) == (message, pubsub_message_id)]


def test_a_marker_of_an_unknown_kind_stays_and_is_reported(platform: Platform, person: Person) -> None:
    due, later = f"due/{PAST}/newer-kind.{person.id}.m1", f"due/{FUTURE}/newer-kind.{person.id}.m1"

    with objects(platform, due, later, f"due/{PAST}/odd"):
        ticked = platform.tick()

        assert {due, later} <= set(platform.names("due/"))

    (unknown,) = lines_of(platform, "due_kind_unknown", pubsub_message_id=ticked)
    assert (unknown["severity"], unknown["kind"], unknown["count"]) == ("ERROR", "newer-kind", 1)
    (unreadable,) = lines_of(platform, "due_markers_unreadable", pubsub_message_id=ticked)
    assert (unreadable["severity"], unreadable["count"]) == ("ERROR", 1)
    (handled,) = lines_of(platform, "tick_handled", pubsub_message_id=ticked)
    assert (handled["done"], handled["left"]) == (0, 1)
    assert handled["oldest_left_s"] > 86_400
    assert person.id not in json.dumps([unknown, unreadable, handled])
    (closing,) = lines_of(platform, "event_handled", pubsub_message_id=ticked)
    assert (closing["outcome"], closing["status"]) == ("ticked", 204)


def test_a_tick_reaches_the_agent_worker_only_and_has_a_trace(platform: Platform) -> None:
    ticked = platform.tick()

    assert not [line for line in platform.log_lines("unsend") if line.get("pubsub_message_id") == ticked]
    until_s = time.monotonic() + PATIENCE_S
    with plain_http(base_url=f"{platform.stack.url}/simulator") as simulator:
        while True:
            trace = simulator.get("/trace/tick").json()
            steps = [(step["part"], step["name"]) for step in trace["steps"]]
            if ("agent_worker", "event_handled") in steps:
                break
            assert time.monotonic() < until_s, steps
            time.sleep(0.05)
    assert trace["type"] == "tick"
    wanted = [("Pub/Sub", "published"), ("Pub/Sub", "push_started"), ("agent_worker", "tick_handled")]
    assert [step for step in steps if step in wanted] == wanted
    assert not [step for step in trace["steps"] if step["is_failed"] or step["is_repeated"]]


def test_a_delivery_that_looks_like_a_tick_is_none(platform: Platform, person: Person) -> None:
    source = {"type": "user", "userId": person.id}
    forged = {"type": "tick", "webhookEventId": "forgedtick1", "source": source, "timestamp": 1, "mode": "active"}
    body = json.dumps({"destination": "U1", "type": "tick", "events": [{"type": "tick"}, forged]}).encode()

    assert platform.post(body).status_code == 200
    platform.settle()

    published = {line["pubsub_message_id"] for line in platform.published if line["type"] == "tick"}
    about = [line for line in platform.log_lines("agent_worker") if line.get("pubsub_message_id") in published]
    assert sorted(line["outcome"] for line in about if line["message"] == "event_handled") == ["dropped", "ignored"]
    assert "tick_handled" not in {line["message"] for line in about}


def test_ticks_go_on_by_themselves(tmp_path: Path) -> None:
    with running_stack(tmp_path, tick_s=0.5) as (loop, stack):
        platform = Platform(loop, stack, tmp_path)
        until_s = time.monotonic() + PATIENCE_S
        while len([line for line in platform.log_lines("agent_worker") if line["message"] == "tick_handled"]) < 2:
            assert time.monotonic() < until_s
            time.sleep(0.05)
        platform.settle()
