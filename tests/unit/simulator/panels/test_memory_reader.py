import asyncio
import datetime as dt
import json
from typing import Any

import httpx2
import pytest

from simulator.line.harness import LineHarness
from simulator.line.page.app import page_routes
from simulator.panels.memory_reader import LINES_SHOWN, MemoryReader
from simulator.panels.stack_panel import StackParts, stack_panel
from simulator.trace.trace import Trace
from tests.unit.simulator.panels.test_knowledge_reader import Bucket, reader_of

TOKYO = dt.timezone(dt.timedelta(hours=9))
YUKI = "U" + "1" * 32


def message(number: int, text: str, at: str) -> dict[str, Any]:
    moment = dt.datetime.fromisoformat(at).replace(tzinfo=TOKYO)
    return {
        "version": 1,
        "line_message_id": f"m{number}",
        "timestamp_ms": int(moment.timestamp() * 1_000),
        "text": text,
        "user_id": YUKI,
    }


def outcome(number: int, text: str | None, at: str, kind: str = "replied") -> dict[str, Any]:
    made = message(number, "", at)
    del made["line_message_id"], made["user_id"]
    return {**made, "webhook_event_id": f"e{number}", "kind": kind, "text": text}


OBJECTS = {
    "archive/C1/1-2-1-ab.json": json.dumps(
        {
            "messages": [message(1, "湊旅館にした", "2026-06-03 12:00")],
            "answers": [outcome(0, "了解です", "2026-06-03 12:00")],
        }
    ),
    "snapshots/C1.json": json.dumps(
        {
            "messages": [message(3, "おはよう", "2026-11-21 08:00")],
            "outcomes": [outcome(3, "隠れた返事", "2026-11-21 08:01", kind="stored")],
            "leaving": {"messages": [message(2, "レシート", "2026-11-01 00:30")]},
        }
    ),
    "journal/C1/m3.json": json.dumps(message(3, "おはよう", "2026-11-21 08:00")),
    "journal/C1/e4.outcome.json": json.dumps(outcome(4, None, "2026-11-21 09:00")),
    "journal/C2/m9.json": json.dumps(message(9, "secret", "2026-11-21 08:00")),
}


def read(bucket: Bucket, chat_id: str = "C1", **wanted: str) -> dict[str, Any]:
    async def asked() -> dict[str, Any]:
        reader = reader_of(bucket)
        try:
            return await MemoryReader(reader, time_zone=TOKYO).of(chat_id, **wanted)
        finally:
            await reader.close()

    return asyncio.run(asked())


def test_months_count_each_message_and_sent_answer_once() -> None:
    months = [{"month": "2026-11", "count": 2}, {"month": "2026-06", "count": 2}]

    assert read(Bucket(OBJECTS)) == {"months": months, "lines": [], "left_out": 0}


def test_the_lines_of_a_month_stand_in_order() -> None:
    assert read(Bucket(OBJECTS), month="2026-06")["lines"] == [
        {"at": "2026-06-03 12:00", "user_id": YUKI, "text": "湊旅館にした"},
        {"at": "2026-06-03 12:00", "user_id": None, "text": "了解です"},
    ]


@pytest.mark.parametrize(("query", "found"), [("旅館", ["湊旅館にした"]), ("ﾚｼｰﾄ", ["レシート"]), ("secret", [])])
def test_a_search_finds_words_of_every_month_in_this_chat(query: str, found: list[str]) -> None:
    assert [one["text"] for one in read(Bucket(OBJECTS), query=query)["lines"]] == found


def test_the_newest_lines_are_shown_and_the_others_counted() -> None:
    many = {"messages": [message(one, f"line {one}", "2026-06-03 12:00") for one in range(LINES_SHOWN + 2)]}

    found = read(Bucket({"archive/C1/1-2-1-ab.json": json.dumps(many)}), query="line")

    assert (len(found["lines"]), found["left_out"]) == (LINES_SHOWN, 2)


def test_a_chat_of_which_nothing_is_stored_has_no_months() -> None:
    assert read(Bucket(OBJECTS), "C3") == {"months": [], "lines": [], "left_out": 0}


@pytest.mark.parametrize(
    ("operation", "name", "times"),
    [("insert", "archive/C1/x.json", 1), ("delete", "journal/C1/m1.json", 1), ("media", "journal/C1/m1.json", 0),
     ("insert", "entries/C1/a.md", 0)],
)  # fmt: skip
def test_listeners_hear_of_writes_of_what_was_said(operation: str, name: str, times: int) -> None:
    memory, heard = MemoryReader(reader_of(Bucket({}))), list[str]()
    memory.listen(lambda: heard.append(name))

    memory.record_storage_call("storage_called", {"operation": operation, "name": name})

    assert len(heard) == times


def test_the_page_shows_names_and_knows_its_own_chats_only(line: LineHarness) -> None:
    chat_id = line.user_id
    said = {**message(1, "<b>hi</b>", "2026-06-03 12:00"), "user_id": chat_id}
    bucket = Bucket({f"journal/{chat_id}/m1.json": json.dumps(said)})

    async def asked() -> list[tuple[int, Any]]:
        panel = stack_panel(
            StackParts(
                platform=line.platform,
                trace=Trace(now_ms=line.platform.now_ms),
                memory=MemoryReader(reader_of(bucket), time_zone=TOKYO),
            )
        )
        transport = httpx2.ASGITransport(app=line.platform.app_with(page_routes(line.platform, {}, [panel])))
        async with httpx2.AsyncClient(transport=transport, base_url="http://page.test") as client:
            paths = (f"{chat_id}?month=2026-06", "C2?month=2026-06")
            answers = [await client.get(f"/simulator/memory/{path}") for path in paths]
        return [(one.status_code, one.json()) for one in answers]

    shown, refused = line.run(asked())

    name = line.platform.people[chat_id].display_name
    assert shown[1]["lines"] == [{"at": "2026-06-03 12:00", "who": name, "text": "<b>hi</b>"}]
    assert refused[0] == 404
