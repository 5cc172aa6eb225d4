"""Reminders as a stored feature."""

from collections.abc import Iterator
from typing import Final

from shared.conversation.store import Conversation
from shared.errors import CorruptRecordError, PermanentError, UnreadableRecordError
from shared.features.stored_feature import Counted, ObjectSource, StoredFeature, Transfer
from shared.reminders.apply import ReminderWriter
from shared.reminders.reminder import Reminder
from shared.reminders.store import REMINDER, ReminderStore, next_ms_of
from shared.reminders.words import ReminderWords
from shared.storage.codec import decode
from shared.storage.due_marker import DUE_PREFIX, DueMarker
from shared.storage.object_store import ObjectStore


class ReminderTransfer(Transfer):
    """Exports hold no due markers, and without a due marker no tick would send the reminder."""

    def check(self, data: bytes) -> None:
        try:
            decode(Reminder, data)
        except CorruptRecordError:  # also the chat's push count
            return

    def finish(self, store: ObjectStore, name: str) -> None:
        """Create the due marker of a reminder, as the reminder stands in the bucket."""
        stored = store.read(name)
        try:
            reminder = decode(Reminder, stored.data) if stored is not None else None
        except UnreadableRecordError:  # the push count, an unreadable record, or an existing record of a newer release
            return
        next_ms = next_ms_of(reminder) if reminder is not None else None
        if reminder is not None and next_ms is not None:
            conversation_id = name.split("/")[1]
            marker = DueMarker.at(next_ms, kind=REMINDER, conversation_id=conversation_id, id=reminder.id)
            store.create(marker.name, b"")

    def begin_removal(self, conversation: Conversation) -> None:
        """Delete the markers of the chat's reminders.  All markers are listed only if a reminder is unreadable."""
        reminders, store = ReminderStore(conversation), conversation.objects.store
        are_readable = True
        for listing in reminders.list_objects():
            reminder = _reminder_at(store, listing.name)
            if reminder is not None:
                reminders.delete_marker(reminder)
            are_readable = are_readable and reminder is not None
        if not are_readable:
            for listing in [one for one in store.list(DUE_PREFIX) if f"/{REMINDER}.{conversation.id}." in one.name]:
                store.delete(listing.name, generation=listing.generation)


def _reminder_at(store: ObjectStore, name: str) -> Reminder | None:
    stored = store.read(name)
    try:
        return decode(Reminder, stored.data) if stored is not None else None
    except PermanentError:
        return None


def _count(conversation: Conversation) -> int:
    return sum(one.is_open for one in ReminderStore(conversation).read_all())


def _sources(conversation: Conversation) -> Iterator[ObjectSource]:
    return ReminderStore(conversation).sources()


REMINDERS: Final = StoredFeature(
    folder="reminders",
    words=ReminderWords(),
    writer=ReminderWriter(),
    counted=Counted(count=_count),
    sources=_sources,
    transfer=ReminderTransfer(),
)
