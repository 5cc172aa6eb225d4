"""The iCalendar files of feeds, read by two parsers: `icalendar`, and the product's own reader of ics files."""

import subprocess
import sys
import zoneinfo
from dataclasses import replace
from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from icalendar import Component

from shared.adapters.ics import feed_as_ics
from shared.calendars.feed import Feed, FeedItem
from shared.files.calendar_file import read_ics

TOKYO: Final = zoneinfo.ZoneInfo("Asia/Tokyo")
PILLS: Final = FeedItem(
    uid="a@aizuchi",
    sequence=3,
    stamped_ms=1_763_700_000_000,
    summary="薬、水; を飲む",
    details="一行目\n二行目",
    starts="2026-11-27T09:00",
    zone="Asia/Tokyo",
    rule="FREQ=DAILY;UNTIL=20261231T145959Z",
)
RENT: Final = FeedItem(uid="b@aizuchi", sequence=0, stamped_ms=0, summary="rent", starts="2026-12-01")
BERLIN: Final = FeedItem(
    uid="c@aizuchi", sequence=0, stamped_ms=0, summary="call", starts="2026-12-01T10:00", zone="Europe/Berlin"
)


def properties(event: Component) -> dict[str, str]:
    """Return the properties as they stand in the file, without folds and escapes of lines."""
    return {name: value.to_ical().decode() for name, value in event.items()}


def test_every_property_of_an_event_is_read_back() -> None:
    calendar = Component.from_ical(feed_as_ics(Feed(name="相槌", items=(PILLS, RENT))))

    pills, rent = map(properties, calendar.walk("VEVENT"))
    assert (calendar["VERSION"], calendar["X-WR-CALNAME"], calendar["METHOD"]) == ("2.0", "相槌", "PUBLISH")
    assert pills == {
        "UID": "a@aizuchi",
        "DTSTAMP": "20251121T044000Z",
        "SEQUENCE": "3",
        "SUMMARY": r"薬、水\; を飲む",
        "DESCRIPTION": r"一行目\n二行目",
        "DTSTART": "20261127T090000",
        "DTEND": "20261127T091500",
        "RRULE": PILLS.rule,
        "TRANSP": "TRANSPARENT",
    }
    assert (rent["DTSTART"], rent["DTEND"]) == ("20261201", "20261202")
    assert [zone["TZID"] for zone in calendar.walk("VTIMEZONE")] == ["Asia/Tokyo"]


def test_a_date_on_the_last_day_of_all_leaves_the_calendar_readable() -> None:
    without_end = replace(RENT, starts="9999-12-31")

    calendar = Component.from_ical(feed_as_ics(Feed(items=(RENT, without_end))))

    assert [event["DTSTART"].to_ical() for event in calendar.walk("VEVENT")] == [b"20261201", b"99991231"]


def test_a_zone_has_a_part_for_each_change_that_begins_by_the_clock_before_it() -> None:
    """Thunderbird reads no lists of dates, so each change of the clock is a part of its own."""
    calendar = Component.from_ical(feed_as_ics(Feed(items=(BERLIN,))))

    (zone,) = calendar.walk("VTIMEZONE")
    parts = [(part.name, part.decoded("DTSTART").isoformat(), str(part["TZNAME"])) for part in zone.subcomponents]
    assert parts[0] == ("STANDARD", "2020-01-01T01:00:00", "CET")
    assert ("DAYLIGHT", "2026-03-29T02:00:00", "CEST") in parts
    assert ("STANDARD", "2026-10-25T03:00:00", "CET") in parts
    assert len(parts) == 1 + 2 * 18
    assert not [part for part in zone.subcomponents if "RDATE" in part]


def test_the_products_own_reader_reads_the_file() -> None:
    text = feed_as_ics(Feed(name="相槌", items=(PILLS, RENT, BERLIN))).decode()

    lines = read_ics(text, time_zone=TOKYO).text.splitlines()

    assert lines[0].startswith("2026-11-27 09:00 to 09:15 | 薬、水; を飲む")
    assert lines[2] == "2026-12-01 | rent"
    assert lines[1] == "2026-12-01 18:00 to 18:15 | call"


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_words_of_people_become_a_property(summary: str, details: str) -> None:
    data = feed_as_ics(
        Feed(
            items=(FeedItem(uid="a", sequence=0, stamped_ms=0, summary=summary, details=details, starts="2026-12-01"),)
        )
    )

    (event,) = Component.from_ical(data).walk("VEVENT")
    assert {*properties(event)} <= {
        "UID",
        "DTSTAMP",
        "SEQUENCE",
        "SUMMARY",
        "DESCRIPTION",
        "DTSTART",
        "DTEND",
        "TRANSP",
    }
    assert max(map(len, data.split(b"\r\n"))) <= 75


def test_another_process_writes_the_same_bytes() -> None:
    """Sets have another order in each process."""
    written = (
        "from tests.unit.shared.adapters.test_ics import *; import sys;"
        "sys.stdout.buffer.write(feed_as_ics(Feed(items=(PILLS, RENT, BERLIN))))"
    )

    by_seed = {
        subprocess.run(
            [sys.executable, "-c", written], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3", "4")
    }

    assert len(by_seed) == 1
