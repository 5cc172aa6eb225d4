import datetime as dt
import zoneinfo
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import MemoryLineApi
from shared.clock import SKEW_MS
from shared.line.bot_name import BotName
from shared.line.messaging import OutgoingMessage, is_sendable
from shared.line.phrases import LocalePhrases, Phrase, phrase
from shared.line.postback_data import ReminderChoice, ReminderPress
from shared.locales.language_file import LOCALES
from shared.reminders.buttons import postponed, pressed, reminder_buttons
from shared.reminders.reminder import Reminder, ReminderKind, ReminderState

DUE_MS = 1_795_392_000_000  # 2026-11-23T09:00 in Tokyo
REMINDER = Reminder(
    id="r0123456789", text="薬", start="2026-11-23T09:00", zone="Asia/Tokyo", rule="FREQ=DAILY", due_ms=DUE_MS
)
PRESS = ReminderPress(choice=ReminderChoice.LATER, reminder_id=REMINDER.id, occurrence_ms=DUE_MS)


def at(local: str, zone: str = "Asia/Tokyo") -> int:
    return round(dt.datetime.fromisoformat(local).replace(tzinfo=zoneinfo.ZoneInfo(zone)).timestamp() * 1_000)


@pytest.mark.parametrize("locale", LOCALES)
def test_the_buttons_can_be_sent_in_every_language_and_name_their_occurrence(locale: str) -> None:
    phrases = LocalePhrases(locale="en", bot_name=BotName(account=MemoryLineApi(), configured="Aizuchi"))

    buttons = reminder_buttons(REMINDER.id, DUE_MS, phrases, locale=locale)

    assert buttons[0].label == phrase(Phrase.REMINDER_DONE_BUTTON, locale=locale, bot_name="Aizuchi")
    assert is_sendable([OutgoingMessage(text="薬", quick_replies=buttons)])
    presses = [ReminderPress.read(one.data) for one in buttons]
    assert [one and one.choice for one in presses] == list(ReminderChoice)
    assert {one and (one.reminder_id, one.occurrence_ms) for one in presses} == {(REMINDER.id, DUE_MS)}


@given(st.permutations(["e1", "e2", "e3"]))
def test_of_several_presses_the_first_one_counts(events: list[str]) -> None:
    reminder, counted = REMINDER, list[str]()
    for event in events:
        noted = pressed(reminder, PRESS, event_id=event, pressed_ms=DUE_MS + 60_000)
        if noted is not None:
            reminder = noted
            counted.append(event)

    assert counted == events[:1]
    assert (reminder.pressed_ms, reminder.pressed_by) == (DUE_MS, events[0])


def test_a_press_counts_only_where_the_occurrence_was_said_and_the_reminder_stands() -> None:
    cancelled = replace(REMINDER, state=ReminderState.CANCELLED)

    assert pressed(None, PRESS, event_id="e1", pressed_ms=DUE_MS) is None
    assert pressed(cancelled, PRESS, event_id="e1", pressed_ms=DUE_MS) is None
    assert pressed(REMINDER, PRESS, event_id="e1", pressed_ms=DUE_MS - SKEW_MS - 1) is None
    older = replace(REMINDER, pressed_ms=DUE_MS + 86_400_000)
    assert pressed(older, PRESS, event_id="e1", pressed_ms=DUE_MS + 90_000_000) is None


def test_a_newer_occurrence_can_be_pressed_again() -> None:
    noted = pressed(REMINDER, PRESS, event_id="e1", pressed_ms=DUE_MS)
    tomorrow = replace(PRESS, occurrence_ms=DUE_MS + 86_400_000)

    assert pressed(noted, tomorrow, event_id="e2", pressed_ms=DUE_MS + 86_400_001) is not None


@pytest.mark.parametrize(
    ("choice", "zone", "pressed_at", "due"),
    [
        (ReminderChoice.LATER, "Asia/Tokyo", "2026-11-23T09:00:00", "2026-11-23T09:10"),
        (ReminderChoice.LATER, "Asia/Tokyo", "2026-11-23T09:00:01", "2026-11-23T09:11"),
        (ReminderChoice.HOUR, "Asia/Tokyo", "2026-11-23T23:30:00", "2026-11-24T00:30"),
        (ReminderChoice.TOMORROW, "Asia/Tokyo", "2026-11-23T00:05:00", "2026-11-24T09:00"),
        (ReminderChoice.TOMORROW, "Europe/Berlin", "2026-10-24T22:00:00", "2026-10-25T09:00"),  # the clocks go back
        (ReminderChoice.HOUR, "Europe/Berlin", "2026-03-29T01:30:00", "2026-03-29T03:30"),  # they go forward
    ],
)
def test_it_is_said_again_at_the_local_time_of_the_button(
    choice: ReminderChoice, zone: str, pressed_at: str, due: str
) -> None:
    reminder = replace(REMINDER, zone=zone)

    again = postponed(reminder, replace(PRESS, choice=choice), event_id="e1", pressed_ms=at(pressed_at, zone))

    assert again is not None
    assert (again.start, again.due_ms, again.rule) == (due, at(due, zone), None)


@given(st.sampled_from(ReminderChoice), st.integers(0, 10**9), st.sampled_from(ReminderKind))
def test_the_same_press_makes_the_same_reminder_with_the_same_words(
    choice: ReminderChoice, later_ms: int, kind: ReminderKind
) -> None:
    press, reminder = replace(PRESS, choice=choice), replace(REMINDER, kind=kind)
    first, second = (postponed(reminder, press, event_id="e1", pressed_ms=DUE_MS + later_ms) for _ in range(2))

    assert first == second
    if first is not None:
        assert first.due_ms is not None
        assert first.due_ms > DUE_MS + later_ms
        assert (first.text, first.kind, first.provenance.sources) == (reminder.text, kind, reminder.provenance.sources)
        other = postponed(reminder, press, event_id="e2", pressed_ms=DUE_MS + later_ms)
        assert other is not None
        assert first.id != other.id


def test_a_press_counts_before_its_time_where_the_tick_was_ahead_of_lines_clock() -> None:
    assert pressed(REMINDER, PRESS, event_id="e1", pressed_ms=DUE_MS - SKEW_MS) is not None
