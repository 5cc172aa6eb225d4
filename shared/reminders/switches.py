"""Summaries and digests on a schedule as rows of what is on."""

from collections.abc import Mapping, Sequence
from typing import Final

from shared.conversation.store import Conversation
from shared.conversation.switch import Switch, switch_button
from shared.line.cards.card import CardRow
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import ListedChoice, ListedReminderPress
from shared.reminders.overview import OpenReminders, shown_time
from shared.reminders.reminder import Reminder, ReminderKind

_NAMES: Final[Mapping[ReminderKind, Phrase]] = {
    ReminderKind.CHAT_SUMMARY: Phrase.SWITCH_SUMMARY,
    ReminderKind.DAILY_DIGEST: Phrase.SWITCH_DIGEST,
    ReminderKind.WEEKLY_DIGEST: Phrase.SWITCH_DIGEST,
}


def summary_switches(conversation: Conversation) -> Sequence[Switch]:
    """Return a row for each summary or digest that comes again, with the button that cancels it, as in the list of `/reminders`."""
    due = OpenReminders.read(conversation)
    return [
        _switch(reminder, now_ms=due.now_ms)
        for reminder in due.reminders
        if reminder.kind in _NAMES and reminder.rule is not None
    ]


def _switch(reminder: Reminder, *, now_ms: int) -> Switch:
    return Switch(row=lambda phrases, locale: _row(reminder, phrases, locale, now_ms=now_ms))


def _row(reminder: Reminder, phrases: Phrases, locale: str, *, now_ms: int) -> CardRow:
    name = phrases.text(_NAMES[reminder.kind], locale=locale)
    press = ListedReminderPress(choice=ListedChoice.CANCEL, reminder_id=reminder.id, next_ms=reminder.next_ms)
    return CardRow(
        text=name,
        detail=shown_time(reminder, locale=locale, now_ms=now_ms),
        buttons=(switch_button(Phrase.REMINDER_CANCEL_BUTTON, press, name=name, phrases=phrases, locale=locale),),
    )
