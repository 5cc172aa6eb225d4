"""Presses of the buttons beside a listed reminder: cancel it, or have it said an hour later."""

import datetime as dt
from dataclasses import replace
from functools import partial
from typing import Final

from shared import logs
from shared.agent.receipts import Deed, DeedKind, Due, receipt
from shared.bus.result import EventResult
from shared.clock import HOUR_MS
from shared.conversation.amendments import Amendments
from shared.conversation.records import StagedWrite
from shared.conversation.store import Conversation, Conversations
from shared.conversation.undo import undo_write
from shared.frozen import frozen
from shared.line.events import LineEvent
from shared.line.language import language_of
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import ListedChoice, ListedReminderPress
from shared.reminders.delivery import provenance_said
from shared.reminders.overview import choices_of
from shared.reminders.reminder import REMINDERS_PATH, Reminder
from shared.reminders.schedule import local_time
from shared.reminders.store import ReminderStore
from shared.storage.codec import encode
from shared.turns.announcement import Announcement, Announcer, in_chats_language, phrased, postponed_once

_KINDS: Final = {
    ListedChoice.CANCEL: DeedKind.REMINDER_CANCELLED,
    ListedChoice.HOUR_LATER: DeedKind.REMINDER_CHANGED,
}


@frozen
class ListedReminderPressHandler:
    """Carries presses out in the chat's turn, and answers each with a receipt or with the reason why nothing was changed."""

    conversations: Conversations
    announcer: Announcer
    phrases: Phrases
    locale: str

    def __call__(self, event: LineEvent, press: ListedReminderPress) -> EventResult:
        """The reminder is cancelled or moved, unless it has ended, was withdrawn, or has another time than the list said.

        A list that was sent does not change, so an old list's button says so. What holds is read while the turn is held, so a change of a
        turn in between is not overwritten. Where the token dies before, nothing changes, and the chat's next answer says so.
        Repeated: carried out once, answered once.
        Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        refusal = phrased(event, self.phrases, Phrase.REMINDER_GONE)
        decide = partial(self._decided, conversation, event, press)

        def late() -> Announcement | None:
            return self._late(conversation, event, press)

        return self.announcer.announce(conversation, replace(refusal, decide=decide, if_late=late))

    def _late(self, conversation: Conversation, event: LineEvent, press: ListedReminderPress) -> Announcement | None:
        """Return the notice of a press without a turn, for the chat's next answer; None: the press would change nothing."""
        is_needed = isinstance(_pressed_reminder(conversation, press, conversation.amendments.look()), Reminder)
        return postponed_once(event, self.phrases, Phrase.LIST_PRESS_LATE) if is_needed else None

    def _decided(self, conversation: Conversation, event: LineEvent, press: ListedReminderPress) -> Announcement:
        """Return the receipt with the write of the reminder, or the reason why nothing is written."""
        amendments = conversation.amendments.look()
        reminder = _pressed_reminder(conversation, press, amendments)
        if isinstance(reminder, Phrase):
            return self._refused(event, reminder)
        changed = _moved(reminder, by_ms=HOUR_MS) if press.choice is ListedChoice.HOUR_LATER else None
        logs.info("listed_reminder_pressed", choice=press.choice.value)

        def worded(locale: str | None) -> Announcement:
            return Announcement(
                event=event,
                text=self._receipt(press.choice, changed or reminder, event, locale=locale),
                provenance=provenance_said(reminder, amendments),
                stage=partial(_stage, reminder, changed),
            )

        return in_chats_language(worded)

    def _receipt(self, choice: ListedChoice, reminder: Reminder, event: LineEvent, *, locale: str | None) -> str:
        """Return a receipt, such as `✓ Reminder cancelled: “pills” (Wed 26 Nov, 09:00)`; without a locale, in the reminder's language."""
        due = Due(
            at=dt.datetime.fromisoformat(local_time(reminder.next_ms, reminder.zone)),
            this_year=dt.datetime.fromisoformat(local_time(event.timestamp_ms, reminder.zone)).year,
            recurrence=reminder.recurrence,
            place=reminder.place,
        )
        deed = Deed(kind=_KINDS[choice], name=reminder.text, due=due)
        of_reminder = language_of((reminder.text,), default=self.locale, chosen=reminder.locale or None)
        return receipt([deed], locale=locale or of_reminder)

    def _refused(self, event: LineEvent, reason: Phrase) -> Announcement:
        """Return the reason why nothing is written."""
        logs.info("press_refused", reason=reason.value)
        return phrased(event, self.phrases, reason)


def _pressed_reminder(
    conversation: Conversation, press: ListedReminderPress, amendments: Amendments
) -> Reminder | Phrase:
    """Return the reminder to change, or the reason why the press changes nothing."""
    stored = ReminderStore(conversation).find(press.reminder_id)
    reminder = stored[0] if stored is not None else None
    if reminder is None or not reminder.is_open or reminder.is_from_withdrawn(amendments.is_withdrawn_from_entries):
        return Phrase.REMINDER_GONE
    is_as_listed = reminder.next_ms == press.next_ms and press.choice in choices_of(reminder)
    return reminder if is_as_listed else Phrase.REMINDER_CHANGED


def _moved(reminder: Reminder, *, by_ms: int) -> Reminder:
    due_ms = reminder.next_ms + by_ms
    return replace(reminder, start=local_time(due_ms, reminder.zone), due_ms=due_ms, claim=None)


def _stage(reminder: Reminder, changed: Reminder | None, sequence: int) -> tuple[StagedWrite, ...]:
    """Return the write of the change, and of what an undo restores."""
    path = f"{REMINDERS_PATH}{reminder.id}"
    text = None if changed is None else encode(replace(changed, revision=(sequence, 0))).decode()
    before = StagedWrite(path=path, text=encode(reminder).decode())
    return StagedWrite(path=path, text=text), undo_write([before], reminder.provenance, key=(sequence, 1))
