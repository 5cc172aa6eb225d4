"""Listing and searching a chat's entries, over the rows of its catalog alone."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from shared.conversation.literal_runs import fold
from shared.knowledge.catalog import Row
from shared.knowledge.schema import Category

DEFAULT_LIMIT: Final = 10
_LIMIT: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A row that holds the query: how often, and in which of its fields most often."""

    row: Row
    count: int
    matched_field: str = field(repr=False)


def list_rows(rows: Iterable[Row], *, category: Category | None = None, status: str | None = None) -> tuple[Row, ...]:
    """Return the rows of the category and the status, newest first."""
    wanted = (
        row
        for row in rows
        if (category is None or row.category is category) and (status is None or row.status == status.casefold())
    )
    return tuple(sorted(wanted, key=lambda row: (row.updated_at, row.path), reverse=True))


def find_matches(rows: Iterable[Row], query: str, *, category: Category | None = None) -> tuple[Match, ...]:
    """Return the rows that hold the whole query, most matches first, then newest; none for an empty query.

    Width, case and kind of kana make no difference.
    """
    wanted = fold(query)
    if not wanted:
        return ()
    found = [one for row in list_rows(rows, category=category) if (one := _match(row, wanted)) is not None]
    return tuple(sorted(found, key=lambda one: -one.count))


def clamp_limit(value: object) -> int:
    """Return how many results are wanted, from 1 to 50."""
    if not isinstance(value, int | float) or math.isnan(value):
        return DEFAULT_LIMIT
    return int(min(_LIMIT, max(1, value)))


def _match(row: Row, wanted: str) -> Match | None:
    counts = {name: folded.count(wanted) for name, folded in row.folded.items()}
    total = sum(counts.values())
    if not total:
        return None
    return Match(row=row, count=total, matched_field=max(counts, key=lambda name: counts[name]))
