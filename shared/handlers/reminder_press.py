"""Presses of the buttons under a reminder: "done", or "again later".

The first press of an occurrence counts, by any member; a later press is told so. A button works only in its own chat: the id of another
chat's reminder is unknown here.
"""

import datetime as dt
from functools import partial

from shared import logs
from shared.bus.result import EventResult
from shared.conversation.provenance import Provenance
from shared.conversation.records import StagedWrite
from shared.conversation.store import Conversation, Conversations
from shared.conversation.undo import stage_beyond_undo, undo_write
from shared.frozen import frozen
from shared.line.events import LineEvent
from shared.line.language import language_of
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import ReminderPress
from shared.locales.local_times import shown_moment
from shared.reminders.buttons import postponed, pressed
from shared.reminders.reminder import REMINDERS_PATH, Reminder, ReminderState
from shared.reminders.schedule import local_time
from shared.reminders.store import ReminderStore
from shared.reminders.words import ReminderWords
from shared.turns.announcement import Announcement, Announcer, in_chats_language, phrased, unless_withdrawn


@frozen
class ReminderPressHandler:
    """Carries presses out, and says when a postponed reminder comes again."""

    conversations: Conversations
    announcer: Announcer
    phrases: Phrases

    def __call__(self, event: LineEvent, press: ReminderPress) -> EventResult:
        """The press was carried out and answered; one that comes too late, or whose reminder is gone, is told that it changed nothing.

        Repeated: carried out once, answered once. Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        reminder = self._counting_reminder(conversation, event, press)
        if isinstance(reminder, Phrase):
            return self._refuse(conversation, event, reminder)
        again = postponed(reminder, press, event_id=event.webhook_event_id, pressed_ms=event.timestamp_ms)
        if again is not None:
            ReminderStore(conversation).create(again)
            # The amendments are read after the write: either this reading finds the withdrawal, or the withdrawal finds the reminder
            ReminderWords().remove_withdrawn(conversation, conversation.amendments.look())
        logs.info("reminder_pressed", choice=press.choice.value)
        return self._answer(conversation, event, again, locale=self._locale_of(reminder))

    def _refuse(self, conversation: Conversation, event: LineEvent, reason: Phrase) -> EventResult:
        """Say why the press changed nothing, for example that the reminder was cancelled."""
        logs.info("press_refused", reason=reason.value)
        announcement = phrased(event, self.phrases, reason)
        return self.announcer.announce(conversation, announcement)

    def _counting_reminder(
        self, conversation: Conversation, event: LineEvent, press: ReminderPress
    ) -> Reminder | Phrase:
        """Return the reminder if this press counts, also if it was noted in an earlier delivery of the event; else why it does not."""
        event_id, at_ms = event.webhook_event_id, event.timestamp_ms
        reminder = ReminderStore(conversation).update(
            press.reminder_id, lambda stored: pressed(stored, press, event_id=event_id, pressed_ms=at_ms)
        )
        if reminder is None or reminder.is_from_withdrawn(conversation.amendments.look().is_withdrawn_from_entries):
            return Phrase.REMINDER_GONE
        is_noted = (reminder.pressed_ms, reminder.pressed_by) == (press.occurrence_ms, event_id)
        if is_noted:
            return reminder
        if reminder.state is ReminderState.CANCELLED:
            return Phrase.REMINDER_GONE
        return Phrase.PRESS_REPEATED if press.occurrence_ms <= reminder.pressed_ms else Phrase.PRESS_VOID

    def _words_of(self, event: LineEvent, again: Reminder | None, *, locale: str) -> str:
        """Return the answer to a press that counts, for example "I will tell you again: Wed 26 Nov, 13:50."."""
        if again is None:
            return self.phrases.text(Phrase.REMINDER_DONE, locale=locale)
        now = dt.datetime.fromisoformat(local_time(event.timestamp_ms, again.zone))
        when = shown_moment(
            dt.datetime.fromisoformat(again.start), locale=locale, this_year=now.year, place=again.place
        )
        return self.phrases.text(Phrase.REMINDER_POSTPONED, locale=locale, when=when)

    def _locale_of(self, reminder: Reminder) -> str:
        """Return the language of the buttons below the reminder."""
        return language_of((reminder.text,), default=self.phrases.locale, chosen=reminder.locale or None)

    def _answer(
        self, conversation: Conversation, event: LineEvent, again: Reminder | None, *, locale: str
    ) -> EventResult:
        """Say what the press did, and have an undo cancel the reminder that it made; no undo takes back a press of "done".

        The answer is in the presser's language, else in `locale`, with the provenance of the new reminder: words withdrawn meanwhile are
        not promised, and the press is told so.
        """

        def worded(presser_locale: str | None) -> Announcement:
            return Announcement(
                event=event,
                text=self._words_of(event, again, locale=presser_locale or locale),
                provenance=Provenance() if again is None else again.provenance,
                stage=stage_beyond_undo if again is None else partial(_stage_undo, again),
            )

        announcement = in_chats_language(worded)
        gone = phrased(event, self.phrases, Phrase.REMINDER_GONE)
        return self.announcer.announce(conversation, unless_withdrawn(announcement, conversation, otherwise=gone))


def _stage_undo(again: Reminder, sequence: int) -> tuple[StagedWrite, ...]:
    """Return the write by which an undo cancels the reminder that a press has made."""
    creation = StagedWrite(path=f"{REMINDERS_PATH}{again.id}", text=None)
    return (undo_write([creation], again.provenance, key=(sequence, 0)),)
