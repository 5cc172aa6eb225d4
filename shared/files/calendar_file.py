"""The dates of an ics file as lines in the reader's time zone, the earliest first.

For example:

    2026-11-28 10:00 to 11:00 | Dentist | at: Shibuya | repeats: FREQ=WEEKLY

Source: RFC 5545, 3.1 (folded lines), 3.3.5 (times), 3.6.5 (VTIMEZONE).
"""

import datetime as dt
import re
import zoneinfo
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from shared.files.document import Document, bounded, parts_of
from shared.files.flowing_text import CELLS

_FOLD: Final = re.compile(r"\r?\n[ \t]")
_PROPERTY: Final = re.compile(r'([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:]*))*):(.*)')
_PARAMETER: Final = re.compile(r';([A-Za-z0-9-]+)=(?:"([^"]*)"|([^";:]*))')
_TIME: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?")
_OFFSET: Final = re.compile(r"([+-])(\d\d)(\d\d)(?:\d\d)?")
_ESCAPED: Final = re.compile(r"\\([\\;,nN])")
_LABELS: Final[Mapping[str, str]] = {
    "LOCATION": "at: ",
    "RRULE": "repeats: ",
    "STATUS": "status: ",
    "DESCRIPTION": "",
}
_RECURRING: Final = ("RRULE", "RDATE", "RECURRENCE-ID")
_COMING: Final = "The next occurrences, with moved and without cancelled ones:"
_ALL: Final = "All entries:"
_ENTRIES: Final = ("VEVENT", "VTODO")
_MOST_ENTRIES: Final = 5_000
_CHARACTERS: Final = 1_000  # of a description

Moment = dt.datetime | dt.date


@dataclass(slots=True)
class _Property:
    name: str
    parameters: Mapping[str, str]
    value: str


@dataclass(slots=True)
class _Entry:
    """An event or a task: the first property of each name."""

    properties: dict[str, _Property] = field(default_factory=dict)


def read_ics(text: str, *, time_zone: zoneinfo.ZoneInfo, now_ms: int | None = None) -> Document:
    """Return the events and tasks of a calendar; times without a zone are in the reader's.

    With the present, the occurrences of the next weeks come first, if they say more than the events do. Raises: UnreadableFileError.
    """
    entries: list[_Entry] = []
    offsets: dict[str, dt.tzinfo] = {}
    component: list[str] = []
    zone_name, seasonal = "", set[str]()
    for property_ in _properties(text):
        if property_.name == "BEGIN":
            component.append(property_.value.upper())
            if component[-1] in _ENTRIES and len(entries) < _MOST_ENTRIES:
                entries.append(_Entry())
            seasonal |= {zone_name} if component[-1] == "DAYLIGHT" else set()
        elif property_.name == "END":
            del component[-1:]
        elif component and component[-1] in _ENTRIES and entries:
            entries[-1].properties.setdefault(property_.name, property_)
        elif component and component[-1] == "VTIMEZONE" and property_.name == "TZID":
            zone_name = property_.value
        elif component and component[-1] == "STANDARD" and property_.name == "TZOFFSETTO":
            offsets |= _offset(zone_name, property_.value)
    if any(seasonal.intersection(_unknown_zones(entry)) for entry in entries):
        from shared.files.coming_dates import zones_in  # noqa: PLC0415 - 0.2 s of imports, only for such zones

        offsets |= zones_in(text)
    lines = sorted(_line(entry, offsets, time_zone) for entry in entries)
    is_recurring = any(name in entry.properties for entry in entries for name in _RECURRING)
    if now_ms is not None and is_recurring:
        from shared.files.coming_dates import coming_dates  # noqa: PLC0415 - 0.2 s of imports, only for recurring events

        coming = coming_dates(text, time_zone=time_zone, now_ms=now_ms)
        lines = [*((_COMING, *coming, "", _ALL) if coming else ()), *lines]
    return bounded(parts_of("\n".join(lines)))


def _properties(text: str) -> Iterator[_Property]:
    for line in _FOLD.sub("", text).splitlines():
        match = _PROPERTY.fullmatch(line)
        if match is not None:
            parameters = {name.upper(): quoted or plain for name, quoted, plain in _PARAMETER.findall(match[2])}
            yield _Property(match[1].upper(), parameters, match[3])


def _offset(zone_name: str, value: str) -> dict[str, dt.tzinfo]:
    """Return the zone by name, for names known only to the writing program, such as `Tokyo Standard Time`."""
    match = _OFFSET.fullmatch(value)
    if match is None:
        return {}
    offset = dt.timedelta(hours=int(match[2]), minutes=int(match[3]))
    if offset >= dt.timedelta(days=1):
        return {}
    return {zone_name: dt.timezone(-offset if match[1] == "-" else offset)}


def _unknown_zones(entry: _Entry) -> Iterator[str]:
    """Yield the zones of the entry's times without a name of the IANA, such as Outlook's `W. Europe Standard Time`."""
    for property_ in entry.properties.values():
        name = property_.parameters.get("TZID")
        if name is not None and _named_zone(name) is None:
            yield name


def _line(entry: _Entry, offsets: Mapping[str, dt.tzinfo], time_zone: zoneinfo.ZoneInfo) -> str:
    begins = _moment(entry.properties.get("DTSTART"), offsets, time_zone)
    ends = _moment(entry.properties.get("DTEND"), offsets, time_zone)
    due = _moment(entry.properties.get("DUE"), offsets, time_zone)
    when = _span(begins, ends) if begins else ""
    cells = [when or "without a date", _value(entry, "SUMMARY"), f"due: {_shown(due)}" if due else ""]
    cells += [f"{label}{value}" for name, label in _LABELS.items() if (value := _value(entry, name))]
    return CELLS.join(filter(None, cells))


def _value(entry: _Entry, name: str) -> str:
    property_ = entry.properties.get(name)
    if property_ is None:
        return ""
    text = _ESCAPED.sub(lambda escape: " " if escape[1] in "nN" else escape[1], property_.value)
    return " ".join(text.split())[:_CHARACTERS]


def _moment(
    property_: _Property | None, offsets: Mapping[str, dt.tzinfo], time_zone: zoneinfo.ZoneInfo
) -> Moment | None:
    match = _TIME.fullmatch(property_.value.strip()) if property_ is not None else None
    if property_ is None or match is None:
        return None
    try:
        date = dt.date(int(match[1]), int(match[2]), int(match[3]))
        if match[4] is None:
            return date
        time = dt.time(int(match[4]), int(match[5]), min(int(match[6]), 59))
        zone = dt.UTC if match[7] else _zone(property_.parameters.get("TZID"), offsets, time_zone)
        return dt.datetime.combine(date, time, zone).astimezone(time_zone)
    except (ValueError, OverflowError):
        return None


def _zone(name: str | None, offsets: Mapping[str, dt.tzinfo], time_zone: zoneinfo.ZoneInfo) -> dt.tzinfo:
    if name is None:
        return time_zone
    return _named_zone(name) or offsets.get(name, time_zone)


@lru_cache(maxsize=64)
def _named_zone(name: str) -> dt.tzinfo | None:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _span(begins: Moment, ends: Moment | None) -> str:
    if not isinstance(begins, dt.datetime):
        is_date = ends is not None and not isinstance(ends, dt.datetime)
        last = ends - dt.timedelta(days=1) if ends is not None and is_date else begins  # the end is exclusive
        return _shown(begins) if last <= begins else f"{_shown(begins)} to {_shown(last)}"
    if not isinstance(ends, dt.datetime):
        return _shown(begins)
    if ends.date() == begins.date():
        return f"{_shown(begins)} to {ends.time().isoformat('minutes')}"
    return f"{_shown(begins)} to {_shown(ends)}"


def _shown(moment: Moment) -> str:
    if isinstance(moment, dt.datetime):
        return moment.replace(tzinfo=None).isoformat(" ", "minutes")
    return moment.isoformat()
