"""A feed as the text of an iCalendar file, made with `icalendar`.

Source: RFC 5545 (VEVENT, RRULE, VTIMEZONE); RFC 7986 (NAME, REFRESH-INTERVAL); `X-WR-CALNAME` and `X-PUBLISHED-TTL` are the older names
that Google Calendar and Outlook read.
"""

import datetime as dt
import zoneinfo
from typing import Final

from icalendar import Calendar as IcsCalendar
from icalendar import Event, Timezone, vDuration, vRecur

from shared.calendars.feed import Feed, FeedItem

_ZONES_SINCE: Final = dt.date(2020, 1, 1)
_ZONES_UNTIL: Final = dt.date(2038, 1, 1)
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
        zone = Timezone.from_tzid(name, first_date=_ZONES_SINCE, last_date=_ZONES_UNTIL)
        calendar.subcomponents.insert(0, zone)  # before the events that name it
    return bytes(calendar.to_ical())


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
        event.add("DTEND", day + dt.timedelta(days=1))
    else:
        starts = dt.datetime.fromisoformat(item.starts).replace(tzinfo=zoneinfo.ZoneInfo(item.zone))
        event.add("DTSTART", starts)
        event.add("DTEND", starts + _LASTS)
    if item.rule:
        event.add("RRULE", vRecur.from_ical(item.rule))
    event.add("TRANSP", "TRANSPARENT")  # neither a reminder nor a meeting that may be missed blocks time
    return event
