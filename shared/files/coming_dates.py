"""The coming dates of an ics file: each occurrence of the next weeks, with moved and cancelled ones, by `recurring-ical-events`.

For example, of a weekly lesson since 2024 that is cancelled on 3 December:

    2026-11-26 18:00 | Lesson
    2026-12-10 18:00 | Lesson

Imported only for such a file, in the process that reads it, whose time and memory are limited.
Source: RFC 5545, 3.8.5 (EXDATE, RDATE, RRULE), 3.8.4.4 (RECURRENCE-ID).
"""

import datetime as dt
import zoneinfo
from collections.abc import Iterator
from typing import Any, Final

import recurring_ical_events
from icalendar import Calendar, Component

DAYS: Final = 60
MOST_DATES: Final = 20
_CHARACTERS: Final = 200
_RARE: Final = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
_LONG_AGO: Final = 1970
"""A daily or weekly rule that began before this year is left out: it takes seconds to count to the present."""
_OFTEN: Final = frozenset({"BYHOUR", "BYMINUTE", "BYSECOND"})


def coming_dates(text: str, *, time_zone: zoneinfo.ZoneInfo, now_ms: int) -> tuple[str, ...]:
    """Return a line for each of the first 20 occurrences of the next 60 days, in the reader's zone; none if the file cannot be parsed.

    Times without a zone are in the reader's zone. Events that recur more than once a day are left out: their occurrences have no end.
    """
    now = dt.datetime.fromtimestamp(now_ms / 1_000, time_zone)
    try:
        calendars = [
            calendar for calendar in Component.from_ical(text, multiple=True) if isinstance(calendar, Calendar)
        ]
        occurrences = [one for calendar in calendars for one in _occurrences(calendar, now)]
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        OverflowError,
    ):  # what parsers raise on odd files
        return ()
    coming = sorted((_moment(event, time_zone), _summary(event)) for event in occurrences)
    return tuple(f"{shown} | {summary}" for shown, summary in coming if shown >= _shown_now(now, shown))[:MOST_DATES]


def _occurrences(calendar: Calendar, now: dt.datetime) -> Iterator[Component]:
    calendar.subcomponents = [part for part in calendar.subcomponents if not _recurs_often(part)]
    yield from (
        event
        for event in recurring_ical_events.of(calendar, skip_bad_series=True).between(
            now, now + dt.timedelta(days=DAYS)
        )
        if str(event.get("STATUS", "")).upper() != "CANCELLED"
    )


def _recurs_often(part: Component) -> bool:
    starts = _property(part, "DTSTART")
    is_old = starts is not None and getattr(starts.dt, "year", _LONG_AGO) < _LONG_AGO
    rules = _property(part, "RRULE") or []
    for rule in rules if isinstance(rules, list) else [rules]:
        parts = {name.upper(): values for name, values in rule.items()}
        frequencies = {str(value).upper() for value in parts.get("FREQ", ())}
        if _OFTEN & parts.keys() or frequencies - _RARE or (is_old and frequencies - {"MONTHLY", "YEARLY"}):
            return True
    return False


def _property(part: Component, name: str) -> Any:  # noqa: ANN401 - one of thirty types, by the name
    return part.get(name)


def _moment(event: Component, time_zone: zoneinfo.ZoneInfo) -> str:
    """Return the beginning in the reader's zone: `2026-11-28 10:00`, or `2026-11-28` for a whole day."""
    begins = _property(event, "DTSTART").dt
    if not isinstance(begins, dt.datetime):
        return str(begins.isoformat())
    local = begins.astimezone(time_zone) if begins.tzinfo is not None else begins
    return local.replace(tzinfo=None).isoformat(" ", "minutes")


def _shown_now(now: dt.datetime, shown: str) -> str:
    """Return the present, written as the moment is: an event that has begun is not coming, one of the whole day is."""
    return now.replace(tzinfo=None).isoformat(" ", "minutes")[: len(shown)]


def _summary(event: Component) -> str:
    return " ".join(str(event.get("SUMMARY", "")).split())[:_CHARACTERS]
