"""A chat's due reminders as a fixed text, the next first."""

import datetime as dt
from dataclasses import dataclass, field
from typing import Final

from shared.agent.receipts import without_receipt_symbols
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.line.graphemes import cut
from shared.line.ids import mask_ids
from shared.line.phrases import Phrase, Phrases
from shared.locales.local_times import shown_schedule
from shared.reminders.delivery import provenance_said
from shared.reminders.reminder import Reminder
from shared.reminders.schedule import local_time
from shared.reminders.store import ReminderStore

_SHOWN: Final = 30
_TEXT_UTF16: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class DueReminders:
    """The text, and the provenance of the repeated words."""

    text: str = field(repr=False)
    provenance: Provenance = field(default_factory=Provenance)


def due_reminders(conversation: Conversation, *, phrases: Phrases, locale: str) -> DueReminders:
    """Return the due reminders, without reminders from withdrawn messages.  Raises: StorageUnavailableError."""
    reminders = [reminder for reminder in ReminderStore(conversation).read_all() if reminder.is_open]
    amendments = conversation.amendments.look()
    reminders = [
        reminder for reminder in reminders if not reminder.is_from_withdrawn(amendments.is_withdrawn_from_entries)
    ]
    if not reminders:
        return DueReminders(text=phrases.text(Phrase.REMINDERS_NONE))
    reminders.sort(key=lambda reminder: (reminder.next_ms, reminder.id))
    shown, now_ms = reminders[:_SHOWN], conversation.turn.clock.now_ms()
    lines = [
        f"・{shown_time(reminder, locale=locale, now_ms=now_ms)} {cut(mask_ids(reminder.text), limit_utf16=_TEXT_UTF16)}"
        for reminder in shown
    ]
    if len(reminders) > len(shown):
        lines.append(f"… +{len(reminders) - len(shown)}")
    return DueReminders(
        text=without_receipt_symbols("\n".join((phrases.text(Phrase.REMINDERS_DUE), *lines))),
        provenance=Provenance.union(provenance_said(reminder, amendments) for reminder in shown),
    )


def shown_time(reminder: Reminder, *, locale: str, now_ms: int) -> str:
    """Return the reminder's time in words: the rule, or the next time."""
    at = dt.datetime.fromisoformat(local_time(reminder.next_ms, reminder.zone))
    this_year = dt.datetime.fromisoformat(local_time(now_ms, reminder.zone)).year
    return shown_schedule(reminder.recurrence, start=at, locale=locale, this_year=this_year)
