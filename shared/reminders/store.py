"""The reminders of a chat as objects of the bucket, each with a marker under `due/` for the next occurrence.

The record decides: a marker does nothing if nothing is due by the record. A worker that writes a record with an occurrence makes the marker
afterwards, and also before the record if no other worker would repeat the write. A tick that finds such a record makes the marker again. So
no open reminder stays without a marker. Markers are deleted only by ticks, once the markers' minute has come, and on the final removal of a
reminder.
"""

import re
from collections.abc import Callable
from typing import Final

from shared import logs
from shared.clock import SKEW_MS
from shared.conversation.due import DueMarkers
from shared.conversation.thing_store import ThingStore
from shared.errors import UnreadableRecordError
from shared.reminders.reminder import Reminder
from shared.storage.codec import decode, encode
from shared.storage.due_marker import DueMarker

REMINDER: Final = "reminder"
"""The kind of the markers."""
RETENTION_MS: Final = 8 * 24 * 60 * 60_000
"""How long an ended reminder stays for staged writes that come late: longer than Pub/Sub redelivers."""
_IDS: Final = re.compile(r"r[0-9a-f]{10}", re.ASCII)


class ReminderStore(ThingStore[Reminder]):
    """Reads and writes a chat's reminders.  After an update, the caller makes the marker."""

    __slots__ = ()
    folder = "reminders"
    ids = _IDS
    noun = "a reminder"

    def kind_of(self, thing_id: str) -> type[Reminder]:  # noqa: ARG002 - every reminder has the same class
        return Reminder

    def create(self, reminder: Reminder) -> None:
        """Create the reminder, unless it was created before, and make a marker for a tick.

        The caller reads the amendments next. Repeated: changes nothing.
        """
        self.conversation.objects.store.create(self.name_of(reminder.id), encode(reminder))
        self.make_marker(reminder)

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
        name = self.name_of(reminder.id)
        if self.conversation.objects.store.delete(name, generation=generation):
            self.delete_marker(reminder)

    def remove(self, name: str, is_affected: Callable[[bytes], bool]) -> bytes | None:
        """Delete the reminder of this object, and the marker, if the stored reminder is affected.  Repeated: does nothing.

        The marker of an unreadable reminder stays until a tick finds no reminder behind it.
        """
        deleted = super().remove(name, is_affected)
        if deleted is not None:
            self._delete_marker_of(deleted)
        return deleted

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
