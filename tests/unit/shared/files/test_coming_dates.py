"""The coming dates of calendar files: occurrences in the reader's zone, and files made to exhaust the reader."""

import datetime as dt
import zoneinfo
from typing import Final

import pytest

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
