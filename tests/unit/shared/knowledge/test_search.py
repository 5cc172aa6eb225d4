"""Which entries a search finds, and in which order."""

import math

import pytest

from shared.conversation.provenance import Provenance
from shared.knowledge.catalog import Row
from shared.knowledge.schema import Category
from shared.knowledge.search import DEFAULT_LIMIT, clamp_limit, find_matches, list_rows
from shared.search.folding import fold


def row(
    name: str, *, category: Category = Category.IDEAS, status: str = "active", updated: int = 1, content: str = ""
) -> Row:
    return Row(
        path=f"{category}/{name}.md",
        category=category,
        name=name,
        created_at="2026-11-20T10:00:00+09:00",
        updated_at=f"2026-11-{updated:02d}T10:00:00+09:00",
        provenance=Provenance.of_sources(()),
        shown={"status": status},
        folded={"name": fold(name), "content": fold(content)},
    )


def test_rows_are_listed_newest_first_and_by_path_where_they_are_of_one_age() -> None:
    rows = [row("a", updated=1), row("c", updated=2), row("b", updated=2)]

    assert [one.name for one in list_rows(rows)] == ["c", "b", "a"]


def test_rows_are_listed_by_category_and_by_status_whatever_its_case() -> None:
    rows = [row("a"), row("b", category=Category.ADMIN), row("c", status="done")]

    assert [one.name for one in list_rows(rows, category=Category.ADMIN)] == ["b"]
    assert [one.name for one in list_rows(rows, status="DONE")] == ["c"]


def test_rows_are_listed_by_the_words_of_people_for_a_status() -> None:
    rows = [row("a", status="pending"), row("b", status="active"), row("c", status="done"), row("d", status="someday")]

    assert [one.name for one in list_rows(rows, status="完了")] == ["c"]
    assert [one.name for one in list_rows(rows, status="กำลังทำ")] == ["b"]
    assert {one.name for one in list_rows(rows, status="Open")} == {"a", "b"}
    assert [one.name for one in list_rows(rows, status="pending")] == ["a"]


def test_a_row_that_is_named_so_comes_before_one_that_tells_of_it() -> None:
    told, named = row("the lake house", content="a garden shed"), row("a garden shed", content="the lake house")

    for rows in ([told, named], [named, told]):
        matches = find_matches(rows, ["gardens sheds"])
        assert [(one.row, one.matched_field, one.is_literal) for one in matches][:1] == [(named, "name", False)]


def test_literal_matches_come_first_and_what_means_the_same_after_them() -> None:
    literal, close, closest = row("garden"), row("allotment"), row("greenhouse")
    rows = [literal, close, closest]

    matches = find_matches(
        rows, ["garden"], closest={close.path: 0.5, closest.path: 0.9, literal.path: 0.99, "gone": 1.0}
    )

    assert [one.row for one in matches] == [literal, closest, close]
    assert [one.is_literal for one in matches] == [True, False, False]
    assert {one.matched_field for one in matches} == {"name"}


def test_a_similar_row_that_also_means_the_same_comes_before_others() -> None:
    similar, close = row("garden sheds", content="x"), row("allotment")

    matches = find_matches([similar, close], ["gardens shed"], closest={close.path: 0.9, similar.path: 0.1})

    assert [one.row for one in matches] == [similar, close]


@pytest.mark.parametrize(
    ("value", "limit"),
    [(0, 1), (7, 7), (7.9, 7), (51, 50), (math.inf, 50), (math.nan, DEFAULT_LIMIT), ("5", DEFAULT_LIMIT)],
)
def test_a_limit_lies_between_1_and_50(value: object, limit: int) -> None:
    assert clamp_limit(value) == limit
