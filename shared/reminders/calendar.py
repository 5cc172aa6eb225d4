"""Links that put a reminder into a phone's calendar, without a server of ours: Google Calendar's page for a new event, filled in.

Source: github.com/InteractionDesignFoundation/add-event-to-calendar-docs, services/google.md (`text`, `dates`, `ctz`, `recur`,
`location`); LINE, "Use LINE features with the LINE URL scheme" (`openExternalBrowser=1` opens the phone's browser or calendar instead of
LINE's own browser).
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
from shared.polls.poll import FOLDER as POLLS_FOLDER
from shared.polls.poll import Poll, Vote
from shared.reminders.reminder import REMINDERS_PATH, Reminder, ReminderKind
from shared.storage.codec import decode

_PAGE: Final = "https://calendar.google.com/calendar/render"
_LASTS: Final = dt.timedelta(minutes=15)
_LOCAL: Final = "%Y%m%dT%H%M%S"
_MOST_LINKS: Final = 3
_PLACE_LIMIT: Final = URI_LIMIT // 3
"""Characters of a place in an address."""


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
        meetings = {meeting.reminder_id: meeting for meeting in _meetings_in(outcome)}
        addresses = (_link(reminder, meetings.get(reminder.id)) for reminder in reminders)
        links = (LinkButton(label=label, uri=address) for label, address in zip(labels, addresses, strict=True))
        return (OutgoingMessage(text=receipt, links=tuple(links)),)


def _label(reminder: Reminder) -> str:
    """Return the label of one of several buttons: the reminder's words."""
    words = without_receipt_symbols(" ".join(mask_ids(reminder.text).split()))
    return cut(f"🗓 {words}", limit_utf16=LABEL_LIMIT)


def _link(reminder: Reminder, meeting: Poll | None) -> str:
    """Return the address of a new event for a reminder; for a reminder before a meeting, the event is the meeting.

    For example, for a reminder at 18:00 of a meeting at 19:00 in Shibuya: an event at 19:00, with the place.
    """
    if meeting is None:
        return calendar_link(reminder)
    event = replace(reminder, text=meeting.question, due_ms=meeting.starts_ms)
    return calendar_link(event, place=meeting.place)


def calendar_link(reminder: Reminder, *, place: str = "") -> str:
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
    location = f"&location={_encoded(place, at_most=_PLACE_LIMIT)}" if place else ""
    address = f"{_PAGE}?{urlencode(facts, safe='/')}{location}&text="
    return address + _encoded(reminder.text, at_most=URI_LIMIT - len(address))


def _encoded(text: str, *, at_most: int) -> str:
    """Return the text, or the beginning that fits, for an address: `%E8%96%AC` for "薬"."""
    encoded = ""
    for grapheme in graphemes(text):
        part = quote(grapheme, safe="")
        if len(encoded) + len(part) > at_most:
            break
        encoded += part
    return encoded


def _set_by(outcome: OutcomeRecord) -> Iterator[Reminder]:
    """Yield the reminders with words of their own that the outcome's writes create."""
    for write in outcome.writes:
        if write.text is None or not write.path.startswith(REMINDERS_PATH):
            continue
        reminder = decode(Reminder, write.text.encode())
        is_new = reminder.created == reminder.revision
        if is_new and reminder.kind is ReminderKind.TEXT and reminder.due_ms is not None:
            yield reminder


def _meetings_in(outcome: OutcomeRecord) -> Iterator[Poll]:
    """Yield the meetings with a reminder that the outcome's writes create or change."""
    prefix = f"{POLLS_FOLDER}/"
    for write in outcome.writes:
        is_poll = write.path.startswith(prefix) and Vote.at(write.path.removeprefix(prefix)) is None
        meeting = decode(Poll, write.text.encode()) if is_poll and write.text is not None else None
        if meeting is not None and meeting.is_meeting and meeting.reminder_id:
            yield meeting
