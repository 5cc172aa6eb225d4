"""The events of a chat's calendar: its reminders, its meetings, and its entries with a date that are not done."""

import datetime as dt
import zoneinfo
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from shared.calendars.feed import MOST_ITEMS, SUMMARY_LIMIT, FeedItem, uid_of
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.knowledge.entry import Entry
from shared.knowledge.entry_store import EntryStore
from shared.knowledge.schema import one_line
from shared.polls.store import PollStore
from shared.recurrence import Recurrence
from shared.reminders.reminder import Reminder, ReminderKind, ReminderState
from shared.reminders.schedule import LOCAL_FORMAT, Schedule, local_time
from shared.reminders.store import ReminderStore

_PAST_DAYS: Final = 30
"""An event of one day stays so long after it."""
_MOST_TIMES: Final = 1_000
"""Occurrences looked at to find the first of each hour, and the last of a rule with a count."""


def items_of(
    conversation: Conversation, amendments: Amendments, *, now_ms: int, outside_remark: str
) -> tuple[FeedItem, ...]:
    """Return the events of the chat, the earliest first, without what was withdrawn; 400 at most.

    `outside_remark` is shown below an event that may hold words from outside the chat.
    """
    is_withdrawn = amendments.is_withdrawn_from_entries
    oldest = dt.datetime.fromtimestamp(now_ms / 1_000, dt.UTC).date() - dt.timedelta(days=_PAST_DAYS)
    events = [
        *_of_reminders(conversation, outside_remark),
        *_of_meetings(conversation, outside_remark),
        *_of_entries(conversation, oldest, outside_remark),
    ]
    shown = (
        event
        for event in events
        if not event.provenance.has_withdrawn(is_withdrawn) and (event.rule or event.starts[:10] >= oldest.isoformat())
    )
    return tuple(sorted(shown, key=lambda event: (event.starts, event.uid))[:MOST_ITEMS])


def _of_reminders(conversation: Conversation, outside_remark: str) -> Iterator[FeedItem]:
    for reminder in ReminderStore(conversation).read_all():
        is_shown = reminder.kind is ReminderKind.TEXT and reminder.state is not ReminderState.CANCELLED
        if is_shown and reminder.text:
            yield from _of_reminder(conversation, reminder, outside_remark)


def _of_reminder(conversation: Conversation, reminder: Reminder, outside_remark: str) -> Iterator[FeedItem]:
    """Yield an event; for a rule with several hours a day an event for each hour, because calendar programs ignore BYHOUR."""
    zone, recurrence = zoneinfo.ZoneInfo(reminder.zone), reminder.recurrence
    event = FeedItem(
        uid=uid_of(conversation.id, "reminder", reminder.id),
        sequence=reminder.revision[0],
        stamped_ms=_newest_ms(reminder.provenance),
        summary=one_line(reminder.text, limit=SUMMARY_LIMIT),
        details=outside_remark if reminder.provenance.outside else "",
        starts=reminder.start,
        zone=reminder.zone,
        provenance=reminder.provenance,
    )
    if recurrence is None:
        yield event
        return
    if not recurrence.hours:
        yield replace(event, rule=recurrence.rule_in_utc(zone))
        return
    for hour, (starts, rule) in _by_hour(reminder, recurrence, zone).items():
        yield replace(event, uid=uid_of(conversation.id, "reminder", f"{reminder.id} {hour}"), starts=starts, rule=rule)


def _by_hour(reminder: Reminder, recurrence: Recurrence, zone: zoneinfo.ZoneInfo) -> dict[int, tuple[str, str]]:
    """Return the first local time and the rule of each hour; a count becomes the time of the last occurrence.

    For example, `FREQ=DAILY;BYHOUR=9,18` from 2026-11-26T12:00 is `FREQ=DAILY` at 18:00 from 26 November, and at 9:00 from the 27th.
    """
    schedule = Schedule(reminder.start, reminder.zone, recurrence)
    times = [local_time(at_ms, reminder.zone) for at_ms in islice(schedule.between(0, 2**53), _MOST_TIMES)]
    until = recurrence.until
    if recurrence.count is not None and times:
        until = dt.datetime.strptime(times[-1], LOCAL_FORMAT)  # noqa: DTZ007 - local by definition
    daily = replace(recurrence, hours=(), count=None, until=until)
    firsts: dict[int, str] = {}
    for local in times:
        firsts.setdefault(int(local[11:13]), local)
    return {hour: (local, daily.rule_in_utc(zone)) for hour, local in firsts.items() if hour in recurrence.hours}


def _of_meetings(conversation: Conversation, outside_remark: str) -> Iterator[FeedItem]:
    """Yield an event for each meeting that was not called off, also when its answers are closed; the votes are not shown."""
    for meeting in PollStore(conversation).present():
        if meeting.starts_ms is not None and not meeting.is_called_off:
            yield FeedItem(
                uid=uid_of(conversation.id, "meeting", meeting.id),
                sequence=meeting.revision[0],
                stamped_ms=_newest_ms(meeting.provenance),
                summary=one_line(meeting.question, limit=SUMMARY_LIMIT),
                details=outside_remark if meeting.provenance.outside else "",
                place=one_line(meeting.place, limit=SUMMARY_LIMIT),
                starts=local_time(meeting.starts_ms, meeting.zone),
                zone=meeting.zone,
                provenance=meeting.provenance,
            )


def _of_entries(conversation: Conversation, oldest: dt.date, outside_remark: str) -> Iterator[FeedItem]:
    """Yield an event of the whole day for each open entry with a date, read whole: the catalog has only the beginning of a name."""
    entries = EntryStore(conversation)
    dated = [
        row for row in entries.catalog().rows if row.is_open and row.shown.get("due_date", "") >= oldest.isoformat()
    ]
    dated.sort(key=lambda row: row.shown["due_date"])
    for entry in entries.entries(row.path for row in dated[:MOST_ITEMS]):
        due = entry.fields.get("due_date") if entry is not None else None
        if entry is not None and isinstance(due, str) and entry.name:
            yield _of_entry(conversation, entry, due, outside_remark)


def _of_entry(conversation: Conversation, entry: Entry, due: str, outside_remark: str) -> FeedItem:
    next_action = entry.fields.get("next_action")
    details = (next_action if isinstance(next_action, str) else "", outside_remark if entry.provenance.outside else "")
    return FeedItem(
        uid=uid_of(conversation.id, "entry", entry.id),
        sequence=entry.revision[0],
        stamped_ms=_newest_ms(entry.provenance),
        summary=one_line(entry.name, limit=SUMMARY_LIMIT),
        details="\n".join(filter(None, details)),
        starts=due,
        provenance=entry.provenance,
    )


def _newest_ms(provenance: Provenance) -> int:
    return max(_times_of(provenance), default=0)


def _times_of(provenance: Provenance) -> Iterable[int]:
    return (source.timestamp_ms for source in provenance.sources)
