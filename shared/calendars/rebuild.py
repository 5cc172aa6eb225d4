"""Write a chat's feed anew from its reminders and entries, by a tick: a minute after something changed, and once a day.

    calendar ─▶ feed, "being written", G ─▶ amendments, reminders, meetings, entries ─▶ swap at G

A run says first that it writes. A withdrawal removes that remark, so a run that has read the amendments before it loses its swap, and no
withdrawn word is written after the withdrawal. A slower run beside another loses its swap likewise, and a tick repeats it.
"""

import hashlib
from dataclasses import field
from typing import Final

from shared import logs
from shared.calendars.feed import Calendar, Feed, FeedItem
from shared.calendars.items import items_of
from shared.calendars.store import CalendarStore
from shared.clock import HOUR_MS, MINUTE_MS, Clock
from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation
from shared.errors import TurnBusyError
from shared.frozen import frozen
from shared.line.phrases import Phrase, Phrases
from shared.storage.object_store import StoredObject

_DAY_MS: Final = 24 * HOUR_MS


@frozen
class FeedBuilder:
    """Writes feeds; a DueTask.  `is_empty`: the feed shows nothing, as in a chat whose admission was revoked."""

    phrases: Phrases
    clock: Clock = field(repr=False)
    is_empty: bool = False

    def __call__(self, conversation: Conversation, _: str) -> None:
        """The feed shows the chat's reminders and dated entries; a chat without a calendar gets none.

        Repeated: writes the same. Raises: StorageUnavailableError; TurnBusyError, where another worker wrote meanwhile. Safe to repeat.
        """
        store = CalendarStore(conversation)
        calendar = store.read()
        if calendar is None:
            return
        store.delete_retired(calendar)
        stored = store.feed(calendar) or self._made_again(store, calendar)
        if stored is None:
            return
        generation = store.begin_writing(calendar, stored)
        if generation is None:
            raise TurnBusyError("another worker changed the feed")
        amendments = conversation.amendments.look()
        items = () if self.is_empty else self._items(conversation, calendar, amendments)
        name = self.phrases.text(Phrase.CALENDAR_NAME, locale=calendar.locale or None)
        if not store.swap_feed(calendar, Feed(name=name, items=items), generation=generation):
            raise TurnBusyError("another worker changed the feed")
        if items:
            store.mark(at_ms=_next_daily_ms(conversation.id, self.clock.now_ms()))
        logs.info("feed_written", items=len(items))

    def _items(self, conversation: Conversation, calendar: Calendar, amendments: Amendments) -> tuple[FeedItem, ...]:
        remark = self.phrases.text(Phrase.CALENDAR_OUTSIDE, locale=calendar.locale or None)
        return items_of(conversation, amendments, now_ms=self.clock.now_ms(), outside_remark=remark)

    def _made_again(self, store: CalendarStore, calendar: Calendar) -> StoredObject | None:
        """Return a new feed for a calendar whose feed is missing; None, if the calendar was removed or renewed meanwhile."""
        store.make_feed(calendar)
        current = store.read()
        if current is None or current.token != calendar.token:
            store.delete_feed(calendar.feed_name)
            return None
        return store.feed(calendar)


def _next_daily_ms(conversation_id: str, now_ms: int) -> int:
    """Return the next time at the chat's own minute of the day, for a run without any change.

    Runs of the same day leave the same marker, so each day has one such run, however often the feed was written.
    """
    digest = hashlib.sha256(conversation_id.encode()).digest()
    own_ms = int.from_bytes(digest[:8]) * MINUTE_MS % _DAY_MS
    return now_ms + _DAY_MS - (now_ms - own_ms) % _DAY_MS
