"""What a withdrawal leaves of an entry, and what another category makes of it."""

from dataclasses import replace

import pytest

from shared.conversation.provenance import Provenance
from shared.knowledge.entry import Entry, Note
from shared.knowledge.schema import FIELDS, Category, Value
from tests.support.knowledge import SATO

EMPTIED = replace(SATO, fields={**SATO.fields, "context": ""})
UNNAMED_SOURCE = replace(
    SATO,
    field_message_ids={"context": ("m2",)},
    slug_message_ids=(),
    notes=(),
    provenance=Provenance.of_sources(SATO.provenance.sources[1:2]),
)


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
    assert (rest.name, rest.slug_message_ids) == (name, path_from)
    assert {one.line_message_id for one in rest.provenance.sources} == {"m1", "m2", "m3", "m4"} - {*withdrawn}


@pytest.mark.parametrize(
    ("entry", "withdrawn"), [(SATO, ("m1", "m2", "m3", "m4")), (UNNAMED_SOURCE, ("m2",)), (SATO, ("m9",))]
)
def test_an_entry_of_which_no_message_is_left_goes_and_one_of_other_messages_stays(
    entry: Entry, withdrawn: tuple[str, ...]
) -> None:
    assert without(entry, *withdrawn) == (entry if withdrawn == ("m9",) else None)


def blank(category: Category, **values: Value) -> Entry:
    fields = {one.name: values.get(one.name, one.default) for one in FIELDS[category]}
    return replace(SATO, category=category, fields=fields, field_message_ids={}, notes=())


@pytest.mark.parametrize(
    ("entry", "target", "values", "remarks"),
    [
        (blank(Category.PEOPLE, name="Sato", tags=("tea",)), Category.IDEAS, {"name": "Sato", "tags": ("tea",)}, []),
        (
            blank(Category.PEOPLE, name="Sato", context="likes tea", follow_ups=("call", "a gift")),
            Category.PROJECTS,
            {"name": "Sato"},
            ["context: likes tea", "follow_ups: call, a gift"],
        ),
        (blank(Category.PROJECTS, name="Roof", status="done"), Category.ADMIN, {"name": "Roof", "status": "done"}, []),
        (
            blank(Category.PROJECTS, name="Roof", status="blocked"),
            Category.ADMIN,
            {"name": "Roof"},
            ["status: blocked"],
        ),
        (blank(Category.PROJECTS, name="Roof"), Category.ADMIN, {"name": "Roof"}, []),
        (
            blank(Category.INBOX, suggested_name="Roof", original_text="the roof", suggested_category="admin"),
            Category.PROJECTS,
            {"name": "Roof"},
            ["the roof"],
        ),
        (blank(Category.IDEAS, name="Kites"), Category.INBOX, {"suggested_name": "Kites"}, []),
    ],
)
def test_an_entry_keeps_the_values_that_its_other_category_takes_and_the_others_as_notes(
    entry: Entry, target: Category, values: dict[str, Value], remarks: list[str]
) -> None:
    moved = entry.in_category(target, slug="elsewhere")

    assert moved.path == f"{target}/elsewhere.md"
    assert moved.fields == blank(target, **values).fields
    assert [note.text for note in moved.notes] == remarks


def test_a_value_and_a_note_in_another_category_came_from_the_same_messages() -> None:
    moved = SATO.in_category(Category.PROJECTS, slug="sato")

    assert moved.field_message_ids == {"name": ("m1",)}
    assert moved.notes == (
        Note(text="moved to Osaka", message_ids=("m4",)),
        Note(text="context: likes tea", message_ids=("m2",)),
        Note(text="follow_ups: call, a gift", message_ids=("m3",)),
    )
    assert moved.provenance.sources == SATO.provenance.sources


def test_a_field_without_a_known_source_has_none_in_another_category() -> None:
    moved = replace(SATO, field_message_ids={"context": ("m2",)}).in_category(Category.IDEAS, slug="sato")

    assert moved.field_message_ids == {}


def test_the_words_of_an_entry_are_those_of_its_fields_and_notes_each_item_of_a_list_by_itself() -> None:
    assert SATO.texts == ("Sato", "likes tea", "call", "a gift", "", "moved to Osaka")
