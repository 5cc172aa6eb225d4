"""What is due in a chat as a fixed text, the next first."""

import datetime as dt
from dataclasses import dataclass, field
from typing import Final

from shared.agent.receipts import without_marks
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
    """The text, and the provenance of the words that it repeats."""

    text: str = field(repr=False)
    provenance: Provenance = field(default_factory=Provenance)


def due_reminders(conversation: Conversation, *, phrases: Phrases, locale: str) -> DueReminders:
    """Return what is due, without what came from withdrawn messages.  Raises: StorageUnavailableError."""
    found = [one for one in ReminderStore(conversation).read_all() if one.is_open]
    amendments = conversation.amendments.look()
    found = [one for one in found if not one.is_from_withdrawn(amendments.is_withdrawn_from_entries)]
    if not found:
        return DueReminders(text=phrases.text(Phrase.REMINDERS_NONE))
    found.sort(key=lambda one: (one.next_ms, one.id))
    shown, now_ms = found[:_SHOWN], conversation.turn.clock.now_ms()
    lines = [
        f"・{shown_time(one, locale=locale, now_ms=now_ms)} {cut(mask_ids(one.text), limit_utf16=_TEXT_UTF16)}"
        for one in shown
    ]
    if len(found) > len(shown):
        lines.append(f"… +{len(found) - len(shown)}")
    return DueReminders(
        text=without_marks("\n".join((phrases.text(Phrase.REMINDERS_DUE), *lines))),
        provenance=Provenance.union(provenance_said(one, amendments) for one in shown),
    )


def shown_time(reminder: Reminder, *, locale: str, now_ms: int) -> str:
    """Return when it is said, in words: its rule, or its next time."""
    at = dt.datetime.fromisoformat(local_time(reminder.next_ms, reminder.zone))
    this_year = dt.datetime.fromisoformat(local_time(now_ms, reminder.zone)).year
    return shown_schedule(reminder.recurrence, start=at, locale=locale, this_year=this_year)
