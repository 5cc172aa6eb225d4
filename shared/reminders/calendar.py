"""Links that put a reminder into a phone's calendar, without a server of ours: Google Calendar's page for a new event, filled in.

Source: github.com/InteractionDesignFoundation/add-event-to-calendar-docs, services/google.md (`text`, `dates`, `ctz`, `recur`); LINE, "Use
LINE features with the LINE URL scheme" (`openExternalBrowser=1` opens the phone's browser or calendar instead of LINE's own browser).
"""

import datetime as dt
import zoneinfo
from collections.abc import Iterator
from dataclasses import replace
from typing import Final
from urllib.parse import quote, urlencode

from shared.agent.receipts import closing_receipt, without_receipt_symbols
from shared.conversation.records import OutcomeRecord
from shared.frozen import frozen
from shared.line.graphemes import cut, graphemes
from shared.line.ids import mask_ids
from shared.line.language import language_of
from shared.line.messaging import LABEL_LIMIT, TEMPLATE_TEXT_LIMIT, URI_LIMIT, LinkButton, OutgoingMessage
from shared.line.phrases import Phrase, Phrases
from shared.line.utf16 import utf16_length
from shared.reminders.reminder import REMINDERS_PATH, Reminder, ReminderKind
from shared.storage.codec import decode

_PAGE: Final = "https://calendar.google.com/calendar/render"
_LASTS: Final = dt.timedelta(minutes=15)
_LOCAL: Final = "%Y%m%dT%H%M%S"
_MOST_LINKS: Final = 3


@frozen
class CalendarLinks:
    """The links below an answer that sets reminders.  `locale` counts where a text shows no language."""

    phrases: Phrases
    locale: str

    def of(self, outcome: OutcomeRecord) -> tuple[OutgoingMessage, ...]:
        """Return one message with a button for each of the first three reminders; the same message for the same outcome.

        The message has the receipt at the end of the outcome's text, so that a reminder is told once. A receipt too long for a message with
        buttons stays in the text.
        """
        reminders = tuple(_set_by(outcome))[:_MOST_LINKS]
        if not reminders:
            return ()
        text = outcome.text or ""
        receipt = closing_receipt(text)
        if not receipt or utf16_length(receipt) > TEMPLATE_TEXT_LIMIT:
            names = " / ".join(mask_ids(reminder.text) for reminder in reminders)
            receipt = cut(without_receipt_symbols(f"🗓 {names}"), limit_utf16=TEMPLATE_TEXT_LIMIT)
        locale = outcome.offer.locale or language_of((reminders[0].text, text), default=self.locale)
        label = self.phrases.text(Phrase.CALENDAR_BUTTON, locale=locale)
        labels = [label] if len(reminders) == 1 else [_label(reminder) for reminder in reminders]
        links = (LinkButton(label=label, uri=calendar_link(one)) for label, one in zip(labels, reminders, strict=True))
        return (OutgoingMessage(text=receipt, links=tuple(links)),)


def _label(reminder: Reminder) -> str:
    """Return the label of one of several buttons: the reminder's words."""
    words = without_receipt_symbols(" ".join(mask_ids(reminder.text).split()))
    return cut(f"🗓 {words}", limit_utf16=LABEL_LIMIT)


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
        if write.text is None or not write.path.startswith(REMINDERS_PATH):
            continue
        reminder = decode(Reminder, write.text.encode())
        is_new = reminder.created == reminder.revision
        if is_new and reminder.kind is ReminderKind.TEXT and reminder.due_ms is not None:
            yield reminder
