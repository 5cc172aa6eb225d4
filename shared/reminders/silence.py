"""Reminders in a silence: a due reminder waits, and is said late when the silence ends."""

from typing import Final

from shared.clock import MINUTE_MS, SKEW_MS
from shared.conversation.due import DueMarkers
from shared.conversation.silences import Switch
from shared.conversation.store import Conversation
from shared.reminders.reminder import Reminder
from shared.reminders.store import REMINDER, ReminderStore

WAITS_MS: Final = 60 * MINUTE_MS
"""How long a due reminder waits before its silence is read again; `/resume` does not wait for that."""


def postpone(conversation: Conversation, reminder: Reminder, silence: Switch, *, now_ms: int) -> None:
    """Make a marker for the time when the silence ends by itself, or for an hour from now; the record stays due.

    For example, a reminder of 09:00 in a handover until 09:40 gets a marker of 09:40.
    """
    again_ms = now_ms + WAITS_MS if silence.until_ms is None else min(silence.until_ms, now_ms + WAITS_MS)
    at_ms = max(again_ms, now_ms + SKEW_MS)
    DueMarkers(store=conversation.objects.store).mark(REMINDER, conversation, reminder.id, at_ms=at_ms)


def release_reminders(conversation: Conversation) -> None:
    """A tick says the reminders that became due in a silence, within two minutes.  Repeated: no further effect."""
    store, now_ms = ReminderStore(conversation), conversation.turn.clock.now_ms()
    for reminder in store.read_all():
        if reminder.is_open and reminder.due_ms is not None and reminder.due_ms <= now_ms:
            store.make_marker(reminder)
