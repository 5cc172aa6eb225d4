"""Presses of the buttons under a reminder: "done", or "again later".

The first press of an occurrence counts, whichever member it comes from. A button names a reminder of its own chat: one of another chat is
not found.
"""

import datetime as dt
from dataclasses import dataclass

from shared import logs
from shared.bus.result import EventResult
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation, Conversations
from shared.line.events import LineEvent
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import ReminderPress
from shared.locales.local_times import shown_moment
from shared.reminders.buttons import postponed, pressed
from shared.reminders.reminder import Reminder
from shared.reminders.schedule import local_time
from shared.reminders.store import ReminderStore
from shared.reminders.words import ReminderWords
from shared.turns.announcement import Announcement, Announcer


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderPressHandler:
    """Carries presses out, and says when it is said again."""

    conversations: Conversations
    announcer: Announcer
    phrases: Phrases
    locale: str

    def __call__(self, event: LineEvent, press: ReminderPress) -> EventResult:
        """The press was carried out and answered; a second press, and one for a deleted or cancelled reminder, does nothing.

        Repeated: carried out once, answered once. Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        reminder = self._noted(conversation, event, press)
        if reminder is None:
            logs.info("press_ignored")
            return EventResult.IGNORED
        again = postponed(reminder, press, event_id=event.webhook_event_id, pressed_ms=event.timestamp_ms)
        if again is not None:
            ReminderStore(conversation).create(again)
            # The look comes after the write: either this look finds the withdrawal, or the withdrawal finds the reminder
            ReminderWords().remove_withdrawn(conversation, conversation.amendments.look())
        logs.info("reminder_pressed", choice=press.choice.value)
        return self._say(conversation, event, again)

    def _noted(self, conversation: Conversation, event: LineEvent, press: ReminderPress) -> Reminder | None:
        """Return the reminder if this press counts, also if it was noted in an earlier delivery of the event."""
        event_id, at_ms = event.webhook_event_id, event.timestamp_ms
        found = ReminderStore(conversation).update(
            press.reminder_id, lambda there: pressed(there, press, event_id=event_id, pressed_ms=at_ms)
        )
        if found is None or (found.pressed_ms, found.pressed_by) != (press.occurrence_ms, event_id):
            return None
        amendments = conversation.amendments.look()
        return None if found.is_from_withdrawn(amendments.is_withdrawn_from_entries) else found

    def _say(self, conversation: Conversation, event: LineEvent, again: Reminder | None) -> EventResult:
        text = self.phrases.text(Phrase.REMINDER_DONE)
        if again is not None:
            now = dt.datetime.fromisoformat(local_time(event.timestamp_ms, again.zone))
            when = shown_moment(dt.datetime.fromisoformat(again.start), locale=self.locale, this_year=now.year)
            text = self.phrases.text(Phrase.REMINDER_POSTPONED, when=when)
        said = Announcement(
            webhook_event_id=event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            text=text,
            provenance=Provenance()
            if again is None
            else again.provenance,  # what was withdrawn meanwhile is not promised
        )
        return self.announcer.announce(conversation, said, event.reply_token, event.deadline)
