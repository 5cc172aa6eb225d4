"""The bar of retrieval, on the project's own set."""

import pytest

from evals.retrieval.benchmark import Figures, measure, read_set, search_ms
from shared.search.folding import fold

ENTRIES, QUERIES = read_set()


@pytest.fixture(scope="module")
def figures() -> Figures:
    return measure(ENTRIES, QUERIES)


def test_the_set_is_large_and_in_four_languages() -> None:
    assert len(ENTRIES) >= 60
    assert len(QUERIES) >= 120
    assert {one.language for one in QUERIES} == {"ja", "en", "zh-TW", "th"}
    assert {found for one in QUERIES for found in one.find} <= {one.id for one in ENTRIES}


def test_a_literal_query_of_the_set_stands_in_its_entries() -> None:
    texts = {one.id: fold(f"{one.name}\n{one.fields}\n{one.notes}") for one in ENTRIES}

    assert all(fold(query.ask) in texts[found] for query in QUERIES if query.kind == "literal" for found in query.find)


def test_every_literal_query_finds_its_entries(figures: Figures) -> None:
    assert figures.recall["literal"] == 1.0


@pytest.mark.parametrize("group", ["all", "ja", "en", "zh-TW", "th"])
def test_three_of_four_entries_are_among_the_first_five(group: str, figures: Figures) -> None:
    assert figures.recall[group] >= 0.75


def test_where_nothing_answers_almost_nothing_is_shown(figures: Figures) -> None:
    assert figures.noise <= 0.5


def test_a_search_among_a_thousand_entries_takes_less_than_fifty_milliseconds() -> None:
    assert search_ms(ENTRIES, QUERIES[::10]) < 50
