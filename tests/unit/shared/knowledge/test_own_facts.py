"""What entries hold of one person's words, and an entry without one of these facts."""

from dataclasses import replace

import pytest

from shared.conversation.provenance import Provenance, Source
from shared.knowledge.entry import Entry
from shared.knowledge.own_facts import facts_of, without_fact
from tests.support.knowledge import SATO

STAMP = "2026-11-23T10:00:00+09:00"
TOLD = replace(
    SATO,
    field_message_ids={**SATO.field_message_ids, "context": ("m2", "m5")},
    provenance=Provenance.of_sources(
        tuple(Source(line_message_id=f"m{number}", timestamp_ms=number * 1_000) for number in range(1, 6))
    ),
)
NAME_ONLY = replace(TOLD, fields={**TOLD.fields, "context": ""}, field_message_ids={"name": ("m1",)}, notes=())


@pytest.mark.parametrize(
    ("own", "facts"),
    [
        (
            {"m1", "m2", "m3", "m4", "m5"},
            [("likes tea", 5_000), ("call, a gift", 3_000), ("moved to Osaka", 4_000)],
        ),
        ({"m2"}, [("likes tea", 2_000)]),
        ({"m1"}, [("Sato", 1_000)]),
        ({"m9"}, []),
        (set(), []),
    ],
)
def test_facts_are_what_came_from_own_messages_and_the_name_only_where_there_is_nothing_else(
    own: set[str], facts: list[tuple[str, int]]
) -> None:
    found = [*facts_of(TOLD, own.__contains__)]

    assert [(one.text, one.said_ms) for one in found] == facts
    assert all(one.message_ids <= own for one in found)


def test_an_emptied_field_is_no_fact() -> None:
    emptied = replace(TOLD, field_message_ids={"last_touched": ("m5",)}, notes=())

    assert [*facts_of(emptied, lambda _: True)] == []


def test_what_came_from_a_message_of_unknown_time_is_no_fact() -> None:
    unknown = replace(TOLD, provenance=Provenance.of_sources(()))

    assert [*facts_of(unknown, lambda _: True)] == []


@pytest.mark.parametrize(
    ("fact", "name", "left", "ids"),
    [("TEA", "context", "", {"m2", "m5"}), ("a gift", "follow_ups", (), {"m3"})],
)
def test_a_field_that_holds_the_fact_gets_its_default(fact: str, name: str, left: object, ids: set[str]) -> None:
    rest, gone = without_fact(TOLD, fact, stamp=STAMP)

    assert rest is not None
    assert (rest.fields, rest.updated_at) == ({**TOLD.fields, name: left}, STAMP)
    assert rest.field_message_ids == {
        one: came_from for one, came_from in TOLD.field_message_ids.items() if one != name
    }
    assert rest.notes == TOLD.notes
    assert gone == ids
    assert {one.line_message_id for one in rest.provenance.sources} == {"m1", "m2", "m3", "m4", "m5"} - ids


def test_a_note_that_holds_the_fact_goes() -> None:
    rest, gone = without_fact(TOLD, "osaka", stamp=STAMP)

    assert rest is not None
    assert (rest.fields, rest.notes, gone) == (TOLD.fields, (), frozenset({"m4"}))


@pytest.mark.parametrize(
    ("entry", "fact", "ids"),
    [
        (TOLD, "Sato", {"m1"}),
        (replace(NAME_ONLY, notes=TOLD.notes), "Osaka", {"m4"}),
        (replace(TOLD, field_message_ids={"context": ("m2",)}, notes=()), "likes tea", {"m2"}),
    ],
)
def test_an_entry_that_loses_its_name_or_all_but_its_name_goes(entry: Entry, fact: str, ids: set[str]) -> None:
    assert without_fact(entry, fact, stamp=STAMP) == (None, frozenset(ids))


@pytest.mark.parametrize("entry", [TOLD, NAME_ONLY])
def test_an_entry_that_does_not_hold_the_fact_loses_nothing(entry: Entry) -> None:
    rest, gone = without_fact(entry, "coffee", stamp=STAMP)

    assert rest is not None
    assert (rest.fields, rest.field_message_ids, rest.notes) == (entry.fields, entry.field_message_ids, entry.notes)
    assert gone == frozenset()
