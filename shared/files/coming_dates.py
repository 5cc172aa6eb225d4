"""The coming dates of an ics file: each occurrence of the next weeks, with moved and cancelled ones.

For example, of a weekly lesson since 2024 that is cancelled on 3 December:

    2026-11-26 18:00 | Lesson
    2026-12-10 18:00 | Lesson

Rules are counted by the clock of the event's own zone, so that a lesson stays at 18:00 when summer time ends.
Imported only for such a file, in the process that reads it, whose time and memory are limited.
Source: RFC 5545, 3.8.5 (EXDATE, RDATE, RRULE), 3.8.4.4 (RECURRENCE-ID).
"""

import datetime as dt
import re
import zoneinfo
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, Final, cast

from dateutil.rrule import rrule, rruleset, rrulestr
from icalendar import Calendar, Component, Timezone

from shared.frozen import frozen

DAYS: Final = 60
MOST_DATES: Final = 20
_CHARACTERS: Final = 200
_RARE: Final = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
_LONG_AGO: Final = 1970
"""A daily or weekly rule that began before this year is left out: it takes seconds to count to the present."""
_VTIMEZONE: Final = re.compile(r"^BEGIN:VTIMEZONE\s.*?^END:VTIMEZONE\b", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_OFTEN: Final = frozenset({"BYHOUR", "BYMINUTE", "BYSECOND"})
_ODD_FILE: Final = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError)
"""What parsers raise on odd files."""


def coming_dates(text: str, *, time_zone: zoneinfo.ZoneInfo, now_ms: int) -> tuple[str, ...]:
    """Return a line for each of the first 20 occurrences of the next 60 days, in the reader's zone; none if the file cannot be parsed.

    Times without a zone are in the reader's zone. Events that recur more than once a day are left out: their occurrences have no end.
    """
    now = dt.datetime.fromtimestamp(now_ms / 1_000, time_zone)
    try:
        calendars = [
            calendar for calendar in Component.from_ical(text, multiple=True) if isinstance(calendar, Calendar)
        ]
        coming = sorted({date for calendar in calendars for date in _dates(calendar, now)})
    except _ODD_FILE:
        return ()
    return tuple(f"{shown} | {summary}" for shown, summary in coming)[:MOST_DATES]


def zones_in(text: str) -> dict[str, dt.tzinfo]:
    """Return the zones that the file describes, by name, with their summer time; a zone that cannot be parsed is left out."""
    zones: dict[str, dt.tzinfo] = {}
    for described in _VTIMEZONE.findall(text):
        try:
            timezone = Timezone.from_ical(described)
            if isinstance(timezone, Timezone):
                zone = timezone.to_tz()
                dt.datetime(2026, 7, 1, tzinfo=zone).utcoffset()
                zones[str(timezone["TZID"])] = zone
        except _ODD_FILE:
            continue
    return zones


def _dates(calendar: Calendar, now: dt.datetime) -> Iterator[tuple[str, str]]:
    """Yield the moment and the summary of each occurrence; an event of a whole day is coming until its day is over."""
    events = [_Event.of(part, now) for part in calendar.walk("VEVENT") if "DTSTART" in part]
    changed = {(event.uid, event.replaces) for event in events if event.replaces is not None}
    for event in events:
        begins = [event.begins] if event.replaces is not None else _occurrences(event, now)
        for moment in begins:
            is_replaced = event.replaces is None and (event.uid, event.seconds_of(moment)) in changed
            if not is_replaced and not event.is_cancelled and event.is_coming(moment, now):
                yield event.shown(moment, now), event.summary


@frozen
class _Event:
    """One VEVENT: `begins` by the clock of `zone`.

    `replaces`: the seconds since 1970 of the occurrence that a changed one stands for.
    """

    part: Component = field(repr=False)
    uid: str
    begins: dt.datetime
    zone: dt.tzinfo = field(repr=False)
    is_whole_day: bool
    replaces: float | None

    @classmethod
    def of(cls, part: Component, now: dt.datetime) -> "_Event":
        begins = _property(part, "DTSTART").dt
        zone = (begins.tzinfo if isinstance(begins, dt.datetime) else None) or now.tzinfo or dt.UTC
        replaced = _property(part, "RECURRENCE-ID")
        return cls(
            part=part,
            uid=str(part.get("UID", id(part))),
            begins=_by_clock(begins, zone),
            zone=zone,
            is_whole_day=not isinstance(begins, dt.datetime),
            replaces=None if replaced is None else _by_clock(replaced.dt, zone).replace(tzinfo=zone).timestamp(),
        )

    @property
    def is_cancelled(self) -> bool:
        return str(self.part.get("STATUS", "")).upper() == "CANCELLED"

    @property
    def summary(self) -> str:
        return " ".join(str(self.part.get("SUMMARY", "")).split())[:_CHARACTERS]

    def seconds_of(self, moment: dt.datetime) -> float:
        return moment.replace(tzinfo=self.zone).timestamp()

    def is_coming(self, moment: dt.datetime, now: dt.datetime) -> bool:
        """Whether the moment is in the next weeks: today or later for a whole day, at a minute that is not over for a time."""
        if self.is_whole_day:
            return now.date() <= moment.date() <= (now + dt.timedelta(days=DAYS)).date()
        begins = moment.replace(tzinfo=self.zone)
        return now.replace(second=0, microsecond=0) <= begins < now + dt.timedelta(days=DAYS)

    def shown(self, moment: dt.datetime, now: dt.datetime) -> str:
        """Return the beginning in the reader's zone: `2026-11-28 10:00`, or `2026-11-28` for a whole day."""
        if self.is_whole_day:
            return moment.date().isoformat()
        local = moment.replace(tzinfo=self.zone).astimezone(now.tzinfo)
        return local.replace(tzinfo=None).isoformat(" ", "minutes")


def _occurrences(event: _Event, now: dt.datetime) -> Sequence[dt.datetime]:
    """Return the beginnings of the event around the next weeks, by the event's clock; none if a rule is odd or has no end."""
    if _recurs_often(event):
        return ()
    dates = rruleset()
    dates.rdate(event.begins)
    try:
        for rule in _listed(event.part, "RRULE"):
            counted = rrulestr(_with_end_by_clock(rule, event.zone), dtstart=event.begins)
            dates.rrule(cast("rrule", counted))  # one line is one rule
        for added in _moments(event, "RDATE"):
            dates.rdate(added)
        for left_out in _moments(event, "EXDATE"):
            dates.exdate(left_out)
        since = now.astimezone(event.zone).replace(tzinfo=None)
        return dates.between(since - dt.timedelta(days=1), since + dt.timedelta(days=DAYS + 1), inc=True)
    except _ODD_FILE:
        return ()


def _recurs_often(event: _Event) -> bool:
    for rule in _listed(event.part, "RRULE"):
        parts = {name.upper(): parameters for name, parameters in rule.items()}
        frequencies = {str(frequency).upper() for frequency in parts.get("FREQ", ())}
        is_old = event.begins.year < _LONG_AGO
        if _OFTEN & parts.keys() or frequencies - _RARE or (is_old and frequencies - {"MONTHLY", "YEARLY"}):
            return True
    return False


def _with_end_by_clock(rule: Any, zone: dt.tzinfo) -> str:  # noqa: ANN401 - a rule of icalendar
    """Return the rule as text, with its UNTIL by the event's clock; a date stands for the end of the day."""
    by_clock = rule.copy()
    if until := rule.get("UNTIL"):
        end = until[0] if isinstance(until, list) else until
        is_day = not isinstance(end, dt.datetime)
        by_clock["UNTIL"] = [dt.datetime.combine(end, dt.time.max) if is_day else _by_clock(end, zone)]
    return str(by_clock.to_ical().decode())


def _moments(event: _Event, name: str) -> Iterator[dt.datetime]:
    """Yield the moments of RDATE or EXDATE by the event's clock; a period counts by its beginning."""
    for dates in _listed(event.part, name):
        for date in dates.dts:
            yield _by_clock(date.dt[0] if isinstance(date.dt, tuple) else date.dt, event.zone)


def _by_clock(moment: dt.date, zone: dt.tzinfo) -> dt.datetime:
    """Return the moment by the zone's clock, without the zone: `2026-11-26T09:00Z` in Tokyo is `2026-11-26T18:00`."""
    if not isinstance(moment, dt.datetime):
        return dt.datetime.combine(moment, dt.time())
    return (moment.astimezone(zone) if moment.tzinfo is not None else moment).replace(tzinfo=None)


def _listed(part: Component, name: str) -> Sequence[Any]:
    found = _property(part, name)
    return found if isinstance(found, list) else [found] if found is not None else []


def _property(part: Component, name: str) -> Any:  # noqa: ANN401 - one of thirty types, by the name
    return part.get(name)
