import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.conversation.records import OutcomeRecord
from shared.errors import StorageUnavailableError
from shared.knowledge.index import index_file
from shared.storage.codec import decode, encode
from tests.support import schemas
from tests.support.knowledge import FilingChat, FilingTurn, found, message

Change = Callable[[FilingTurn], object]


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


def filed() -> FilingChat:
    chat = FilingChat()
    chat.file("庭の工事")
    return chat


def staged(chat: FilingChat, change: str) -> OutcomeRecord:
    chat.model.steps = [found(name="別件", category="admin")]
    turn = chat.begin(message(2, "別件"))
    CHANGES[change](turn)
    return turn.outcome()


def snapshot(chat: FilingChat) -> dict[str, str]:
    """Return every object, without the generations that rows know."""
    found_objects = {one.name: chat.text(one.name) for one in chat.store.list("")}
    name = f"entries/{chat.chat}/search.json"
    catalog = json.loads(found_objects.get(name, '{"rows": []}'))
    for row in catalog["rows"]:
        row["generation"] = 0
    return {**found_objects, name: json.dumps(catalog)}


@pytest.mark.parametrize("change", CHANGES)
def test_writes_are_made_once_however_often_they_are_applied(change: str) -> None:
    chat = filed()
    outcome = staged(chat, change)
    chat.writes.apply(chat.chat, outcome)
    before = {one.name: one.generation for one in chat.store.list("")}

    chat.writes.apply(chat.chat, outcome)

    assert {one.name: one.generation for one in chat.store.list("")} == before


@pytest.mark.parametrize("change", CHANGES)
@given(call=st.integers(0, 14), after_effect=st.booleans())
def test_whoever_takes_over_after_a_death_finishes_the_writes(change: str, call: int, *, after_effect: bool) -> None:
    calm, interrupted = filed(), filed()
    calm.writes.apply(calm.chat, staged(calm, change))
    outcome = staged(interrupted, change)

    interrupted.watched.fails_in, interrupted.watched.after_effect = call, after_effect
    try:
        interrupted.writes.apply(interrupted.chat, outcome)
    except StorageUnavailableError:
        interrupted.writes.apply(interrupted.chat, outcome)
    interrupted.watched.fails_in = None

    assert snapshot(interrupted) == snapshot(calm)


@pytest.mark.parametrize("change", CHANGES)
@given(asked=st.integers(0, 2))
def test_a_holder_whose_lease_is_over_writes_nothing_more_and_whoever_takes_over_finishes(
    change: str, asked: int
) -> None:
    calm, late = filed(), filed()
    calm.writes.apply(calm.chat, staged(calm, change))
    outcome = staged(late, change)
    answers = iter([False] * asked)

    assert not late.writes.apply(late.chat, outcome, is_over=lambda: next(answers, True))
    catalog = json.loads(late.text(f"entries/{late.chat}/search.json"))
    assert catalog["revision"] == "1.1"  # as it was filed before
    assert late.writes.apply(late.chat, outcome)

    assert snapshot(late) == snapshot(calm)


def test_a_write_that_a_later_turn_overtook_is_left_alone() -> None:
    chat = filed()
    older = staged(chat, "update")
    chat.once("update_entry", path="projects/庭の工事.md", updates={"next_action": "newer"})

    chat.writes.apply(chat.chat, older)

    entry = chat.entry("projects/庭の工事.md")
    assert entry is not None
    assert (entry.status, entry.fields["next_action"]) == ("active", "newer")


def test_an_outcome_survives_being_stored_between_commit_and_apply() -> None:
    chat = filed()
    outcome = staged(chat, "capture and move")
    schemas.validator("records/outcome").validate(json.loads(encode(outcome)))

    chat.writes.apply(chat.chat, decode(OutcomeRecord, encode(outcome)))

    assert chat.paths == ["admin/別件.md", "ideas/庭の工事.md"]


def test_what_is_made_from_the_entries_is_as_its_schemas_say() -> None:
    chat = filed()
    chat.once("update_entry", path="projects/庭の工事.md", updates={"status": "done"})

    for name in ("search", "undo"):
        schemas.validator(f"records/{name}").validate(json.loads(chat.file_text(f"{name}.json")))
    assert "| [庭の工事](projects/庭の工事.md) |" not in chat.file_text("index.md")  # done
    assert chat.file_text("index.md") == index_file(chat.entries.catalog(chat.chat))


@pytest.mark.parametrize("broken", [b"", b"[]", b'{"version": 1, "revision": "x", "rows": []}'])
def test_a_catalog_that_cannot_be_read_is_made_anew_from_the_entries(broken: bytes) -> None:
    chat = filed()
    name = f"entries/{chat.chat}/search.json"
    stored = chat.store.read(name)
    assert stored is not None
    chat.store.replace(name, broken, generation=stored.generation)

    assert chat.begin().call("search_entries", query="庭")["total"] == 1
    chat.writes.apply(chat.chat, staged(chat, "capture"))

    assert [row.path for row in chat.entries.catalog(chat.chat).rows] == ["admin/別件.md", "projects/庭の工事.md"]


def test_a_lost_catalog_is_made_anew_by_the_next_write() -> None:
    chat = filed()
    chat.store.delete(f"entries/{chat.chat}/search.json")

    chat.writes.apply(chat.chat, staged(chat, "capture"))

    assert [row.path for row in chat.entries.catalog(chat.chat).rows] == ["admin/別件.md", "projects/庭の工事.md"]


def test_no_write_no_object() -> None:
    chat = FilingChat()

    chat.begin().commit()

    assert chat.store.list("") == ()
