"""The catalog: rows of entries, and what of them is shown."""

from dataclasses import replace

import pytest

from shared.conversation.provenance import Provenance, Source
from shared.knowledge.catalog import Catalog, Row, catalog_of, row_of, search_texts
from shared.knowledge.entry import Entry, Note
from shared.knowledge.schema import Category


def entry(slug: str = "garden", **fields: str) -> Entry:
    return Entry(
        category=Category.PROJECTS,
        slug=slug,
        id=slug,
        created_at="2026-11-20T10:00:00+09:00",
        updated_at="2026-11-21T10:00:00+09:00",
        confidence=0.9,
        fields={"name": slug, "status": "active", "next_action": "", **fields},
        notes=(Note(text="a fence"),),
        provenance=Provenance.of_sources((Source(line_message_id=f"m-{slug}", timestamp_ms=5),)),
        revision=(3, 1),
    )


def row(slug: str = "garden", **fields: str) -> Row:
    return row_of(entry(slug, **fields))


@pytest.mark.parametrize(
    ("status", "expected"), [("active", True), ("waiting", True), ("done", False), ("someday", False)]
)
def test_an_entry_is_open_until_it_is_done_or_put_off(status: str, *, expected: bool) -> None:
    assert row(status=status).is_open is expected


@pytest.mark.parametrize(
    ("last_touched", "expected"), [("2026-11-19", "2026-11-21"), ("2026-11-30", "2026-11-30"), ("", "2026-11-21")]
)
def test_the_last_activity_is_the_later_of_touch_and_update(last_touched: str, expected: str) -> None:
    assert row(last_touched=last_touched).last_activity == expected


def test_a_row_shows_what_there_is_and_cuts_what_is_long() -> None:
    shown = row(next_action="x" * 100, context="").shown

    assert shown.keys() == {"status", "next_action"}
    assert len(shown["next_action"]) == 80


def test_a_row_names_its_sources() -> None:
    one = row()

    assert one.provenance.message_ids == {"m-garden"}
    assert one.is_from_withdrawn(lambda line_message_id, at_ms: (line_message_id, at_ms) == ("m-garden", 5))
    assert not one.is_from_withdrawn(lambda line_message_id, _: line_message_id == "m-other")
    two = replace(
        one,
        provenance=Provenance.of_sources((*one.provenance.sources, Source(line_message_id="m-other", timestamp_ms=6))),
    )
    assert two.is_from_withdrawn(lambda line_message_id, _: line_message_id == "m-other")


def test_a_search_looks_through_name_texts_and_notes_of_an_entry() -> None:
    texts = search_texts(entry(context="Behind the HOUSE"))

    assert texts == {"name": "garden", "context": "Behind the HOUSE", "next_action": "", "content": "a fence"}
    assert row(context="Behind the HOUSE").folded == {
        "name": "garden",
        "context": "behind the house",
        "content": "a fence",
    }


def test_a_search_looks_through_lists_of_names_up_to_a_length() -> None:
    listed = replace(entry(), fields={"name": "garden", "tags": ("House", "庭")})
    long = replace(entry(), fields={"name": "garden", "tags": ("x" * 60,) * 40})

    assert search_texts(listed)["tags"] == "House, 庭"
    assert row_of(listed, generation=1).folded["tags"] == "house, 庭"
    assert len(search_texts(long)["tags"]) == 1_000


def test_a_catalog_is_sorted_and_has_the_newest_revision() -> None:
    newer = replace(entry("alley"), revision=(4, 0))

    catalog = catalog_of([(entry("yard"), 7), (newer, 8), (entry(), 9)])

    assert [(one.path, one.generation) for one in catalog.rows] == [
        ("projects/alley.md", 8),
        ("projects/garden.md", 9),
        ("projects/yard.md", 7),
    ]
    assert catalog.key == (4, 0)
    assert catalog_of([]).key == (0, 0)


def test_rows_are_added_changed_and_removed() -> None:
    catalog = Catalog().with_rows({"projects/yard.md": row("yard"), "projects/garden.md": row()}, key=(1, 0))
    done = row("yard", status="done")

    changed = catalog.with_rows({"projects/yard.md": done, "projects/garden.md": None}, key=(2, 5))

    assert [one.path for one in catalog.rows] == ["projects/garden.md", "projects/yard.md"]
    assert (changed.rows, changed.key) == ((done,), (2, 5))


def test_a_catalog_without_withdrawn_messages_has_the_other_rows() -> None:
    catalog = Catalog().with_rows({"projects/yard.md": row("yard"), "projects/garden.md": row()}, key=(1, 0))

    left = catalog.without(lambda line_message_id, _: line_message_id == "m-yard")

    assert [one.path for one in left.rows] == ["projects/garden.md"]
