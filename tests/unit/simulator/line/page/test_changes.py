"""The trace, the switches, and the stream of changes."""

import asyncio
from typing import Any

from simulator.line.harness import LineHarness
from simulator.line.page.app import page_routes
from simulator.panels.stack_panel import StackParts, stack_panel
from simulator.trace.trace import Trace
from tests.unit.simulator.line.page.requests import ABOUT, act, ask, state


def test_the_state_has_the_event_ids_of_each_message(line: LineHarness) -> None:
    said = act(line, "say", text="hello").json()
    line.reply(line.platform.events[-1].reply_token, "hi", "how are you?")
    unsent = act(line, "unsend", line_message_id=said["line_message_id"]).json()

    asked, *answers = state(line)["chats"][0]["entries"]
    assert asked["webhook_event_ids"] == [said["webhook_event_id"], unsent["webhook_event_id"]]
    assert [answer["webhook_event_ids"] for answer in answers] == [[said["webhook_event_id"]]] * 2


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
        app = line.platform.app_with(
            page_routes(line.platform, ABOUT, [stack_panel(StackParts(platform=line.platform, trace=trace))])
        )
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
