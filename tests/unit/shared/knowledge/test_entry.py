"""What a withdrawal leaves of an entry."""

from dataclasses import replace

import pytest

from shared.knowledge.entry import Entry, Note, Source
from shared.knowledge.schema import Category

SATO = Entry(
    category=Category.PEOPLE,
    slug="sato",
    id="sato",
    created_at="2026-11-20T10:00:00+09:00",
    updated_at="2026-11-21T10:00:00+09:00",
    confidence=0.9,
    fields={
        "name": "Sato",
        "context": "likes tea",
        "follow_ups": ("call", "a gift"),
        "related_projects": (),
        "last_touched": None,
        "tags": (),
    },
    came_from={"name": ("m1",), "context": ("m2",), "follow_ups": ("m3",)},
    path_from=("m1",),
    notes=(Note(text="moved to Osaka", came_from=("m4",)),),
    sources=tuple(Source(line_message_id=f"m{number}", timestamp_ms=number) for number in range(1, 5)),
)
EMPTIED = replace(SATO, fields={**SATO.fields, "context": ""})
UNNAMED_SOURCE = replace(SATO, came_from={"context": ("m2",)}, path_from=(), notes=(), sources=SATO.sources[1:2])


def without(entry: Entry, *withdrawn: str) -> Entry | None:
    return entry.without(lambda line_message_id, _: line_message_id in withdrawn)


@pytest.mark.parametrize(
    ("entry", "withdrawn", "name", "path_from"),
    [
        (SATO, ("m2",), "Sato", ("m1",)),
        (SATO, ("m1",), "likes tea", ()),
        (SATO, ("m1", "m2"), "call, a gift", ()),
        (SATO, ("m1", "m2", "m3"), "moved to Osaka", ()),
        (EMPTIED, ("m1",), "call, a gift", ()),
    ],
)
def test_an_entry_that_loses_its_name_is_named_after_the_first_text_that_is_left(
    entry: Entry, withdrawn: tuple[str, ...], name: str, path_from: tuple[str, ...]
) -> None:
    rest = without(entry, *withdrawn)

    assert rest is not None
    assert (rest.name, rest.path_from) == (name, path_from)
    assert {one.line_message_id for one in rest.sources} == {"m1", "m2", "m3", "m4"} - {*withdrawn}


@pytest.mark.parametrize(
    ("entry", "withdrawn"), [(SATO, ("m1", "m2", "m3", "m4")), (UNNAMED_SOURCE, ("m2",)), (SATO, ("m9",))]
)
def test_an_entry_of_which_no_message_is_left_goes_and_one_of_other_messages_stays(
    entry: Entry, withdrawn: tuple[str, ...]
) -> None:
    assert without(entry, *withdrawn) == (entry if withdrawn == ("m9",) else None)
