"""List and search a chat's entries, using only the rows of the catalog."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final

from shared.frozen import frozen
from shared.knowledge.catalog import NAME, Row
from shared.knowledge.schema import Category, statuses_named
from shared.search.ranking import Passage, rank

DEFAULT_LIMIT: Final = 10
SIMILAR_LIMIT: Final = 5
_LIMIT: Final = 50
_NAME_WEIGHT: Final = 2.0
_FUSION: Final = 60  # the usual constant; the larger the constant, the less the first places differ


@frozen
class Match:
    """A row that answers a query, and the best matching field.  `is_literal`: the field holds the query literally."""

    row: Row
    matched_field: str = field(repr=False)
    is_literal: bool


def list_rows(rows: Iterable[Row], *, category: Category | None = None, status: str | None = None) -> tuple[Row, ...]:
    """Return the rows of a category and a status, newest first; a status may be a word of the bot's languages, such as 完了."""
    statuses = None if status is None else statuses_named(status)
    selected = (
        row
        for row in rows
        if (category is None or row.category is category) and (statuses is None or row.status in statuses)
    )
    return tuple(sorted(selected, key=lambda row: (row.updated_at, row.path), reverse=True))


def find_matches(
    rows: Iterable[Row],
    queries: Sequence[str],
    *,
    category: Category | None = None,
    closest: Mapping[str, float] | None = None,
) -> tuple[Match, ...]:
    """Return the rows with any of the queries, most matches first, then newest; after them similar rows, best first.

    A literal match ignores width, case and kind of kana; in a similar row, words may be apart or spelt differently. `closest` has the
    closeness of rows similar in meaning, by path; their order and the order of similar rows are fused by reciprocal ranks.
    Source: G. Cormack et al., "Reciprocal Rank Fusion outperforms Condorcet", 2009.
    """
    candidates = list_rows(rows, category=category)
    names = [[name for name, _ in row.searched_texts] for row in candidates]
    documents = [
        [Passage(folded=text, weight=_NAME_WEIGHT if name == NAME else 1.0) for name, text in row.searched_texts]
        for row in candidates
    ]
    matches = tuple(
        Match(
            row=candidates[hit.document],
            matched_field=names[hit.document][hit.passage],
            is_literal=hit.is_literal,
        )
        for hit in rank(documents, queries)
    )
    return _fused(matches, {row.path: row for row in candidates}, closest) if closest else matches


def clamp_limit(value: object) -> int:
    """Return the number of results, from 1 to 50: `clamp_limit(500)` is 50, and `clamp_limit("all")` is 10."""
    if not isinstance(value, int | float) or math.isnan(value):
        return DEFAULT_LIMIT
    return int(min(_LIMIT, max(1, value)))


def _fused(matches: Sequence[Match], rows: Mapping[str, Row], closest: Mapping[str, float]) -> tuple[Match, ...]:
    """Return literal matches unchanged, then similar and close rows by the sum of their reciprocal ranks."""
    literal = [one for one in matches if one.is_literal]
    literal_paths = {one.row.path for one in literal}
    similar = {one.row.path: one for one in matches if not one.is_literal}
    close = [
        path for path in sorted(closest, key=lambda path: -closest[path]) if path in rows and path not in literal_paths
    ]
    scores: dict[str, float] = {}
    for ranked in (list(similar), close):
        for place, path in enumerate(ranked):
            scores[path] = scores.get(path, 0.0) + 1 / (_FUSION + place)
    ranked_paths = sorted(scores, key=lambda path: -scores[path])
    return (
        *literal,
        *(similar.get(path) or Match(row=rows[path], matched_field=NAME, is_literal=False) for path in ranked_paths),
    )
