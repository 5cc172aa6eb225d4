"""The buttons of a reminder, and the effect of a press."""

import datetime as dt
import hashlib
import zoneinfo
from dataclasses import replace
from typing import Final

from shared.clock import MINUTE_MS, SKEW_MS
from shared.line.messaging import PostbackButton
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import ReminderChoice, ReminderPress
from shared.reminders.reminder import Reminder, ReminderState
from shared.reminders.schedule import local_time

_LABELS: Final = {
    ReminderChoice.DONE: Phrase.REMINDER_DONE_BUTTON,
    ReminderChoice.LATER: Phrase.REMINDER_LATER_BUTTON,
    ReminderChoice.HOUR: Phrase.REMINDER_HOUR_BUTTON,
    ReminderChoice.TOMORROW: Phrase.REMINDER_TOMORROW_BUTTON,
}
_LATER: Final = {ReminderChoice.LATER: dt.timedelta(minutes=10), ReminderChoice.HOUR: dt.timedelta(hours=1)}
_TOMORROW_AT: Final = dt.time(9)


def reminder_buttons(
    reminder_id: str, occurrence_ms: int, phrases: Phrases, *, locale: str
) -> tuple[PostbackButton, ...]:
    """Return the quick replies under a pushed occurrence; the chat shows a press as a message with the button's words."""
    return tuple(
        PostbackButton(
            label=phrases.text(label, locale=locale),
            data=ReminderPress(choice=choice, reminder_id=reminder_id, occurrence_ms=occurrence_ms).data,
            display_text=phrases.text(label, locale=locale),
        )
        for choice, label in _LABELS.items()
    )


def pressed(reminder: Reminder | None, press: ReminderPress, *, event_id: str, pressed_ms: int) -> Reminder | None:
    """Return the reminder with the press recorded; None: the press does not count.

    Only the first press of an occurrence counts, and no later press of an older occurrence; no press of a cancelled reminder counts. A
    press may come up to `SKEW_MS` before the occurrence, because the tick's clock may be ahead of LINE's.
    """
    if reminder is None or reminder.state is ReminderState.CANCELLED:
        return None
    if not reminder.pressed_ms < press.occurrence_ms <= pressed_ms + SKEW_MS:
        return None
    return replace(reminder, pressed_ms=press.occurrence_ms, pressed_by=event_id)


def postponed(reminder: Reminder, press: ReminderPress, *, event_id: str, pressed_ms: int) -> Reminder | None:
    """Return a reminder that says the same again later; None if the press means "done".  The same press makes the same reminder.

    For example, a press of "in an hour" at 09:00:30 makes a reminder for 10:01.
    """
    if press.choice is ReminderChoice.DONE:
        return None
    due_ms = _due_ms(press.choice, pressed_ms, reminder.zone)
    made_of = f"{reminder.id}/{press.occurrence_ms}/{event_id}"
    return Reminder(
        id=f"r{hashlib.sha256(made_of.encode()).hexdigest()[:10]}",
        kind=reminder.kind,
        text=reminder.text,
        provenance=reminder.provenance,
        user_id=reminder.user_id,
        locale=reminder.locale,
        start=local_time(due_ms, reminder.zone),
        zone=reminder.zone,
        is_own_zone=reminder.is_own_zone,
        due_ms=due_ms,
    )


def _due_ms(choice: ReminderChoice, pressed_ms: int, zone: str) -> int:
    """Return the whole minute of the postponed reminder, no earlier than the button says: for example 09:11, ten minutes after 09:00:30."""
    now = dt.datetime.fromtimestamp(pressed_ms / 1_000, tz=zoneinfo.ZoneInfo(zone))
    later = _LATER.get(choice)
    if later is None:
        at = dt.datetime.combine(now.date() + dt.timedelta(days=1), _TOMORROW_AT, tzinfo=now.tzinfo)
        return round(at.timestamp()) * 1_000
    at_ms = pressed_ms + round(later.total_seconds() * 1_000)
    return -(-at_ms // MINUTE_MS) * MINUTE_MS
