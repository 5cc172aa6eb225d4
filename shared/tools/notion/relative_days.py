"""Days that models name instead of a date, such as `this_week`: the span of days that they mean; weeks begin on Monday."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Final

_DAY: Final = dt.timedelta(days=1)
_WEEK: Final = dt.timedelta(days=7)


def _week(today: dt.date, weeks: int) -> tuple[dt.date, dt.date]:
    monday = today - today.weekday() * _DAY + weeks * _WEEK
    return monday, monday + _WEEK


def _month(today: dt.date, months: int) -> tuple[dt.date, dt.date]:
    first = _first_of_month(today, months)
    return first, _first_of_month(today, months + 1)


def _first_of_month(today: dt.date, months: int) -> dt.date:
    years, month = divmod(today.month - 1 + months, 12)
    return dt.date(today.year + years, month + 1, 1)


_SPANS: Final[Mapping[str, Callable[[dt.date], tuple[dt.date, dt.date]]]] = {
    "yesterday": lambda today: (today - _DAY, today),
    "today": lambda today: (today, today + _DAY),
    "tomorrow": lambda today: (today + _DAY, today + 2 * _DAY),
    "last_week": lambda today: _week(today, -1),
    "this_week": lambda today: _week(today, 0),
    "next_week": lambda today: _week(today, 1),
    "last_month": lambda today: _month(today, -1),
    "this_month": lambda today: _month(today, 0),
    "next_month": lambda today: _month(today, 1),
}


def span_of(value: object, *, today: dt.date) -> tuple[dt.date, dt.date] | None:
    """Return the first day of the span, and the day after its last; None: the value names no span.

    For example, on Thursday 2026-11-26 "this week" -> 2026-11-23 and 2026-11-30.
    """
    name = "_".join(value.casefold().replace("_", " ").split()) if isinstance(value, str) else ""
    return _SPANS[name](today) if name in _SPANS else None


def comparisons_with(operator: str, first: dt.date, after: dt.date) -> list[tuple[str, object]]:
    """Return the comparisons with dates that a comparison with a span means; empty: none.

    For example, `equals` this week -> on or after Monday, and before the next Monday; `after` this week -> on or after the next Monday.
    """
    match operator:
        case "equals":
            return [("on_or_after", first.isoformat()), ("before", after.isoformat())]
        case "before" | "on_or_after":
            return [(operator, first.isoformat())]
        case "on_or_before":
            return [("before", after.isoformat())]
        case "after":
            return [("on_or_after", after.isoformat())]
    return []
