"""What a calendar shows: the events of reminders and entries, their first times, rules and marks."""

import datetime as dt
import zoneinfo
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import recurring_ical_events
from icalendar import Component

from shared.adapters.ics import feed_as_ics
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.calendars.feed import MOST_ITEMS, Feed, FeedItem, uid_of
from shared.calendars.items import items_of
from shared.conversation.provenance import Provenance, Source
from shared.conversation.store import Conversation
from shared.polls.poll import Poll
from shared.polls.store import PollStore
from shared.recurrence import Recurrence
from shared.reminders.reminder import Reminder, ReminderKind, ReminderState
from shared.reminders.schedule import Schedule
from shared.reminders.store import ReminderStore
from tests.support.chats import conversations_on

TOKYO = zoneinfo.ZoneInfo("Asia/Tokyo")
REMARK = "outside"
SAID = Provenance.of_sources((Source(line_message_id="m1", timestamp_ms=7_000),))


@pytest.fixture
def chat() -> Iterator[Conversation]:
    with ThreadPoolExecutor(4) as threads:
        yield conversations_on(MemoryObjectStore(), threads, FixedClock()).of("U" + "1" * 32)


def reminder(number: int = 1, **changes: object) -> Reminder:
    made = Reminder(
        id=f"r{number:010x}",
        text="薬",
        start="2025-11-22T09:00",
        zone="Asia/Tokyo",
        due_ms=1,
        revision=(5, 0),
        provenance=SAID,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def shown(chat: Conversation, *reminders: Reminder) -> tuple[FeedItem, ...]:
    for one in reminders:
        ReminderStore(chat).create(one)
    return items_of(chat, chat.amendments.look(), now_ms=1_763_700_000_000, outside_remark=REMARK)


def test_an_item_names_neither_the_chat_nor_the_reminder(chat: Conversation) -> None:
    (item,) = shown(chat, reminder())

    assert (item.summary, item.starts, item.zone, item.rule, item.details) == (
        "薬",
        "2025-11-22T09:00",
        "Asia/Tokyo",
        "",
        "",
    )
    assert (item.sequence, item.stamped_ms) == (5, 7_000)
    assert chat.id not in item.uid
    assert item.uid == uid_of(chat.id, "reminder", "r0000000001")
    assert item.uid != uid_of("U" + "2" * 32, "reminder", "r0000000001")


def test_words_from_outside_are_marked(chat: Conversation) -> None:
    (item,) = shown(chat, reminder(provenance=replace(SAID, outside=frozenset({"web"}))))

    assert item.details == REMARK


def test_digests_and_cancelled_reminders_are_no_events(chat: Conversation) -> None:
    digest = reminder(1, kind=ReminderKind.DAILY_DIGEST, text="")
    cancelled = reminder(2).ended(ReminderState.CANCELLED, now_ms=1)

    assert shown(chat, digest, cancelled) == ()


def test_a_reminder_that_was_said_stays_as_long_as_its_record(chat: Conversation) -> None:
    (item,) = shown(chat, reminder().ended(ReminderState.DONE, now_ms=1_763_700_000_000))

    assert item.summary == "薬"


def meeting(**changes: object) -> Poll:
    made = Poll(
        id="p0000000001",
        question="飲み会",
        options=("参加", "不参加", "未定"),
        closes_ms=1_764_324_000_000,
        starts_ms=1_764_324_000_000,
        place="渋谷",
        zone="Asia/Tokyo",
        created=(5, 0),
        revision=(5, 0),
        provenance=SAID,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def holds(chat: Conversation, poll: Poll) -> None:
    PollStore(chat).update(poll.id, lambda _: poll)


def test_a_meeting_is_an_event_at_its_time_and_place(chat: Conversation) -> None:
    holds(chat, meeting())
    holds(chat, meeting(id="p0000000002", starts_ms=None, place=""))  # a poll

    (item,) = shown(chat)

    assert (item.summary, item.starts, item.zone, item.place) == ("飲み会", "2025-11-28T19:00", "Asia/Tokyo", "渋谷")
    assert (item.uid, item.sequence) == (uid_of(chat.id, "meeting", "p0000000001"), 5)
    assert "LOCATION:渋谷" in feed_as_ics(Feed(items=(item,))).decode()


def test_a_meeting_keeps_its_uid_when_answers_close_and_goes_when_it_is_removed(chat: Conversation) -> None:
    holds(chat, meeting())
    (before,) = shown(chat)
    holds(chat, meeting(closes_ms=1, revision=(9, 0)))
    (after,) = shown(chat)
    holds(chat, meeting().removed(revision=(10, 0)))

    assert (after.uid, after.sequence) == (before.uid, 9)
    assert shown(chat) == ()


def test_a_chat_has_at_most_400_events_the_earliest(chat: Conversation) -> None:
    day = dt.date(2025, 12, 1)
    reminders = [reminder(number, start=f"{day + dt.timedelta(days=number)}T09:00") for number in range(MOST_ITEMS + 1)]

    items = shown(chat, *reminders)

    assert len(items) == MOST_ITEMS
    assert items[0].starts == "2025-12-01T09:00"
    assert items[-1].starts < max(one.start for one in reminders)


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY;BYHOUR=9,18",
        "FREQ=DAILY;INTERVAL=2;BYHOUR=8,12,20;COUNT=7",
        "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=9,21;UNTIL=20251220T235959",
        "FREQ=WEEKLY;BYHOUR=7,13;COUNT=5",
        "FREQ=WEEKLY;BYDAY=MO,TH",
        "FREQ=MONTHLY;BYDAY=-1FR",
        "FREQ=MONTHLY;BYMONTHDAY=-1",
        "FREQ=DAILY;UNTIL=20251130T235959",
        "FREQ=YEARLY;BYMONTH=5;BYDAY=2SU",
    ],
)
def test_a_calendar_program_sees_the_occurrences_that_the_reminder_has(chat: Conversation, rule: str) -> None:
    recurrence = Recurrence.parse(rule, TOKYO)
    since_ms = round(dt.datetime(2025, 11, 21, 12, tzinfo=TOKYO).timestamp() * 1_000)
    asked = Schedule("2025-11-21T12:00", "Asia/Tokyo", recurrence)
    first_ms = asked.next_after(since_ms)
    assert first_ms is not None
    start = dt.datetime.fromtimestamp(first_ms / 1_000, TOKYO).strftime("%Y-%m-%dT%H:%M")
    until = dt.datetime(2026, 8, 1, tzinfo=TOKYO)
    schedule = Schedule(start, "Asia/Tokyo", recurrence)
    expected = list(schedule.between(0, round(until.timestamp()) * 1_000))

    items = shown(chat, reminder(start=start, rule=recurrence.rule))

    calendar = Component.from_ical(feed_as_ics(Feed(items=items)))
    seen = recurring_ical_events.of(calendar).between(dt.datetime(2025, 11, 1, tzinfo=TOKYO), until)
    assert sorted(round(event["DTSTART"].dt.timestamp()) * 1_000 for event in seen) == expected
    assert not [item for item in items if "BYHOUR" in item.rule]
