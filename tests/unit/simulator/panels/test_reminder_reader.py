import asyncio
import json
from typing import Any

import pytest

from simulator.line.harness import LineHarness
from simulator.panels.reminder_reader import ReminderReader
from simulator.panels.stack_panel import StackParts, stack_panel
from simulator.trace.trace import Trace
from tests.unit.simulator.line.page.requests import ask
from tests.unit.simulator.panels.test_knowledge_reader import Bucket, reader_of


def record(name: str, **changes: Any) -> str:  # noqa: ANN401 - fields of the record
    known = {"id": name, "kind": "text", "text": "薬", "rule": None, "zone": "Asia/Tokyo", "state": "open"}
    return json.dumps({**known, "due_ms": 2_000, "kept_ms": None, "provenance": {}, **changes})


def due_in(objects: dict[str, str], chat_id: str) -> list[dict[str, Any]]:
    async def asked() -> list[dict[str, Any]]:
        reader = reader_of(Bucket(objects))
        try:
            return await ReminderReader(reader).of(chat_id)
        finally:
            await reader.close()

    return asyncio.run(asked())


def test_what_is_open_is_listed_the_next_one_first() -> None:
    objects = {
        "reminders/U1/ra.json": record("ra"),
        "reminders/U1/rb.json": record("rb", due_ms=1_000, rule="FREQ=DAILY"),
        "reminders/U1/rc.json": record("rc", due_ms=None, kept_ms=500),
        "reminders/U1/rd.json": record("rd", state="done", due_ms=None),
        "reminders/U1/re.json": "{",
        "reminders/U2/rf.json": record("rf"),
    }

    found = due_in(objects, "U1")

    assert [(one["id"], one["next_ms"], one["rule"], one["waits"]) for one in found] == [
        ("rc", 500, None, True),
        ("rb", 1_000, "FREQ=DAILY", False),
        ("ra", 2_000, None, False),
    ]
    assert "provenance" not in found[0]
    assert due_in(objects, "U3") == []


@pytest.mark.parametrize(("name", "times"), [("reminders/U1/ra.json", 1), ("entries/U1/index.md", 0)])
def test_listeners_hear_of_writes_to_reminders(name: str, times: int) -> None:
    reader, heard = ReminderReader(reader_of(Bucket({}))), list[str]()
    reader.listen(lambda: heard.append(name))

    reader.record_storage_call("storage_called", {"operation": "insert", "name": name})
    reader.record_storage_call("storage_called", {"operation": "media", "name": name})

    assert len(heard) == times


def test_a_page_without_a_bucket_lists_nothing_and_knows_no_other_chat(line: LineHarness) -> None:
    panel = stack_panel(StackParts(platform=line.platform, trace=Trace(now_ms=line.platform.now_ms)))

    assert ask(line, "GET", f"/simulator/due/{line.user_id}", panels=[panel]).json() == {"reminders": []}
    assert ask(line, "GET", "/simulator/due/U2", panels=[panel]).status_code == 404
