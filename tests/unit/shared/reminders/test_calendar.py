from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.line.graphemes import graphemes
from shared.line.messaging import URI_LIMIT, LinkButton, OutgoingMessage, is_sendable
from shared.reminders.calendar import calendar_link
from shared.reminders.reminder import Reminder

MORNING = Reminder(
    id="r0123456789", text="薬 & water?", start="2026-11-23T09:00", zone="Asia/Tokyo", due_ms=1_795_392_000_000
)


def query(reminder: Reminder) -> dict[str, list[str]]:
    parts = urlsplit(calendar_link(reminder))
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "calendar.google.com", "/calendar/render")
    return parse_qs(parts.query)


def test_the_event_has_local_times_of_the_zone() -> None:
    assert query(MORNING) == {
        "action": ["TEMPLATE"],
        "dates": ["20261123T090000/20261123T091500"],
        "ctz": ["Asia/Tokyo"],
        "openExternalBrowser": ["1"],
        "text": ["薬 & water?"],
    }


def test_a_long_place_leaves_room_for_the_words() -> None:
    link = calendar_link(MORNING, place="👨‍👩‍👧‍👦" * 40)

    assert len(link) <= URI_LIMIT
    assert parse_qs(urlsplit(link).query)["text"] == [MORNING.text]


def test_a_recurrence_ends_in_utc() -> None:
    until = replace(MORNING, rule="FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20261231T235959")

    assert query(until)["recur"] == ["RRULE:FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20261231T145959Z"]
    assert query(replace(MORNING, rule="FREQ=DAILY;COUNT=3"))["recur"] == ["RRULE:FREQ=DAILY;COUNT=3"]


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=MONTHLY;BYMONTHDAY=-1",
        "FREQ=MONTHLY;BYDAY=1TU,3TU",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
        "FREQ=YEARLY;BYMONTH=5;BYDAY=2SU",
    ],
)
def test_an_event_recurs_as_the_reminder_does(rule: str) -> None:
    assert query(replace(MORNING, rule=rule))["recur"] == [f"RRULE:{rule}"]


def test_several_hours_a_day_are_one_event() -> None:
    event = query(replace(MORNING, rule="FREQ=WEEKLY;BYDAY=MO;BYHOUR=8,10,17"))

    assert (event["dates"], event["recur"]) == (["20261123T080000/20261123T171500"], ["RRULE:FREQ=WEEKLY;BYDAY=MO"])
    counted = query(replace(MORNING, rule="FREQ=DAILY;BYHOUR=9,10,11;COUNT=7"))
    assert counted["recur"] == ["RRULE:FREQ=DAILY;COUNT=3"]


def test_a_long_text_fills_the_address_up_to_lines_limit() -> None:
    link = calendar_link(replace(MORNING, text="a" * 2_000))

    assert len(link) == URI_LIMIT


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300))
def test_an_address_is_within_lines_limit_and_cuts_no_grapheme(text: str) -> None:
    rule = "FREQ=WEEKLY;INTERVAL=52;BYDAY=MO,TU,WE,TH,FR,SA,SU;UNTIL=20311231T235959"
    link = calendar_link(replace(MORNING, text=text, rule=rule))

    assert len(link) <= URI_LIMIT
    assert is_sendable([OutgoingMessage(text="x", links=(LinkButton(label="x", uri=link),))])
    shown = parse_qs(urlsplit(link).query, keep_blank_values=True)["text"][0]
    assert graphemes(text)[: len(graphemes(shown))] == graphemes(shown)
