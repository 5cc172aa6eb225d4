"""Presses of the buttons under a reminder: "done", or "again later".

The first press of an occurrence counts, by any member. A button works only in its own chat: the id of another chat's reminder is
unknown here.
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
    """Carries presses out, and says when a postponed reminder comes again."""

    conversations: Conversations
    announcer: Announcer
    phrases: Phrases
    locale: str

    def __call__(self, event: LineEvent, press: ReminderPress) -> EventResult:
        """The press was carried out and answered; a second press, and a press for a deleted or cancelled reminder, does nothing.

        Repeated: carried out once, answered once. Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        reminder = self._counting_reminder(conversation, event, press)
        if reminder is None:
            logs.info("press_ignored")
            return EventResult.IGNORED
        again = postponed(reminder, press, event_id=event.webhook_event_id, pressed_ms=event.timestamp_ms)
        if again is not None:
            ReminderStore(conversation).create(again)
            # The amendments are read after the write: either this reading finds the withdrawal, or the withdrawal finds the reminder
            ReminderWords().remove_withdrawn(conversation, conversation.amendments.look())
        logs.info("reminder_pressed", choice=press.choice.value)
        return self._say(conversation, event, again)

    def _counting_reminder(self, conversation: Conversation, event: LineEvent, press: ReminderPress) -> Reminder | None:
        """Return the reminder if this press counts, also in a later delivery of the same event."""
        event_id, at_ms = event.webhook_event_id, event.timestamp_ms
        reminder = ReminderStore(conversation).update(
            press.reminder_id, lambda stored: pressed(stored, press, event_id=event_id, pressed_ms=at_ms)
        )
        if reminder is None or (reminder.pressed_ms, reminder.pressed_by) != (press.occurrence_ms, event_id):
            return None
        amendments = conversation.amendments.look()
        return None if reminder.is_from_withdrawn(amendments.is_withdrawn_from_entries) else reminder

    def _say(self, conversation: Conversation, event: LineEvent, again: Reminder | None) -> EventResult:
        text = self.phrases.text(Phrase.REMINDER_DONE)
        if again is not None:
            now = dt.datetime.fromisoformat(local_time(event.timestamp_ms, again.zone))
            when = shown_moment(dt.datetime.fromisoformat(again.start), locale=self.locale, this_year=now.year)
            text = self.phrases.text(Phrase.REMINDER_POSTPONED, when=when)
        announcement = Announcement(
            webhook_event_id=event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            text=text,
            provenance=Provenance()
            if again is None
            else again.provenance,  # a reminder that was withdrawn meanwhile is not promised
        )
        return self.announcer.announce(conversation, announcement, event.reply_token, event.deadline)
