"""Calendars as a stored feature: also where CALENDAR is off, so that a feed of before is cleaned, and forgotten with the chat."""

from typing import Final

from shared.calendars.apply import CalendarWriter
from shared.calendars.feed import Calendar, Feed
from shared.calendars.store import CALENDAR_DUE, FOLDER, CalendarStore
from shared.calendars.words import CalendarWords
from shared.conversation.store import Conversation
from shared.errors import UnreadableRecordError
from shared.features.stored_feature import StoredFeature, Transfer
from shared.storage.codec import decode, encode
from shared.storage.due_marker import DueMarker
from shared.storage.object_store import ObjectStore


class CalendarTransfer(Transfer):
    """Exports hold no feeds: a restored calendar begins with an empty one, at the address that it had, and a tick fills it."""

    def check(self, data: bytes) -> None:
        decode(Calendar, data)

    def finish(self, store: ObjectStore, name: str) -> None:
        stored = store.read(name)
        try:
            calendar = decode(Calendar, stored.data) if stored is not None else None
        except UnreadableRecordError:  # a record of a newer release, which stands
            return
        if calendar is not None:
            store.create(calendar.feed_name, encode(Feed()))
            marker = DueMarker.at(calendar.made_ms, kind=CALENDAR_DUE, conversation_id=name.split("/")[1], id="feed")
            store.create(marker.name, b"")

    def begin_removal(self, conversation: Conversation) -> None:
        CalendarStore(conversation).remove(lambda _: True)


CALENDARS: Final = StoredFeature(
    folder=FOLDER, words=CalendarWords(), writer=CalendarWriter(), transfer=CalendarTransfer()
)
