"""A chat's due reminders as a fixed text, the next first; or a page of them as a card, with buttons on each."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final

from shared.agent.receipts import without_receipt_symbols
from shared.conversation.amendments import Amendments
from shared.conversation.overview import Overview
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.frozen import frozen
from shared.line.cards.card import Card, CardButton, CardRow, title_of
from shared.line.graphemes import cut
from shared.line.ids import mask_ids
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import ListedChoice, ListedReminderPress, PagePress
from shared.locales.local_times import shown_schedule
from shared.reminders.delivery import provenance_said
from shared.reminders.reminder import Reminder, ReminderKind
from shared.reminders.schedule import local_time
from shared.reminders.store import ReminderStore

_SHOWN: Final = 30
_A_PAGE: Final = 8  # with buttons, a phone shows about four at a time
_TEXT_UTF16: Final = 80
_LABELS: Final[Mapping[ListedChoice, Phrase]] = {
    ListedChoice.CANCEL: Phrase.REMINDER_CANCEL_BUTTON,
    ListedChoice.HOUR_LATER: Phrase.REMINDER_LATER_HOUR_BUTTON,
}


@frozen
class OpenReminders:
    """A chat's open reminders as read at `now_ms`, the next first, without reminders from withdrawn messages."""

    reminders: Sequence[Reminder] = field(repr=False)
    amendments: Amendments = field(repr=False)
    now_ms: int

    @classmethod
    def read(cls, conversation: Conversation) -> "OpenReminders":
        """Read the chat's reminders.  Raises: StorageUnavailableError."""
        reminders = [reminder for reminder in ReminderStore(conversation).read_all() if reminder.is_open]
        amendments = conversation.amendments.look()
        standing = (one for one in reminders if not one.is_from_withdrawn(amendments.is_withdrawn_from_entries))
        return cls(
            reminders=sorted(standing, key=lambda reminder: (reminder.next_ms, reminder.id)),
            amendments=amendments,
            now_ms=conversation.turn.clock.now_ms(),
        )

    def listed(self, *, phrases: Phrases, locale: str, page: int | None = None) -> Overview:
        """Return the reminders in words.

        Without a `page`, the text has the next thirty; with a page, counted from 0, text and card have its eight. A page beyond the last,
        for example after cancellations, is the last.
        """
        reminders = self.reminders
        if not reminders:
            return Overview(text=phrases.text(Phrase.REMINDERS_NONE, locale=locale))
        heading = phrases.text(Phrase.REMINDERS_DUE, locale=locale)
        first = 0 if page is None else min(page, (len(reminders) - 1) // _A_PAGE) * _A_PAGE
        shown = reminders[first : first + (_SHOWN if page is None else _A_PAGE)]
        rows = [_Row.of(reminder, locale=locale, now_ms=self.now_ms) for reminder in shown]
        hidden_count = len(reminders) - first - len(shown)
        lines = [f"・{row.when} {row.text}" for row in rows] + ([f"… +{hidden_count}"] if hidden_count else [])
        return Overview(
            text=without_receipt_symbols("\n".join((heading, *lines))),
            provenance=Provenance.union(provenance_said(reminder, self.amendments) for reminder in shown),
            card=None
            if page is None
            else Card(
                title=title_of(heading),
                rows=tuple(row.drawn(phrases, locale) for row in rows),
                buttons=_more(first // _A_PAGE + 1, phrases, locale) if hidden_count else (),
            ),
        )


@frozen
class _Row:
    """A reminder of the list, with its words as they are shown."""

    reminder: Reminder
    when: str
    text: str

    @classmethod
    def of(cls, reminder: Reminder, *, locale: str, now_ms: int) -> "_Row":
        when = shown_time(reminder, locale=locale, now_ms=now_ms)
        return cls(reminder=reminder, when=when, text=cut(mask_ids(reminder.text), limit_utf16=_TEXT_UTF16))

    def drawn(self, phrases: Phrases, locale: str) -> CardRow:
        """Return the row with its buttons."""
        text = without_receipt_symbols(self.text)
        return CardRow(
            text=text,
            detail=self.when,
            buttons=tuple(
                self._button(choice, phrases.text(_LABELS[choice], locale=locale), text)
                for choice in choices_of(self.reminder)
            ),
        )

    def _button(self, choice: ListedChoice, label: str, text: str) -> CardButton:
        press = ListedReminderPress(choice=choice, reminder_id=self.reminder.id, next_ms=self.reminder.next_ms)
        return CardButton(label=label, value=press.data, shown=f"{label}: {text}")


def _more(page: int, phrases: Phrases, locale: str) -> tuple[CardButton, ...]:
    return (
        CardButton(
            label=phrases.text(Phrase.MORE_BUTTON, locale=locale), value=PagePress(command="reminders", page=page).data
        ),
    )


def choices_of(reminder: Reminder) -> tuple[ListedChoice, ...]:
    """Return the choices of presses beside a listed reminder.

    A recurring reminder comes by a rule, and a late one with the next answer, so neither can come an hour later. The result of a poll
    comes at the end of the poll, and only closing the poll changes the time.
    """
    if reminder.kind is ReminderKind.POLL:
        return ()
    is_movable = reminder.rule is None and reminder.kept_ms is None
    return (ListedChoice.CANCEL, ListedChoice.HOUR_LATER) if is_movable else (ListedChoice.CANCEL,)


def shown_time(reminder: Reminder, *, locale: str, now_ms: int) -> str:
    """Return the reminder's time in words: the rule, or the next time; with the place of a zone that the person named."""
    at = dt.datetime.fromisoformat(local_time(reminder.next_ms, reminder.zone))
    this_year = dt.datetime.fromisoformat(local_time(now_ms, reminder.zone)).year
    return shown_schedule(reminder.recurrence, start=at, locale=locale, this_year=this_year, place=reminder.place)
