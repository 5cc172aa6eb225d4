"""Links that put a reminder into a phone's calendar, without a server of ours: Google Calendar's page for a new event, filled in.

Source: github.com/InteractionDesignFoundation/add-event-to-calendar-docs, services/google.md (`text`, `dates`, `ctz`, `recur`); LINE, "Use
LINE features with the LINE URL scheme" (`openExternalBrowser=1` opens the phone's browser or calendar instead of LINE's own browser).
"""

import datetime as dt
import zoneinfo
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote, urlencode

from shared.agent.receipts import without_receipt_symbols
from shared.conversation.records import OutcomeRecord
from shared.line.graphemes import cut, graphemes
from shared.line.ids import mask_ids
from shared.line.language import language_of
from shared.line.messaging import TEMPLATE_TEXT_LIMIT, URI_LIMIT, LinkButton, OutgoingMessage
from shared.line.phrases import Phrase, Phrases
from shared.reminders.overview import shown_time
from shared.reminders.reminder import Reminder, ReminderKind
from shared.storage.codec import decode

_PAGE: Final = "https://calendar.google.com/calendar/render"
_LASTS: Final = dt.timedelta(minutes=15)
_LOCAL: Final = "%Y%m%dT%H%M%S"
_MOST_LINKS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarLinks:
    """The links after an answer: a link for each reminder set by the turn.  `locale` counts where a text shows no language."""

    phrases: Phrases
    locale: str

    def of(self, outcome: OutcomeRecord) -> tuple[OutgoingMessage, ...]:
        """Return a message with a button for each of the first three reminders; the same messages for the same outcome."""
        return tuple(self._link(reminder, outcome) for reminder in _set_by(outcome))[:_MOST_LINKS]

    def _link(self, reminder: Reminder, outcome: OutcomeRecord) -> OutgoingMessage:
        locale = language_of((reminder.text, outcome.text or ""), default=self.locale)
        when = shown_time(reminder, locale=locale, now_ms=outcome.timestamp_ms)
        words = without_receipt_symbols(f"🗓 {when}\n{mask_ids(reminder.text)}")
        return OutgoingMessage(
            text=cut(words, limit_utf16=TEMPLATE_TEXT_LIMIT),
            link=LinkButton(
                label=self.phrases.text(Phrase.CALENDAR_BUTTON, locale=locale), uri=calendar_link(reminder)
            ),
        )


def calendar_link(reminder: Reminder) -> str:
    """Return the address of a new event at the reminder's next time, within LINE's limit: a long text is cut.

    For example, the address of an event at 09:00 holds `dates=20261123T090000/20261123T091500&ctz=Asia/Tokyo`. Calendars know no event
    with several hours a day, so such a reminder is an event from its first to its last hour: `dates=20261123T090000/20261123T171500`.
    """
    zone = zoneinfo.ZoneInfo(reminder.zone)
    begins = ends = dt.datetime.fromtimestamp(reminder.next_ms / 1_000, tz=zone)
    recurrence = reminder.recurrence
    if recurrence is not None and recurrence.hours:
        begins, ends = begins.replace(hour=recurrence.hours[0]), begins.replace(hour=recurrence.hours[-1])
        days = None if recurrence.count is None else -(-recurrence.count // len(recurrence.hours))
        recurrence = replace(recurrence, hours=(), count=days)
    facts = {
        "action": "TEMPLATE",
        "dates": f"{begins:{_LOCAL}}/{ends + _LASTS:{_LOCAL}}",
        "ctz": reminder.zone,
        **({"recur": f"RRULE:{recurrence.rule_in_utc(zone)}"} if recurrence is not None else {}),
        "openExternalBrowser": "1",
    }
    address = f"{_PAGE}?{urlencode(facts, safe='/')}&text="
    title = ""
    for grapheme in graphemes(reminder.text):
        encoded = quote(grapheme, safe="")
        if len(address) + len(title) + len(encoded) > URI_LIMIT:
            break
        title += encoded
    return address + title


def _set_by(outcome: OutcomeRecord) -> Iterator[Reminder]:
    """Yield the reminders with words of their own that the outcome's writes create."""
    for write in outcome.writes:
        if write.reminder_id is None or write.text is None:
            continue
        reminder = decode(Reminder, write.text.encode())
        is_new = reminder.created == reminder.revision
        if is_new and reminder.kind is ReminderKind.TEXT and reminder.due_ms is not None:
            yield reminder
