"""A chat with a calendar, and the calendar program that reads it."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from icalendar import Component

from functions.feeds.serve import FeedAnswer, FeedEndpoint
from shared.adapters.ics import feed_as_ics
from shared.calendars.feed import Calendar
from shared.calendars.store import CalendarStore
from shared.composition.ports import CalendarPort
from tests.support import push
from tests.support.hooks import FixedAddress
from tests.support.people import Person

FEEDS_URL: Final = "https://feeds.example"


def calendar_port(feeds_url: str | None = FEEDS_URL, webhook_url: str | None = None) -> CalendarPort:
    """Return calendars that are on."""
    return CalendarPort(address=FixedAddress(webhook_url), feeds_url=feeds_url)


def calendar_of(person: Person) -> Calendar | None:
    """Return the calendar of the person's chat."""
    return CalendarStore(person.worker.conversations.of(person.events.chat_id)).read()


def shown_address(person: Person) -> str:
    """Return the address that the bot showed last: the last bubble of a reply."""
    return list(person.worker.line.replies.values())[-1][-1]


def makes_calendar(person: Person) -> str:
    """Have a member ask for the calendar, and return its address."""
    person.says("/calendar")
    return shown_address(person)


def passes_a_minute(person: Person) -> None:
    """A minute passes, and two ticks come."""
    for _ in range(2):
        person.worker.clock.move(60)
        assert person.worker.push(push.tick()) == 204


def fetched(person: Person, address: str, *, if_none_match: str | None = None) -> FeedAnswer:
    """Return what a calendar program gets at the address."""
    endpoint = FeedEndpoint(store=person.worker.store, write=feed_as_ics)
    return endpoint("GET", address.removeprefix(FEEDS_URL), if_none_match=if_none_match)


def events_at(person: Person, address: str) -> Sequence[dict[str, str]]:
    """Return the events at the address, each property as the text of the file: `{"SUMMARY": "薬", "DTSTART": "20251122T090000", …}`."""
    answer = fetched(person, address)
    assert answer.status is HTTPStatus.OK
    calendar = Component.from_ical(answer.body)
    return [{name: value.to_ical().decode() for name, value in event.items()} for event in calendar.walk("VEVENT")]


def summaries(person: Person, address: str) -> list[str]:
    """Return what the events at the address are called."""
    return [event["SUMMARY"] for event in events_at(person, address)]
