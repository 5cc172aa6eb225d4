"""Releases side by side: this one reads yesterday's records, and tomorrow's with more fields; records of a newer version it leaves alone.

`tests/records/chat.json` is a chat as a release wrote it. Do not write it anew when a record changes: it stands for what is stored already.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.errors import UnknownRecordVersionError
from tests.support import recorded
from tests.support.pushed import PushedWorker, UnreliableStore

RECORDS = Path(__file__).parents[3] / "records" / "chat.json"
CHAT: dict[str, Any] = json.loads(RECORDS.read_text(encoding="utf-8"))
YESTERDAYS_MESSAGE = "100001"
TAKEN_BACK: dict[str, Any] = {
    f"amended/{recorded.USER}/000000000000001.withdrawal.100000.0.json": {
        "version": 1,
        "kind": "withdrawal",
        "id": "100000",
        "timestamp_ms": 1,
        "withdrawn_ids": ["100000"],
    },
    f"amended/{recorded.USER}/~fold.json": {"version": 1, "events": []},
    f"erased/{recorded.USER}.json": {"version": 1, "timestamp_ms": 0, "entries_ms": 0},
}
KINDS = sorted({name.split("/")[0] for name in (*CHAT, *TAKEN_BACK)})


def worker_after(pool: ThreadPoolExecutor, chat: dict[str, Any]) -> PushedWorker:
    """Return this release's worker on the bucket of another release."""
    store = UnreliableStore()
    for name, record in chat.items():
        store.create(name, json.dumps(record).encode())
    return PushedWorker(pool, store=store)


def objects_of(store: UnreliableStore) -> dict[str, bytes]:
    stored = {listed.name: store.read(listed.name) for listed in store.list("")}
    return {name: one.data for name, one in stored.items() if one is not None}


def of_tomorrow(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "added_tomorrow": {"deep": [1, "two", None]}}


@pytest.mark.parametrize("change", [dict, of_tomorrow], ids=["yesterday", "tomorrow, with more fields"])
def test_a_chat_of_another_release_goes_on(pool: ThreadPoolExecutor, change: Any) -> None:  # noqa: ANN401 - a function of records
    worker = worker_after(pool, {name: change(record) for name, record in CHAT.items()})

    status = worker.deliver(recorded.event("message-text"), thinks=[calling(("reply", {"message": "It is green."}))])

    assert status == 204
    assert "my bicycle is green" in worker.prompt()
    assert "They spoke of the weather." in worker.prompt()
    assert worker.said == ["It is green."]


@pytest.mark.parametrize("change", [dict, of_tomorrow], ids=["yesterday", "tomorrow, with more fields"])
def test_words_of_another_release_are_withdrawn(pool: ThreadPoolExecutor, change: Any) -> None:  # noqa: ANN401 - a function of records
    worker = worker_after(pool, {name: change(record) for name, record in CHAT.items()})

    worker.withdraw(recorded.USER, YESTERDAYS_MESSAGE, timestamp_ms=worker.clock.now_ms())

    assert b"bicycle" not in b"".join(objects_of(worker.store).values())


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_of_a_newer_version_is_neither_lost_nor_changed(pool: ThreadPoolExecutor, kind: str) -> None:
    newer = {
        name: {**record, "version": record["version"] + 1} if name.startswith(f"{kind}/") else record
        for name, record in (CHAT | TAKEN_BACK).items()
    }
    worker = worker_after(pool, newer)
    before = {name: data for name, data in objects_of(worker.store).items() if name.startswith(f"{kind}/")}
    message = recorded.event("message-text")

    status = worker.deliver(message, thinks=[calling(("reply", {"message": "Never said."}))])

    assert status == 500
    assert worker.said == []
    assert before.items() <= objects_of(worker.store).items()


@pytest.mark.parametrize("kind", KINDS)
def test_an_unsend_that_meets_a_newer_record_is_not_done_and_fails(pool: ThreadPoolExecutor, kind: str) -> None:
    newer = {
        name: {**record, "version": record["version"] + 1} if name.startswith(f"{kind}/") else record
        for name, record in (CHAT | TAKEN_BACK).items()
    }
    worker = worker_after(pool, newer)

    with pytest.raises(UnknownRecordVersionError):
        worker.withdraw(recorded.USER, YESTERDAYS_MESSAGE, timestamp_ms=worker.clock.now_ms())
