"""The calendar of a chat as objects of the bucket: the record with the token, and the feed.

A feed is created empty, before its token stands in the record, and gets words by swap only. So words are never written to a feed that an
erasure or a new token has deleted meanwhile: the swap of a slow worker finds no object.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from shared import logs
from shared.calendars.feed import Calendar, Feed, feed_name, tokens_in
from shared.clock import SKEW_MS
from shared.conversation.amendments import Amendments
from shared.conversation.due import DueMarkers
from shared.conversation.store import Conversation
from shared.errors import CorruptRecordError, UnreadableRecordError
from shared.storage.codec import decode, decode_if_readable, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_store import StoredObject

FOLDER: Final = "calendars"
CALENDAR_DUE: Final = "calendar"
"""The kind of the markers."""
_MARKER_ID: Final = "feed"


@dataclass(frozen=True, slots=True)
class CalendarStore:
    """Reads and writes a chat's calendar.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    conversation: Conversation

    @property
    def name(self) -> str:
        """The name of the calendar's record."""
        return f"{FOLDER}/{self.conversation.id}/calendar.json"

    def read(self) -> Calendar | None:
        """Return the chat's calendar; None where there is no readable calendar."""
        stored = self.conversation.objects.store.read(self.name)
        return decode_if_readable(Calendar, stored.data if stored is not None else None)

    def create(self, calendar: Calendar) -> Calendar:
        """Create the calendar with an empty feed, unless the chat has one; return the chat's calendar.

        The caller reads the amendments next. Repeated: returns the first.
        """
        self.make_feed(calendar)
        store = self.conversation.objects.store
        if store.create(self.name, encode(calendar)) is not None:
            return calendar
        first = self.read()
        if first is None or first.token == calendar.token:  # unreadable, deleted meanwhile, or created by a lost write
            return calendar
        self.delete_feed(calendar.feed_name)
        return first

    def make_feed(self, calendar: Calendar) -> None:
        """Create the calendar's feed without items, unless it exists."""
        self.conversation.objects.store.create(calendar.feed_name, encode(Feed()))

    def renew(self, calendar: Calendar, *, token: str, event_id: str, at_ms: int) -> Calendar | None:
        """Replace the token: the old address shows nothing from now on.  None: the calendar was removed meanwhile.

        Repeated for the same event, or for an event from before the newest token: deletes the rest of earlier feeds, and gives no other
        token.
        """
        renewed = replace(calendar, token=token, event_id=event_id, token_ms=at_ms)
        if not calendar.has_token_since(event_id, at_ms=at_ms):
            self.make_feed(renewed)

        def with_token(stored: Calendar) -> Calendar | None:
            if stored.has_token_since(event_id, at_ms=at_ms):
                return None
            retired = (*stored.retired, stored.feed_name)
            return replace(stored, token=token, event_id=event_id, token_ms=at_ms, retired=retired, untold_id="")

        current = self._update(with_token)
        if current is None or current.token != token:
            self.delete_feed(renewed.feed_name)
        if current is not None:
            self.delete_retired(current)
            self.mark()
        return current

    def mark_as_untold(self, event_id: str) -> None:
        """The chat is to be told of the address that the leaving gave, unless it has another since.  Repeated: changes nothing."""
        self._update(
            lambda stored: (
                replace(stored, untold_id=event_id)
                if stored.event_id == event_id and stored.untold_id != event_id
                else None
            )
        )

    def mark_as_told(self, event_id: str) -> None:
        """The chat was told of the address that the leaving gave.  Repeated: changes nothing."""
        self._update(lambda stored: replace(stored, untold_id="") if stored.untold_id == event_id else None)

    def delete_retired(self, calendar: Calendar) -> None:
        """Delete the feeds of earlier tokens.  Repeated: does nothing."""
        if not calendar.retired:
            return
        for name in calendar.retired:
            self.delete_feed(name)

        def without_deleted(stored: Calendar) -> Calendar | None:
            retired = tuple(name for name in stored.retired if name not in calendar.retired)
            return replace(stored, retired=retired) if retired != stored.retired else None

        self._update(without_deleted)

    def feed(self, calendar: Calendar) -> StoredObject | None:
        """Return the object of the calendar's feed; None: it was deleted."""
        return self.conversation.objects.store.read(calendar.feed_name)

    def begin_writing(self, calendar: Calendar, stored: StoredObject) -> int | None:
        """Write into the feed that a tick collects its items; return the generation for the swap, None: another write came first."""
        feed = decode_if_readable(Feed, stored.data) or Feed()
        begun = replace(feed, is_being_written=True)
        return self.conversation.objects.store.replace(calendar.feed_name, encode(begun), generation=stored.generation)

    def swap_feed(self, calendar: Calendar, feed: Feed, *, generation: int) -> bool:
        """Write the feed over the given generation; return whether it stands."""
        store = self.conversation.objects.store
        return store.replace(calendar.feed_name, encode(feed), generation=generation) is not None

    def clean(self, calendar: Calendar, amendments: Amendments) -> None:
        """Remove the items with withdrawn, erased or edited messages behind them; a tick brings back what others said of them.

        A tick that collects items meanwhile loses its swap, because it may have read before the amendment. An unreadable feed is emptied.
        Repeated: does nothing.
        """
        is_changed = False

        def without_withdrawn(data: bytes | None) -> bytes | None:
            nonlocal is_changed
            if data is None:
                return None
            try:
                feed = decode(Feed, data)
                cleaned = feed.without(amendments.is_withdrawn_from_entries)
            except CorruptRecordError as cause:
                logs.error("record_unreadable", cause=cause)
                feed, cleaned = None, Feed()
            if cleaned.is_being_written:
                cleaned = replace(cleaned, is_being_written=False)
            is_changed = is_changed or cleaned is not feed
            return None if cleaned is feed else encode(cleaned)

        update_by_swap(
            self.conversation.objects.store, calendar.feed_name, without_withdrawn, what="the feed of a calendar"
        )
        if is_changed:
            logs.info("feed_cleaned")
            self.mark()

    def remove(self, is_affected: Callable[[Calendar], bool]) -> bool:
        """Delete the calendar with every feed, if it is affected, or unreadable; return whether it was.  Repeated: does nothing."""
        store = self.conversation.objects.store
        while (stored := store.read(self.name)) is not None:
            try:
                calendar = decode(Calendar, stored.data)
                if not is_affected(calendar):
                    return False
                names = (calendar.feed_name, *calendar.retired)
            except UnreadableRecordError as cause:
                logs.error("record_unreadable", cause=cause)
                names = tuple(map(feed_name, tokens_in(stored.data)))
            for name in names:
                self.delete_feed(name)
            if store.delete(self.name, generation=stored.generation):
                return True
        return False

    def delete_feed(self, name: str) -> None:
        """Delete a feed's object: a feed of a token that ended must not exist.  Repeated: does nothing."""
        store = self.conversation.objects.store
        while (stored := store.read(name)) is not None:
            if store.delete(name, generation=stored.generation):
                return

    def mark(self, *, at_ms: int = 0) -> None:
        """Have a tick write the feed anew, at `at_ms` or soon.  Repeated within a minute: changes nothing."""
        at_ms = max(at_ms, self.conversation.turn.clock.now_ms() + SKEW_MS)
        markers = DueMarkers(store=self.conversation.objects.store)
        markers.mark(CALENDAR_DUE, self.conversation, _MARKER_ID, at_ms=at_ms)

    def _update(self, change: Callable[[Calendar], Calendar | None]) -> Calendar | None:
        """Change the record by compare-and-swap; return the calendar afterwards, None where there is no readable calendar."""

        def changed(data: bytes | None) -> bytes | None:
            updated = change(decode(Calendar, data)) if data is not None else None
            return None if updated is None else encode(updated)

        try:
            stored = update_by_swap(self.conversation.objects.store, self.name, changed, what="a calendar")
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            return None
        return decode(Calendar, stored.data) if stored is not None else None
