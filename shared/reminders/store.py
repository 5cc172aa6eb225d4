"""The reminders of a chat as objects of the bucket, each with a marker under `due/` for its next occurrence.

The record decides: a marker does nothing if by the record nothing is due. A worker that writes a record with an occurrence makes its marker
afterwards, and also before it if no other worker would repeat the write. A tick that finds such a record makes the marker again. So no open
reminder stays without a marker. Only ticks delete markers, once their minute has come, and what removes a reminder for good.
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
KEPT_MS: Final = 8 * 24 * 60 * 60_000
"""How long a reminder that has ended stays, so that a staged write that comes late finds it: longer than Pub/Sub redelivers."""
_RECORD: Final = re.compile(r"r[0-9a-f]{10}\.json", re.ASCII)


@dataclass(frozen=True, slots=True)
class ReminderStore:
    """Reads and writes one chat's reminders.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    conversation: Conversation

    def list_objects(self) -> tuple[ListedObject, ...]:
        """Return the objects of all reminders, ended ones among them."""
        names, store = self.conversation.names, self.conversation.objects.store
        listed = store.list(names.reminders_prefix)
        return tuple(one for one in listed if _RECORD.fullmatch(one.name.removeprefix(names.reminders_prefix)))

    def read_all(self) -> tuple[Reminder, ...]:
        """Return every reminder that can be read, ended ones among them, in two round trips."""
        return tuple(decode_readable(Reminder, self.conversation.objects.read_all(self.list_objects())))

    def find(self, reminder_id: str) -> tuple[Reminder, int] | None:
        """Return a reminder with the generation of its object; None: there is none, or it cannot be read."""
        stored = self.conversation.objects.store.read(self.conversation.names.reminder(reminder_id))
        if stored is None:
            return None
        try:
            return decode(Reminder, stored.data), stored.generation
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            return None

    def swap(self, reminder: Reminder, generation: int) -> int | None:
        """Return the generation as written over this one, or None where another worker wrote first, or the reminder is gone."""
        name, store = self.conversation.names.reminder(reminder.id), self.conversation.objects.store
        return store.replace(name, encode(reminder), generation=generation)

    def create(self, reminder: Reminder) -> None:
        """The reminder was created, now or before, and a marker leads a tick to it.

        The caller looks at the amendments next. Repeated: changes nothing.
        """
        self.conversation.objects.store.create(self.conversation.names.reminder(reminder.id), encode(reminder))
        self.mark(reminder)

    def update(self, reminder_id: str, change: Callable[[Reminder | None], Reminder | None]) -> Reminder | None:
        """Change the reminder by compare-and-swap, as `update_by_swap` does; return it as it is then.

        A reminder that cannot be read is left, and None is returned. The caller makes its marker.
        """

        def changed(data: bytes | None) -> bytes | None:
            wanted = change(decode(Reminder, data) if data is not None else None)
            return None if wanted is None else encode(wanted)

        name = self.conversation.names.reminder(reminder_id)
        try:
            stored = update_by_swap(self.conversation.objects.store, name, changed, what="a reminder")
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            return None
        return decode(Reminder, stored.data) if stored is not None else None

    def mark(self, reminder: Reminder) -> None:
        """Mark what is due next for the reminder: its occurrence, or its removal some days after it has ended.

        The marker lies ahead, because a tick that has read what is due may clear one of the same name. Repeated: changes nothing.
        """
        next_ms = next_ms_of(reminder)
        if next_ms is None:
            return
        soon_ms = self.conversation.turn.clock.now_ms() + SKEW_MS
        self._markers.mark(REMINDER, self.conversation, reminder.id, at_ms=max(next_ms, soon_ms))

    def unmark(self, reminder: Reminder) -> None:
        """Delete the marker at the time of what was due next, once the reminder is gone for good.  Repeated: does nothing.

        The marker of a reminder that is only changed stays until its minute: another change may need one of the same name by then.
        """
        next_ms, markers = next_ms_of(reminder), self._markers
        if next_ms is None:
            return
        chat = self.conversation.id
        listed = markers.listed(DueMarker.at(next_ms, kind=REMINDER, conversation_id=chat, id=reminder.id))
        if listed is not None:
            markers.clear(listed)

    def forget(self, reminder: Reminder, generation: int) -> None:
        """The reminder is gone, and its marker with it, unless it has another generation.  Repeated: does nothing."""
        name = self.conversation.names.reminder(reminder.id)
        if self.conversation.objects.store.delete(name, generation=generation):
            self.unmark(reminder)

    def remove(self, name: str, is_affected: Callable[[bytes], bool]) -> None:
        """The reminder of this object is gone if it is affected as it is stored now, and its marker with it.  Repeated: does nothing.

        The marker of a reminder that cannot be read stays until a tick finds that it leads to nothing.
        """
        store = self.conversation.objects.store
        for _ in range(SWAP_ATTEMPTS):
            stored = store.read(name)
            if stored is None or not is_affected(stored.data):
                return
            if store.delete(name, generation=stored.generation):
                self._unmark_stored(stored.data)
                return
        raise StorageUnavailableError("others kept changing a reminder")

    def _unmark_stored(self, data: bytes) -> None:
        try:
            self.unmark(decode(Reminder, data))
        except UnreadableRecordError as cause:
            logs.error("record_unreadable", cause=cause)

    @property
    def _markers(self) -> DueMarkers:
        return DueMarkers(store=self.conversation.objects.store)


def next_ms_of(reminder: Reminder) -> int | None:
    """Return when a tick has something to do with the reminder; None: it waits for the chat's next answer."""
    return reminder.due_ms if reminder.is_open else reminder.ended_ms + KEPT_MS
