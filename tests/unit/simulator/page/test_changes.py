"""The trace, the switches, and the stream of changes."""

import asyncio
import random
from typing import Any

import httpx2

from simulator.line.harness import LineHarness
from simulator.notion.api import NotionStandIn
from simulator.notion.lists import add_default_databases
from simulator.notion.workspace import Workspace
from simulator.page.app import page_routes
from simulator.trace.trace import Trace
from tests.unit.simulator.page.requests import ABOUT, act, ask, state


def test_the_state_has_the_event_ids_of_each_message(line: LineHarness) -> None:
    said = act(line, "say", text="hello").json()
    line.reply(line.platform.events[-1].reply_token, "hi", "how are you?")
    unsent = act(line, "unsend", line_message_id=said["line_message_id"]).json()

    asked, *answers = state(line)["chats"][0]["entries"]
    assert asked["webhook_event_ids"] == [said["webhook_event_id"], unsent["webhook_event_id"]]
    assert [answer["webhook_event_ids"] for answer in answers] == [[said["webhook_event_id"]]] * 2


def test_the_trace_of_an_event_has_times_since_it_was_sent(line: LineHarness) -> None:
    now_ms = iter((1_000, 1_030))
    trace = Trace(now_ms=lambda: next(now_ms))
    trace.record_line_event("event_created", {"webhook_event_id": "E1", "type": "message"})
    trace.record_line_event("webhook_refused", {"webhook_event_id": "E1", "status": 503, "duration_ms": 20})

    told = ask(line, "GET", "/simulator/trace/E1", trace=trace)

    assert told.headers["cache-control"] == "no-store"
    created, refused = told.json()["steps"]
    assert told.json()["type"] == "message"
    assert (created["since_ms"], created["is_failed"]) == (0, False)
    assert refused == {
        "name": "webhook_refused",
        "part": "LINE",
        "since_ms": 10,
        "details": {"status": 503, "duration_ms": 20},
        "is_failed": True,
        "is_repeated": False,
    }


def test_an_event_of_an_earlier_run_has_no_steps(line: LineHarness) -> None:
    told = ask(line, "GET", "/simulator/trace/01FZ74A0TDDPYRVKNK77XKC3ZR")

    assert (told.status_code, told.json()) == (200, {"type": None, "steps": []})


def test_one_switch_changes_and_the_others_stay(line: LineHarness) -> None:
    ask(line, "POST", "/simulator/switches", json={"redelivers": True})
    answer = ask(line, "POST", "/simulator/switches", json={"duplicates": 2})

    assert (answer.json()["redelivers"], answer.json()["duplicates"]) == (True, 2)
    assert line.platform.switches.duplicates == 2


def test_the_stream_reports_changes_and_removes_its_listeners_at_its_end(line: LineHarness) -> None:
    trace = Trace(now_ms=line.platform.now_ms)

    async def listen() -> list[bytes]:
        received: list[bytes] = []
        heard = asyncio.Event()
        hung_up = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await hung_up.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            received.append(message.get("body", b""))
            heard.set()

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/simulator/events",
            "headers": [],
            "query_string": b"",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
        }
        app = line.platform.app_with(page_routes(line.platform, ABOUT, trace))
        stream = asyncio.create_task(app(scope, receive, send))  # type: ignore[arg-type]  # narrower than ASGI's own types
        while b"changed" not in b"".join(received):
            heard.clear()
            await heard.wait()
        line.platform.say(line.user_id, line.user_id, "hello")
        while b"".join(received).count(b"event: changed") < 2:
            heard.clear()
            await heard.wait()
        told_before = b"".join(received).count(b"event: traced")
        trace.record_line_event("event_created", {"webhook_event_id": "E1", "type": "message"})
        while b"".join(received).count(b"event: traced") == told_before:
            heard.clear()
            await heard.wait()
        hung_up.set()
        await stream
        await line.platform.wait_until_settled()
        return received

    line.run(asyncio.wait_for(listen(), 5))

    assert len(line.platform._listeners) == 0  # noqa: SLF001 - that nobody is left is the point
    assert len(trace._listeners) == 0  # noqa: SLF001 - likewise


def test_the_state_has_the_lists_and_the_stream_their_changes(line: LineHarness) -> None:
    workspace = Workspace(rng=random.Random(1), now_ms=line.platform.now_ms)
    add_default_databases(workspace)
    desk = NotionStandIn(workspace, token="token", monotonic_s=lambda: 0.0)
    routes = page_routes(line.platform, ABOUT, Trace(now_ms=line.platform.now_ms), workspace)
    changes: list[str] = []
    workspace.listen(lambda: changes.append("changed"))

    async def added() -> dict[str, Any]:
        source_id = next(iter(workspace.data_sources))
        body = {
            "parent": {"data_source_id": source_id},
            "properties": {"品名": {"title": [{"text": {"content": "牛乳"}}]}, "数量": {"number": 2}},
        }
        headers = {"Authorization": "Bearer token", "Notion-Version": "2025-09-03"}
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=desk.app), base_url="http://n.test") as client:
            assert (await client.post("/v1/pages", json=body, headers=headers)).status_code == 200
        transport = httpx2.ASGITransport(app=line.platform.app_with(routes))
        async with httpx2.AsyncClient(transport=transport, base_url="http://page.test") as client:
            return dict((await client.get("/simulator/state")).json())

    shopping, todo = line.run(added())["lists"]

    assert (shopping["title"], todo["title"]) == ("買い物リスト", "やることリスト")
    assert [(page["title"], page["is_done"], page["values"]) for page in shopping["pages"]] == [
        ("牛乳", False, ["数量: 2"])
    ]
    assert changes == ["changed"]
