"""Listing and searching a chat's entries, over the rows of its catalog alone."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from shared.knowledge.catalog import NAME, Row
from shared.knowledge.schema import Category
from shared.search.ranking import Passage, rank

DEFAULT_LIMIT: Final = 10
SIMILAR_LIMIT: Final = 5
_LIMIT: Final = 50
_NAME_WEIGHT: Final = 2.0
_FUSION: Final = 60  # the usual constant; the larger it is, the less the first places differ


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A row that answers a query, and which of its texts does so best.  `is_literal`: that text holds the query literally."""

    row: Row
    matched_field: str = field(repr=False)
    is_literal: bool


def list_rows(rows: Iterable[Row], *, category: Category | None = None, status: str | None = None) -> tuple[Row, ...]:
    """Return the rows of the category and the status, newest first."""
    wanted = (
        row
        for row in rows
        if (category is None or row.category is category) and (status is None or row.status == status.casefold())
    )
    return tuple(sorted(wanted, key=lambda row: (row.updated_at, row.path), reverse=True))


def find_matches(
    rows: Iterable[Row],
    queries: Sequence[str],
    *,
    category: Category | None = None,
    closest: Mapping[str, float] | None = None,
) -> tuple[Match, ...]:
    """Return the rows that hold one of the queries, most matches first, then newest; after them similar rows, best first.

    Width, case and kind of kana make no difference to a literal match; in similar rows words may be apart or spelt in another way.
    `closest` are rows that mean what is asked, by path; their order and that of the similar rows are fused by reciprocal ranks.
    Source: G. Cormack et al., "Reciprocal Rank Fusion outperforms Condorcet", 2009.
    """
    listed = list_rows(rows, category=category)
    names = [tuple(row.folded) for row in listed]
    documents = [
        [Passage(folded=text, weight=_NAME_WEIGHT if name == NAME else 1.0) for name, text in row.folded.items()]
        for row in listed
    ]
    found = tuple(
        Match(
            row=listed[one.document],
            matched_field=names[one.document][one.passage],
            is_literal=one.is_literal,
        )
        for one in rank(documents, queries)
    )
    return _fused(found, {row.path: row for row in listed}, closest) if closest else found


def clamp_limit(value: object) -> int:
    """Return how many results are wanted, from 1 to 50."""
    if not isinstance(value, int | float) or math.isnan(value):
        return DEFAULT_LIMIT
    return int(min(_LIMIT, max(1, value)))


def _fused(found: Sequence[Match], rows: Mapping[str, Row], closest: Mapping[str, float]) -> tuple[Match, ...]:
    """Return literal matches as they are, then similar and close rows by the sum of their reciprocal ranks."""
    literal = [one for one in found if one.is_literal]
    known = {one.row.path for one in literal}
    similar = {one.row.path: one for one in found if not one.is_literal}
    close = [path for path in sorted(closest, key=lambda path: -closest[path]) if path in rows and path not in known]
    scores: dict[str, float] = {}
    for ranked in (list(similar), close):
        for place, path in enumerate(ranked):
            scores[path] = scores.get(path, 0.0) + 1 / (_FUSION + place)
    rest = sorted(scores, key=lambda path: -scores[path])
    return (
        *literal,
        *(similar.get(path) or Match(row=rows[path], matched_field=NAME, is_literal=False) for path in rest),
    )
