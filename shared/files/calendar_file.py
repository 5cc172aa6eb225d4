"""The dates of an ics file as lines in the reader's time zone, the earliest first.

    2026-11-28 10:00 to 11:00 | Dentist | at: Shibuya | repeats: FREQ=WEEKLY

Source: RFC 5545, 3.1 (folded lines), 3.3.5 (times), 3.6.5 (VTIMEZONE).
"""

import datetime as dt
import re
import zoneinfo
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from shared.files.document import Document, bounded, parts_of
from shared.files.flowing_text import CELLS

_FOLD: Final = re.compile(r"\r?\n[ \t]")
_PROPERTY: Final = re.compile(r'([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:]*))*):(.*)')
_PARAMETER: Final = re.compile(r';([A-Za-z0-9-]+)=(?:"([^"]*)"|([^";:]*))')
_TIME: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?")
_OFFSET: Final = re.compile(r"([+-])(\d\d)(\d\d)(?:\d\d)?")
_ESCAPED: Final = re.compile(r"\\([\\;,nN])")
_NAMED: Final[Mapping[str, str]] = {
    "LOCATION": "at: ",
    "RRULE": "repeats: ",
    "STATUS": "status: ",
    "DESCRIPTION": "",
}
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


def read_ics(text: str, *, time_zone: zoneinfo.ZoneInfo) -> Document:
    """Return the events and tasks of a calendar; times without a zone are in the reader's.  Raises: UnreadableFileError."""
    entries: list[_Entry] = []
    offsets: dict[str, dt.tzinfo] = {}
    component: list[str] = []
    zone_name = ""
    for one in _properties(text):
        if one.name == "BEGIN":
            component.append(one.value.upper())
            if component[-1] in _ENTRIES and len(entries) < _MOST_ENTRIES:
                entries.append(_Entry())
        elif one.name == "END":
            del component[-1:]
        elif component and component[-1] in _ENTRIES and entries:
            entries[-1].properties.setdefault(one.name, one)
        elif component and component[-1] == "VTIMEZONE" and one.name == "TZID":
            zone_name = one.value
        elif component and component[-1] == "STANDARD" and one.name == "TZOFFSETTO":
            offsets |= _offset(zone_name, one.value)
    lines = sorted(_line(entry, offsets, time_zone) for entry in entries)
    return bounded(parts_of("\n".join(lines)))


def _properties(text: str) -> Iterator[_Property]:
    for line in _FOLD.sub("", text).splitlines():
        found = _PROPERTY.fullmatch(line)
        if found is not None:
            parameters = {name.upper(): quoted or plain for name, quoted, plain in _PARAMETER.findall(found[2])}
            yield _Property(found[1].upper(), parameters, found[3])


def _offset(zone_name: str, value: str) -> dict[str, dt.tzinfo]:
    """Return the zone of this name, for programs whose names of zones only they know, such as `Tokyo Standard Time`."""
    found = _OFFSET.fullmatch(value)
    if found is None:
        return {}
    offset = dt.timedelta(hours=int(found[2]), minutes=int(found[3]))
    if offset >= dt.timedelta(days=1):
        return {}
    return {zone_name: dt.timezone(-offset if found[1] == "-" else offset)}


def _line(entry: _Entry, offsets: Mapping[str, dt.tzinfo], time_zone: zoneinfo.ZoneInfo) -> str:
    begins = _moment(entry.properties.get("DTSTART"), offsets, time_zone)
    ends = _moment(entry.properties.get("DTEND"), offsets, time_zone)
    due = _moment(entry.properties.get("DUE"), offsets, time_zone)
    when = _span(begins, ends) if begins else ""
    cells = [when or "without a date", _value(entry, "SUMMARY"), f"due: {_shown(due)}" if due else ""]
    cells += [f"{label}{value}" for name, label in _NAMED.items() if (value := _value(entry, name))]
    return CELLS.join(filter(None, cells))


def _value(entry: _Entry, name: str) -> str:
    one = entry.properties.get(name)
    if one is None:
        return ""
    text = _ESCAPED.sub(lambda found: " " if found[1] in "nN" else found[1], one.value)
    return " ".join(text.split())[:_CHARACTERS]


def _moment(one: _Property | None, offsets: Mapping[str, dt.tzinfo], time_zone: zoneinfo.ZoneInfo) -> Moment | None:
    found = _TIME.fullmatch(one.value.strip()) if one is not None else None
    if one is None or found is None:
        return None
    try:
        date = dt.date(int(found[1]), int(found[2]), int(found[3]))
        if found[4] is None:
            return date
        time = dt.time(int(found[4]), int(found[5]), min(int(found[6]), 59))
        zone = dt.UTC if found[7] else _zone(one.parameters.get("TZID"), offsets, time_zone)
        return dt.datetime.combine(date, time, zone).astimezone(time_zone)
    except (ValueError, OverflowError):
        return None


def _zone(name: str | None, offsets: Mapping[str, dt.tzinfo], time_zone: zoneinfo.ZoneInfo) -> dt.tzinfo:
    if name is None:
        return time_zone
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return offsets.get(name, time_zone)


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
