"""The words in calendars: the feed loses what is withdrawn at once, and the calendar goes with the chat's erasure."""

from shared import logs
from shared.calendars.feed import Calendar
from shared.calendars.store import CalendarStore
from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation
from shared.conversation.word_holder import Removal, WordHolder
from shared.errors import UnreadableRecordError
from shared.storage.codec import decode
from shared.storage.object_store import StoredObject


class CalendarWords(WordHolder):
    """The words in feeds."""

    def begin_removal(self, conversation: Conversation) -> Removal:
        """No feed holds an item with a withdrawn message behind it; an erasure deletes the calendar with its feed.

        `/reset` leaves the calendar as it leaves entries and reminders. Repeated: does nothing. Raises: StorageUnavailableError.
        """
        store = CalendarStore(conversation)
        read = conversation.objects.reads.submit(lambda: conversation.objects.store.read(store.name))
        return lambda amendments: _remove_withdrawn(store, read.result(), amendments)


def _remove_withdrawn(store: CalendarStore, stored: StoredObject | None, amendments: Amendments) -> None:
    if stored is None:
        return
    try:
        calendar = decode(Calendar, stored.data)
    except UnreadableRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        if amendments.erased_entries_ms >= 0:
            store.remove(lambda _: True)
        return
    if calendar.made_ms <= amendments.erased_entries_ms:
        store.remove(lambda one: one.made_ms <= amendments.erased_entries_ms)
    else:
        store.clean(calendar, amendments)
