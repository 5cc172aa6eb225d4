"""The reminders of a chat as objects of the bucket, each with a marker under `due/` for the next occurrence.

The record decides: a marker does nothing if nothing is due by the record. A worker that writes a record with an occurrence makes the marker
afterwards, and also before the record if no other worker would repeat the write. A tick that finds such a record makes the marker again. So
no open reminder stays without a marker. Markers are deleted only by ticks, once the markers' minute has come, and on the final removal of a
reminder.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from shared import logs
from shared.clock import SKEW_MS
from shared.conversation.due import DueMarkers
from shared.conversation.store import Conversation
from shared.errors import CorruptRecordError, StorageUnavailableError, UnreadableRecordError
from shared.reminders.reminder import Reminder
from shared.storage.codec import decode, decode_readable, encode
from shared.storage.compare_and_swap import SWAP_ATTEMPTS, update_by_swap
from shared.storage.due_marker import DueMarker
from shared.storage.object_store import ListedObject

REMINDER: Final = "reminder"
"""The kind of the markers."""
RETENTION_MS: Final = 8 * 24 * 60 * 60_000
"""How long an ended reminder stays for staged writes that come late: longer than Pub/Sub redelivers."""
_RECORD: Final = re.compile(r"r[0-9a-f]{10}\.json", re.ASCII)


@dataclass(frozen=True, slots=True)
class ReminderStore:
    """Reads and writes a chat's reminders.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    conversation: Conversation

    def list_objects(self) -> tuple[ListedObject, ...]:
        """Return the objects of all reminders, also of ended reminders."""
        names, store = self.conversation.names, self.conversation.objects.store
        objects = store.list(names.reminders_prefix)
        return tuple(one for one in objects if _RECORD.fullmatch(one.name.removeprefix(names.reminders_prefix)))

    def read_all(self) -> tuple[Reminder, ...]:
        """Return every readable reminder, also ended reminders, in two round trips."""
        return tuple(decode_readable(Reminder, self.conversation.objects.read_all(self.list_objects())))

    def find(self, reminder_id: str) -> tuple[Reminder, int] | None:
        """Return a reminder with the generation of its object; None where there is no readable reminder."""
        stored = self.conversation.objects.store.read(self.conversation.names.reminder(reminder_id))
        if stored is None:
            return None
        try:
            return decode(Reminder, stored.data), stored.generation
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            return None

    def swap(self, reminder: Reminder, generation: int) -> int | None:
        """Write the reminder over the given generation; return the new generation, or None where the object has changed or is missing."""
        name, store = self.conversation.names.reminder(reminder.id), self.conversation.objects.store
        return store.replace(name, encode(reminder), generation=generation)

    def create(self, reminder: Reminder) -> None:
        """Create the reminder, unless it was created before, and make a marker for a tick.

        The caller reads the amendments next. Repeated: changes nothing.
        """
        self.conversation.objects.store.create(self.conversation.names.reminder(reminder.id), encode(reminder))
        self.make_marker(reminder)

    def update(self, reminder_id: str, change: Callable[[Reminder | None], Reminder | None]) -> Reminder | None:
        """Change the reminder by compare-and-swap, as `update_by_swap` does; return the reminder afterwards.

        An unreadable reminder stays unchanged, and None is returned. The caller makes the marker.
        """

        def changed(data: bytes | None) -> bytes | None:
            updated = change(decode(Reminder, data) if data is not None else None)
            return None if updated is None else encode(updated)

        name, objects = self.conversation.names.reminder(reminder_id), self.conversation.objects
        try:
            stored = update_by_swap(objects.store, name, changed, what="a reminder")
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            return None
        if stored is None:
            return None
        objects.keep(ListedObject(name=name, generation=stored.generation), stored.data)
        return decode(Reminder, stored.data)

    def make_marker(self, reminder: Reminder, *, unless_ms: int | None = None) -> int | None:
        """Make the marker of the reminder's next work: the occurrence, or the removal some days after the end.

        The marker lies ahead, because a tick that has read the due markers may clear a marker of the same name. `unless_ms`: nothing is
        made if a marker of this minute was made before, and the minute is still ahead by every clock, so that no tick has cleared it.
        Returns: the start of the marker's minute, or None for a reminder without a time. Repeated: changes nothing.
        """
        next_ms = next_ms_of(reminder)
        if next_ms is None:
            return None
        soon_ms = self.conversation.turn.clock.now_ms() + SKEW_MS
        chat = self.conversation.id
        marker = DueMarker.at(max(next_ms, soon_ms), kind=REMINDER, conversation_id=chat, id=reminder.id)
        if marker.due_ms != unless_ms:
            self._markers.mark(REMINDER, self.conversation, reminder.id, at_ms=marker.due_ms)
        return marker.due_ms

    def delete_marker(self, reminder: Reminder) -> None:
        """Delete the marker of the reminder's last due time, after the reminder itself was deleted.  Repeated: does nothing.

        The marker of a changed reminder stays until its minute: another change may need a marker of the same name by then.
        """
        next_ms, markers = next_ms_of(reminder), self._markers
        if next_ms is None:
            return
        chat = self.conversation.id
        marker = markers.listed(DueMarker.at(next_ms, kind=REMINDER, conversation_id=chat, id=reminder.id))
        if marker is not None:
            markers.clear(marker)

    def delete(self, reminder: Reminder, *, generation: int) -> None:
        """Delete the reminder and the marker, unless the object has another generation.  Repeated: does nothing."""
        name = self.conversation.names.reminder(reminder.id)
        if self.conversation.objects.store.delete(name, generation=generation):
            self.delete_marker(reminder)

    def remove(self, name: str, is_affected: Callable[[bytes], bool]) -> None:
        """Delete the reminder of this object, and the marker, if the stored reminder is affected.  Repeated: does nothing.

        The marker of an unreadable reminder stays until a tick finds no reminder behind it.
        """
        store = self.conversation.objects.store
        for _ in range(SWAP_ATTEMPTS):
            stored = store.read(name)
            if stored is None or not is_affected(stored.data):
                return
            if store.delete(name, generation=stored.generation):
                self._delete_marker_of(stored.data)
                return
        raise StorageUnavailableError("others kept changing a reminder")

    def _delete_marker_of(self, data: bytes) -> None:
        try:
            self.delete_marker(decode(Reminder, data))
        except UnreadableRecordError as cause:
            logs.error("record_unreadable", cause=cause)

    @property
    def _markers(self) -> DueMarkers:
        return DueMarkers(store=self.conversation.objects.store)


def next_ms_of(reminder: Reminder) -> int | None:
    """Return the time of a tick's next work on the reminder; None: the reminder waits for the chat's next answer."""
    return reminder.due_ms if reminder.is_open else reminder.ended_ms + RETENTION_MS
