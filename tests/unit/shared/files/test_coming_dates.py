"""The coming dates of calendar files: occurrences in the reader's zone, and files made to exhaust the reader."""

import datetime as dt
import random
import zoneinfo
from typing import Final

import pytest
import recurring_ical_events
from icalendar import Calendar

from shared.files.coming_dates import DAYS, MOST_DATES, coming_dates
from shared.files.document import Document
from shared.files.file_types import ICS
from shared.files.reading import read_document
from tests.support.office_files import calendar, event

TOKYO: Final = zoneinfo.ZoneInfo("Asia/Tokyo")
NOW_MS: Final = round(dt.datetime(2026, 11, 26, 12, tzinfo=TOKYO).timestamp()) * 1_000
LESSON: Final = event(
    "UID:lesson", "SUMMARY:Lesson", "DTSTART;TZID=Asia/Tokyo:20240104T180000", "RRULE:FREQ=WEEKLY;BYDAY=TH"
)


def dates(*parts: str) -> tuple[str, ...]:
    return coming_dates(calendar(*parts).decode(), time_zone=TOKYO, now_ms=NOW_MS)


def test_a_lesson_of_years_ago_is_shown_by_its_next_dates() -> None:
    assert dates(*LESSON)[:3] == ("2026-11-26 18:00 | Lesson", "2026-12-03 18:00 | Lesson", "2026-12-10 18:00 | Lesson")


def test_a_moved_date_is_where_it_was_moved_and_a_cancelled_one_is_left_out() -> None:
    lesson = event(
        "UID:lesson",
        "SUMMARY:Lesson",
        "DTSTART;TZID=Asia/Tokyo:20240104T180000",
        "RRULE:FREQ=WEEKLY;BYDAY=TH",
        "EXDATE;TZID=Asia/Tokyo:20261203T180000",
    )
    moved = event(
        "UID:lesson",
        "SUMMARY:Moved",
        "RECURRENCE-ID;TZID=Asia/Tokyo:20261210T180000",
        "DTSTART;TZID=Asia/Tokyo:20261211T190000",
    )

    assert dates(*lesson, *moved)[:3] == (
        "2026-11-26 18:00 | Lesson",
        "2026-12-11 19:00 | Moved",
        "2026-12-17 18:00 | Lesson",
    )


@pytest.mark.parametrize(
    ("properties", "shown"),
    [
        (("DTSTART:20261127T000000Z",), ("2026-11-27 09:00 | x",)),
        (("DTSTART:20261127T090000",), ("2026-11-27 09:00 | x",)),
        (("DTSTART;VALUE=DATE:20261126",), ("2026-11-26 | x",)),
        (("DTSTART:20261126T020000Z",), ()),  # an hour ago
        (("DTSTART:20261127T000000Z", "STATUS:CANCELLED"), ()),
        ((f"DTSTART:{dt.date(2026, 11, 26) + dt.timedelta(days=DAYS + 1):%Y%m%d}T000000Z",), ()),
    ],
)
def test_times_are_in_the_readers_zone_and_lie_ahead(properties: tuple[str, ...], shown: tuple[str, ...]) -> None:
    assert dates(*event("UID:x", "SUMMARY:x", *properties)) == shown


@pytest.mark.parametrize("zone", ["W. Europe Standard Time", "Our office"])
def test_a_time_in_a_zone_that_the_file_describes_has_its_summer_time(zone: str) -> None:
    described = (
        "BEGIN:VTIMEZONE",
        f"TZID:{zone}",
        *("BEGIN:STANDARD", "DTSTART:16011028T030000", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10"),
        *("TZOFFSETFROM:+0200", "TZOFFSETTO:+0100", "END:STANDARD"),
        *("BEGIN:DAYLIGHT", "DTSTART:16010325T020000", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3"),
        *("TZOFFSETFROM:+0100", "TZOFFSETTO:+0200", "END:DAYLIGHT"),
        "END:VTIMEZONE",
    )
    summer, winter = (
        event(f"UID:{day}", "SUMMARY:call", f'DTSTART;TZID="{zone}":{day}T100000') for day in ("20270715", "20270115")
    )

    document = read_document(calendar(*described, *summer, *winter), ICS, locale="ja", time_zone=TOKYO)

    assert document.text.splitlines() == ["2027-01-15 18:00 | call", "2027-07-15 17:00 | call"]


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=HOURLY",
        "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=1,2,3;BYSECOND=1,2,3",
    ],
)
def test_what_recurs_without_end_is_left_out_and_the_others_are_shown(rule: str) -> None:
    often = event("UID:often", "SUMMARY:often", "DTSTART:20200101T000000Z", f"RRULE:{rule}")

    assert {line.rpartition(" | ")[2] for line in dates(*often, *LESSON)} == {"Lesson"}


def test_a_daily_rule_since_the_year_one_is_not_counted_to_the_present() -> None:
    old = event("UID:old", "SUMMARY:old", "DTSTART:00010101T000000", "RRULE:FREQ=DAILY")
    birthday = event("UID:b", "SUMMARY:birthday", "DTSTART;VALUE=DATE:19501201", "RRULE:FREQ=YEARLY")

    assert dates(*old, *birthday) == ("2026-12-01 | birthday",)


def test_at_most_twenty_dates_are_shown() -> None:
    assert len(dates(*event("UID:d", "SUMMARY:d", "DTSTART:20261101T000000Z", "RRULE:FREQ=DAILY"))) == MOST_DATES


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no calendar",
        "BEGIN:VCALENDAR",
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:xyz\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nRRULE:FREQ=\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
        "END:VCALENDAR",
    ],
)
def test_an_odd_file_has_no_coming_dates(text: str) -> None:
    assert coming_dates(text, time_zone=TOKYO, now_ms=NOW_MS) == ()


def test_a_read_file_begins_with_the_coming_dates_if_anything_recurs() -> None:
    once = calendar(*event("UID:x", "SUMMARY:once", "DTSTART:20261127T000000Z"))

    recurring = read_document(calendar(*LESSON), ICS, locale="ja", time_zone=TOKYO, now_ms=NOW_MS)
    plain = read_document(once, ICS, locale="ja", time_zone=TOKYO, now_ms=NOW_MS)

    assert isinstance(recurring, Document)
    assert recurring.text.splitlines()[1] == "2026-11-26 18:00 | Lesson"
    assert recurring.text.splitlines()[-1] == "2024-01-04 18:00 | Lesson | repeats: FREQ=WEEKLY;BYDAY=TH"
    assert plain.text == "2026-11-27 09:00 | once"


_RULES: Final = (
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3",
    "FREQ=DAILY;COUNT=400",
    "FREQ=DAILY;UNTIL={until}",
    "FREQ=WEEKLY;BYDAY=MO,TH",
    "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=MONTHLY;BYDAY=2TU",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=YEARLY;BYMONTH=12;BYDAY=1SU",
    "FREQ=YEARLY",
)
_ZONES: Final = ("Asia/Tokyo", "America/New_York", "Europe/Berlin", None)


@pytest.mark.parametrize("seed", range(60))
def test_dates_are_those_of_another_reader(seed: int) -> None:
    text = _drawn(random.Random(seed))
    now = dt.datetime.fromtimestamp(NOW_MS / 1_000, TOKYO)
    read = recurring_ical_events.of(Calendar.from_ical(text)).between(now, now + dt.timedelta(days=DAYS))
    begins = sorted(one["DTSTART"].dt for one in read)
    expected = [
        moment.astimezone(TOKYO).strftime("%Y-%m-%d %H:%M") if isinstance(moment, dt.datetime) else moment.isoformat()
        for moment in begins
        if not isinstance(moment, dt.datetime) or moment >= now
    ]

    shown = coming_dates(text, time_zone=TOKYO, now_ms=NOW_MS)

    assert [line.partition(" | ")[0] for line in shown] == expected[:MOST_DATES]


def _drawn(dice: random.Random) -> str:
    """Return a file with an event whose rule, zone, exceptions and additions are drawn."""
    zone, first = (
        dice.choice(_ZONES),
        dt.datetime(2026, dice.randint(1, 10), dice.randint(1, 28), dice.randint(0, 23), tzinfo=dt.UTC),
    )
    rule = dice.choice(_RULES)

    def property_of(name: str, moment: dt.datetime) -> str:
        if zone is None:
            return f"{name};VALUE=DATE:{moment:%Y%m%d}"
        return f"{name};TZID={zone}:{moment:%Y%m%dT%H%M%S}"

    end = dt.datetime(2026, 12, dice.randint(1, 28), 12, tzinfo=dt.UTC)
    lines = [
        property_of("DTSTART", first),
        f"RRULE:{rule.format(until=f'{end:%Y%m%d}' + ('' if zone is None else 'T120000Z'))}",
    ]
    near = [dt.datetime.combine(dt.date(2026, 11, 20), first.time()) + dt.timedelta(days=day) for day in range(40)]
    lines += [property_of("EXDATE", moment) for moment in dice.sample(near, k=dice.randint(0, 6))]
    lines += [property_of("RDATE", moment) for moment in dice.sample(near, k=dice.randint(0, 2))]
    return calendar(*event("UID:drawn", "SUMMARY:drawn", *lines)).decode()
