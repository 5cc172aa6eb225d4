"""A feed as the text of an iCalendar file, made with `icalendar`.

Source: RFC 5545 (VEVENT, RRULE, VTIMEZONE); RFC 7986 (NAME, REFRESH-INTERVAL); `X-WR-CALNAME` and `X-PUBLISHED-TTL` are the older names
that Google Calendar and Outlook read.
"""

import datetime as dt
import zoneinfo
from functools import lru_cache
from typing import Final

from icalendar import Calendar as IcsCalendar
from icalendar import Component, Event, Timezone, TimezoneDaylight, TimezoneStandard, vDuration, vRecur

from shared.calendars.feed import Feed, FeedItem

_ZONES_SINCE: Final = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
_ZONES_UNTIL: Final = dt.datetime(2038, 1, 1, tzinfo=dt.UTC)
_DAY: Final = dt.timedelta(days=1)
_MINUTE: Final = dt.timedelta(minutes=1)
_LASTS: Final = dt.timedelta(minutes=15)
_REFRESH: Final = dt.timedelta(hours=1)
_PRODUCT: Final = "-//Aizuchi//Calendar//EN"
_LOCAL_CHARACTERS: Final = len("2026-11-27T09:00")


def feed_as_ics(feed: Feed) -> bytes:
    """Return the feed as UTF-8 with folded lines; the same bytes for the same feed."""
    calendar = IcsCalendar()
    calendar.add("PRODID", _PRODUCT)
    calendar.add("VERSION", "2.0")
    calendar.add("METHOD", "PUBLISH")
    calendar.add("NAME", feed.name)
    calendar.add("X-WR-CALNAME", feed.name)
    calendar.add("REFRESH-INTERVAL", vDuration(_REFRESH), parameters={"VALUE": "DURATION"})
    calendar.add("X-PUBLISHED-TTL", vDuration(_REFRESH))
    for item in feed.items:
        calendar.add_component(_event(item))
    for name in sorted(calendar.get_missing_tzids(), reverse=True):
        calendar.subcomponents.insert(0, _zone(name))  # before the events that name it
    return bytes(calendar.to_ical())


@lru_cache(maxsize=64)
def _zone(name: str) -> Timezone:
    """Return the zone with a part of its own for each change of its clock.

    Thunderbird's parser reads the first date of a list of RDATE only, so `Timezone.from_tzid`, which writes lists, has it an hour off in
    summer. A part's beginning is local time by the offset before it. Source: RFC 5545, 3.6.5.
    """
    zone = Timezone()
    zone.add("TZID", name)
    clock = zoneinfo.ZoneInfo(name)
    before = _offset(clock, _ZONES_SINCE)
    zone.add_component(_zone_part(clock, _ZONES_SINCE, offset_before=before))
    day = _ZONES_SINCE
    while day < _ZONES_UNTIL:
        next_day = day + _DAY
        if (offset := _offset(clock, next_day)) != before:
            zone.add_component(_zone_part(clock, _change_within(clock, day, next_day), offset_before=before))
            before = offset
        day = next_day
    return zone


def _change_within(clock: zoneinfo.ZoneInfo, before: dt.datetime, after: dt.datetime) -> dt.datetime:
    """Return the minute, in UTC, from which the clock has the offset that it has at the later moment."""
    while after - before > _MINUTE:
        middle = before + (after - before) // 2 // _MINUTE * _MINUTE
        before, after = (before, middle) if _offset(clock, middle) == _offset(clock, after) else (middle, after)
    return after


def _zone_part(clock: zoneinfo.ZoneInfo, since: dt.datetime, *, offset_before: dt.timedelta) -> Component:
    local = since.astimezone(clock)
    part = TimezoneDaylight() if local.dst() else TimezoneStandard()
    part.add("DTSTART", (since + offset_before).replace(tzinfo=None))
    part.add("TZNAME", local.tzname() or "")
    part.add("TZOFFSETFROM", offset_before)
    part.add("TZOFFSETTO", _offset(clock, since))
    return part


def _offset(clock: zoneinfo.ZoneInfo, moment: dt.datetime) -> dt.timedelta:
    return moment.astimezone(clock).utcoffset() or dt.timedelta()


def _event(item: FeedItem) -> Event:
    event = Event()
    event.add("UID", item.uid)
    event.add("DTSTAMP", dt.datetime.fromtimestamp(item.stamped_ms // 1_000, dt.UTC))
    event.add("SEQUENCE", item.sequence)
    event.add("SUMMARY", item.summary)
    if item.details:
        event.add("DESCRIPTION", item.details)
    if item.place:
        event.add("LOCATION", item.place)
    if len(item.starts) < _LOCAL_CHARACTERS:
        day = dt.date.fromisoformat(item.starts)
        event.add("DTSTART", day)
        if day < dt.date.max:  # a day without an end is one day long
            event.add("DTEND", day + _DAY)
    else:
        starts = dt.datetime.fromisoformat(item.starts).replace(tzinfo=zoneinfo.ZoneInfo(item.zone))
        event.add("DTSTART", starts)
        event.add("DTEND", starts + _LASTS)
    if item.rule:
        event.add("RRULE", vRecur.from_ical(item.rule))
    event.add("TRANSP", "TRANSPARENT")  # neither a reminder nor a meeting that may be missed blocks time
    return event
