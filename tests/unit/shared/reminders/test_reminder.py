"""A reminder as a value."""

from dataclasses import replace

import pytest

from shared.reminders.reminder import Reminder, ReminderState

REMINDER = Reminder(id="r0123456789", text="薬", start="2026-11-23T09:00", zone="Asia/Tokyo")


@pytest.mark.parametrize("state", [ReminderState.DONE, ReminderState.CANCELLED])
def test_a_reminder_that_has_ended_has_the_time_at_which_it_ended(state: ReminderState) -> None:
    assert REMINDER.ended(state, now_ms=7).next_ms == 7


def test_a_cancelled_reminder_keeps_neither_words_nor_person_and_one_that_was_said_keeps_both() -> None:
    reminder = replace(REMINDER, user_id="U1")

    ended = [reminder.ended(state, now_ms=7) for state in (ReminderState.CANCELLED, ReminderState.DONE)]

    assert [(one.text, one.user_id) for one in ended] == [("", None), ("薬", "U1")]
