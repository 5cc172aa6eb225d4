"""A reminder as a value."""

import pytest

from shared.reminders.reminder import Reminder, ReminderState

REMINDER = Reminder(id="r0123456789", text="薬", start="2026-11-23T09:00", zone="Asia/Tokyo")


@pytest.mark.parametrize("state", [ReminderState.DONE, ReminderState.CANCELLED])
def test_a_reminder_that_has_ended_has_the_time_at_which_it_ended(state: ReminderState) -> None:
    assert REMINDER.ended(state, now_ms=7).next_ms == 7
