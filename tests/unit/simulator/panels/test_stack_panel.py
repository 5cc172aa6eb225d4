"""The trace and the lists on the page of the local stack."""

import random
from pathlib import Path
from typing import Any

import httpx2
import pytest

from simulator.clock import StackClock
from simulator.gemini.app import GeminiStandIn
from simulator.line.harness import LineHarness
from simulator.line.page.app import page_routes
from simulator.notion.api import NotionStandIn
from simulator.notion.lists import add_default_databases
from simulator.notion.workspace import Workspace
from simulator.panels.stack_panel import STATIC, StackParts, stack_panel
from simulator.time_lapse import TimeLapse
from simulator.trace.trace import Trace
from tests.unit.simulator.line.page.requests import ABOUT, ask


def test_the_trace_of_an_event_has_times_since_it_was_sent(line: LineHarness) -> None:
    now_ms = iter((1_000, 1_030))
    trace = Trace(now_ms=lambda: next(now_ms))
    trace.record_line_event("event_created", {"webhook_event_id": "E1", "type": "message"})
    trace.record_line_event("webhook_refused", {"webhook_event_id": "E1", "status": 503, "duration_ms": 20})

    told = ask(
        line, "GET", "/simulator/trace/E1", panels=[stack_panel(StackParts(platform=line.platform, trace=trace))]
    )

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
    told = ask(
        line,
        "GET",
        "/simulator/trace/01FZ74A0TDDPYRVKNK77XKC3ZR",
        panels=[stack_panel(StackParts(platform=line.platform, trace=Trace(now_ms=line.platform.now_ms)))],
    )

    assert (told.status_code, told.json()) == (200, {"type": None, "steps": []})


def test_the_state_has_the_lists_and_the_stream_their_changes(line: LineHarness) -> None:
    workspace = Workspace(rng=random.Random(1), now_ms=line.platform.now_ms)
    add_default_databases(workspace)
    desk = NotionStandIn(workspace, token="token", monotonic_s=lambda: 0.0)
    routes = page_routes(
        line.platform,
        ABOUT,
        [stack_panel(StackParts(platform=line.platform, trace=Trace(now_ms=line.platform.now_ms), notion=workspace))],
    )
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


def test_the_page_has_the_markup_and_the_files_of_the_panels(line: LineHarness) -> None:
    panels = [stack_panel(StackParts(platform=line.platform, trace=Trace(now_ms=line.platform.now_ms)))]

    page = ask(line, "GET", "/", panels=panels).text

    assert all(name in page for name in ('id="trace"', 'id="filed"', 'id="lists"', "/panels/stack/panel.js"))
    assert "<!-- panels" not in page
    for file in STATIC.iterdir():
        assert ask(line, "GET", f"/panels/stack/{file.name}", panels=panels).status_code == 200


def test_without_panels_the_page_has_neither_traces_nor_lists(line: LineHarness) -> None:
    page = ask(line, "GET", "/").text

    assert not [name for name in ('id="trace"', 'id="filed"', 'id="lists"', "/panels/") if name in page]


def test_every_text_of_the_panels_exists_in_both_languages() -> None:
    def names(language: str) -> list[str]:
        script = (STATIC / f"texts.{language}.js").read_text(encoding="utf-8")
        return [line.strip().split(":")[0] for line in script.splitlines() if line.startswith("  ")]

    assert names("ja") == names("en")
    assert names("ja")


def lapse_on(clock: StackClock, ticks: list[int]) -> TimeLapse:
    async def no_minutes() -> list[str]:
        return []

    async def settle() -> None:
        return None

    return TimeLapse(clock, due_minutes=no_minutes, tick=lambda: ticks.append(clock.offset_ms), settle=settle)


def test_the_switch_moves_the_clock_of_the_stack_and_ticks(line: LineHarness, tmp_path: Path) -> None:
    ticks: list[int] = []
    clock = StackClock(tmp_path / "clock", real_now_ms=lambda: 1_000)
    panel = stack_panel(
        StackParts(platform=line.platform, trace=Trace(now_ms=clock.now_ms), time_lapse=lapse_on(clock, ticks))
    )

    before = ask(line, "GET", "/simulator/state", panels=[panel]).json()["clock"]
    moved = ask(line, "POST", "/simulator/clock", panels=[panel], json={"seconds": 600})
    after = ask(line, "GET", "/simulator/state", panels=[panel]).json()["clock"]

    assert before == {"now_ms": 1_000, "offset_ms": 0}
    assert (moved.status_code, moved.json()) == (200, {"now_ms": 601_000})
    assert after == {"now_ms": 601_000, "offset_ms": 600_000}
    assert ticks == [600_000]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"seconds": 0}', b'{"seconds": "1"}', b'{"seconds": 1e9}', b'{"seconds": NaN}']
)
def test_a_move_out_of_bounds_is_refused(line: LineHarness, tmp_path: Path, body: bytes) -> None:
    clock = StackClock(tmp_path / "clock", real_now_ms=lambda: 1_000)
    panel = stack_panel(
        StackParts(platform=line.platform, trace=Trace(now_ms=clock.now_ms), time_lapse=lapse_on(clock, []))
    )

    assert ask(line, "POST", "/simulator/clock", panels=[panel], content=body).status_code == 400
    assert clock.offset_ms == 0


def test_a_page_without_a_clock_of_its_own_moves_none(line: LineHarness) -> None:
    panel = stack_panel(StackParts(platform=line.platform, trace=Trace(now_ms=line.platform.now_ms)))

    assert ask(line, "GET", "/simulator/state", panels=[panel]).json()["clock"] is None
    assert ask(line, "POST", "/simulator/clock", panels=[panel], json={"seconds": 600}).status_code == 404


def test_the_stand_in_of_the_model_is_slow_as_long_as_the_switch_says(line: LineHarness) -> None:
    gemini = GeminiStandIn()
    panel = stack_panel(StackParts(platform=line.platform, trace=Trace(now_ms=line.platform.now_ms), gemini=gemini))

    slow = ask(line, "POST", "/simulator/model", panels=[panel], json={"seconds": 25})

    assert (slow.status_code, slow.json(), gemini.latency_s) == (200, {"seconds": 25.0}, 25.0)
    assert ask(line, "GET", "/simulator/state", panels=[panel]).json()["model_latency_s"] == 25.0
    assert ask(line, "POST", "/simulator/model", panels=[panel], json={"seconds": 61}).status_code == 400


def test_a_real_model_has_no_switch(line: LineHarness) -> None:
    panel = stack_panel(StackParts(platform=line.platform, trace=Trace(now_ms=line.platform.now_ms)))

    assert ask(line, "GET", "/simulator/state", panels=[panel]).json()["model_latency_s"] is None
    assert ask(line, "POST", "/simulator/model", panels=[panel], json={"seconds": 25}).status_code == 404
