import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.records import OutcomeRecord
from shared.errors import StorageUnavailableError
from shared.features.stored_features import writer_of
from shared.knowledge.index import index_file
from shared.storage.codec import decode, encode
from shared.storage.object_store import ListedObject
from tests.support import schemas
from tests.support.knowledge import FilingChat, FilingTurn, OpenLease, StallingStore, found, message

Change = Callable[[FilingTurn], object]


class EndingLease:
    """A lease that ends after so many checks."""

    def __init__(self, *, checks: int) -> None:
        self._checks = checks

    @property
    def is_over(self) -> bool:
        self._checks -= 1
        return self._checks < 0


def capture(turn: FilingTurn) -> object:
    return turn.call("classify_and_capture", text="別件")


CHANGES: dict[str, Change] = {
    "capture": capture,
    "update": lambda turn: turn.call("update_entry", path="projects/庭の工事.md", updates={"status": "done"}),
    "move": lambda turn: turn.call("move_entry", path="projects/庭の工事.md", targetCategory="ideas"),
    "delete": lambda turn: turn.call("delete_entry", path="projects/庭の工事.md"),
    "undo": lambda turn: turn.call("undo_last_change"),
    "capture and move": lambda turn: (capture(turn), CHANGES["move"](turn)),
}


def chat_with_entry() -> FilingChat:
    chat = FilingChat()
    chat.file("庭の工事")
    return chat


def stage(chat: FilingChat, change: str) -> OutcomeRecord:
    chat.model.steps = [found(name="別件", category="admin")]
    turn = chat.begin(message(2, "別件"))
    CHANGES[change](turn)
    return turn.outcome()


def snapshot(chat: FilingChat) -> dict[str, str]:
    """Return every object, without the generations in the catalog."""
    found_objects = {one.name: chat.text(one.name) for one in chat.store.list("")}
    name = f"entries/{chat.chat}/search.json"
    catalog = json.loads(found_objects.get(name, '{"rows": []}'))
    for row in catalog["rows"]:
        row["generation"] = 0
    return {**found_objects, name: json.dumps(catalog)}


@pytest.mark.parametrize("change", CHANGES)
def test_writes_that_are_applied_twice_change_nothing_more(change: str) -> None:
    chat = chat_with_entry()
    outcome = stage(chat, change)
    chat.apply(outcome)
    before = {one.name: one.generation for one in chat.store.list("")}

    chat.apply(outcome)

    assert {one.name: one.generation for one in chat.store.list("")} == before


@pytest.mark.parametrize("change", CHANGES)
@given(call=st.integers(0, 14), after_effect=st.booleans())
def test_a_takeover_finishes_the_writes_of_a_dead_worker(change: str, call: int, *, after_effect: bool) -> None:
    calm, interrupted = chat_with_entry(), chat_with_entry()
    calm.apply(stage(calm, change))
    outcome = stage(interrupted, change)

    interrupted.watched.fails_in, interrupted.watched.after_effect = call, after_effect
    try:
        interrupted.apply(outcome)
    except StorageUnavailableError:
        interrupted.apply(outcome)
    interrupted.watched.fails_in = None

    assert snapshot(interrupted) == snapshot(calm)


@pytest.mark.parametrize("change", CHANGES)
@given(checks=st.integers(0, 2))
def test_a_worker_whose_lease_ends_stops_and_the_takeover_finishes(change: str, checks: int) -> None:
    calm, late = chat_with_entry(), chat_with_entry()
    calm.apply(stage(calm, change))
    outcome = stage(late, change)
    writer = writer_of()

    assert not writer.apply(late.conversation, outcome, EndingLease(checks=checks))
    if checks < 2:
        catalog = json.loads(late.text(f"entries/{late.chat}/search.json"))
        assert catalog["revision"] == "1.0"  # of the first capture
    assert writer.apply(late.conversation, outcome, OpenLease())

    assert snapshot(late) == snapshot(calm)


def test_a_write_that_a_later_turn_overtook_is_not_applied() -> None:
    chat = chat_with_entry()
    older = stage(chat, "update")
    chat.once("update_entry", path="projects/庭の工事.md", updates={"next_action": "newer"})

    chat.apply(older)

    entry = chat.entry("projects/庭の工事.md")
    assert entry is not None
    assert (entry.status, entry.fields["next_action"]) == ("active", "newer")


@pytest.mark.parametrize("change", ["capture", "update"])
def test_a_stalled_write_brings_back_no_entry_that_a_later_turn_deleted(change: str) -> None:
    store = StallingStore()
    chat = FilingChat(store=store)
    path = chat.file("庭の工事")
    outcome = stage(chat, change)

    def finish_and_delete() -> None:
        chat.apply(outcome)  # by a worker that took over
        chat.once("delete_entry", path="admin/別件.md" if change == "capture" else path)

    store.meanwhile = finish_and_delete
    writer_of().apply(chat.conversation, outcome, OpenLease())

    kept = [path] if change == "capture" else []
    assert chat.paths == kept
    assert [row.path for row in chat.entries.catalog().rows] == kept


def test_a_stalled_deletion_removes_no_entry_that_a_later_turn_filed() -> None:
    store = StallingStore()
    chat = FilingChat(store=store)
    path = chat.file("庭の工事")
    outcome = stage(chat, "delete")

    def finish_and_file_again() -> None:
        chat.apply(outcome)
        assert chat.file("庭の工事") == path

    store.meanwhile = finish_and_file_again
    writer_of().apply(chat.conversation, outcome, OpenLease())

    assert chat.paths == [path]


def tombstones(chat: FilingChat) -> list[str]:
    listed = [one.name.removeprefix(f"entries/{chat.chat}/") for one in chat.entries.list()]
    return [path for path in listed if path not in chat.paths]


def test_a_deletion_leaves_a_tombstone_without_words() -> None:
    chat = FilingChat()
    path = chat.file("庭の工事", message(1, "庭の工事"), next_action="佐藤さんに電話")
    chat.once("delete_entry", path=path)

    assert tombstones(chat) == [path]
    schemas.validator("records/tombstone").validate(json.loads(chat.file_text(path)))
    assert "庭" not in chat.file_text(path)
    assert "佐藤" not in chat.file_text(path)
    assert chat.begin().call("list_entries") == {"entries": [], "total": 0}
    assert chat.begin().call("get_entry", path=path).message == f"Entry not found: {path}"
    assert chat.entries.rebuild_catalog().rows == ()


def test_a_deletion_after_its_entry_was_withdrawn_leaves_nothing() -> None:
    chat = chat_with_entry()
    outcome = stage(chat, "delete")
    chat.store.delete(f"entries/{chat.chat}/projects/庭の工事.md")

    chat.apply(outcome)

    assert tombstones(chat) == []


@pytest.mark.parametrize(("minutes", "is_swept"), [(60, False), (61, True)])
def test_a_write_removes_tombstones_older_than_an_hour(minutes: int, *, is_swept: bool) -> None:
    chat = chat_with_entry()
    chat.apply(replace(stage(chat, "delete"), timestamp_ms=1_000))

    chat.apply(replace(stage(chat, "capture"), timestamp_ms=1_000 + minutes * 60_000))

    assert tombstones(chat) == ([] if is_swept else ["projects/庭の工事.md"])
    assert chat.paths == ["admin/別件.md"]


class SweptStore(MemoryObjectStore):
    """A bucket in which another worker deletes an object between a listing and the reads that follow it."""

    swept = ""

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        listed = super().list(prefix, since=since, before=before)
        if self.swept:
            self.delete(self.swept)
        return listed


def test_a_tombstone_that_another_worker_removes_meanwhile_stops_no_write() -> None:
    store = SweptStore()
    chat = FilingChat(store=store)
    path = chat.file("庭の工事")
    chat.once("delete_entry", path=path)
    store.swept = f"entries/{chat.chat}/{path}"

    chat.apply(stage(chat, "capture"))

    assert chat.paths == ["admin/別件.md"]


def test_a_deletion_that_a_later_turn_overtook_leaves_entry_and_row() -> None:
    chat = chat_with_entry()
    deletion = stage(chat, "delete")
    turn = chat.begin(message(3, "急ぎ"))
    turn.call("update_entry", path="projects/庭の工事.md", updates={"next_action": "newer"})
    assert not writer_of().apply(chat.conversation, turn.outcome(), EndingLease(checks=2))

    chat.apply(deletion)

    assert chat.paths == ["projects/庭の工事.md"]
    assert [row.path for row in chat.entries.catalog().rows] == ["projects/庭の工事.md"]


def test_staged_writes_survive_the_encoding_of_their_outcome() -> None:
    chat = chat_with_entry()
    outcome = stage(chat, "capture and move")
    schemas.validator("records/outcome").validate(json.loads(encode(outcome)))

    chat.apply(decode(OutcomeRecord, encode(outcome)))

    assert chat.paths == ["admin/別件.md", "ideas/庭の工事.md"]


def test_catalog_undo_record_and_index_match_their_schemas() -> None:
    chat = chat_with_entry()
    chat.once("update_entry", path="projects/庭の工事.md", updates={"status": "done"})

    for name in ("search", "undo"):
        schemas.validator(f"records/{name}").validate(json.loads(chat.file_text(f"{name}.json")))
    assert "| [庭の工事](projects/庭の工事.md) |" not in chat.file_text("index.md")  # done
    assert chat.file_text("index.md") == index_file(chat.entries.catalog())


@pytest.mark.parametrize("broken", [b"", b"[]", b'{"version": 1, "revision": "x", "rows": []}'])
def test_an_unreadable_catalog_is_rebuilt_from_the_entries(broken: bytes) -> None:
    chat = chat_with_entry()
    name = f"entries/{chat.chat}/search.json"
    stored = chat.store.read(name)
    assert stored is not None
    chat.store.replace(name, broken, generation=stored.generation)

    assert chat.begin().call("search_entries", query="庭")["total"] == 1
    chat.apply(stage(chat, "capture"))

    assert [row.path for row in chat.entries.catalog().rows] == ["admin/別件.md", "projects/庭の工事.md"]


def test_a_missing_catalog_is_rebuilt_by_the_next_write() -> None:
    chat = chat_with_entry()
    chat.store.delete(f"entries/{chat.chat}/search.json")

    chat.apply(stage(chat, "capture"))

    assert [row.path for row in chat.entries.catalog().rows] == ["admin/別件.md", "projects/庭の工事.md"]


def test_a_turn_without_writes_creates_no_object() -> None:
    chat = FilingChat()

    chat.begin().commit()

    assert chat.store.list("") == ()
