"""The words in reminders: a reminder goes with any message that it came from, when that is withdrawn, erased or edited."""

from functools import partial

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation
from shared.errors import UnreadableRecordError
from shared.reminders.reminder import Reminder
from shared.reminders.store import ReminderStore
from shared.storage.codec import decode


class ReminderWords:
    """The words in reminders; a WordHolder."""

    def remove_withdrawn(self, conversation: Conversation, amendments: Amendments) -> None:
        """Delete the reminders that came from a message that was withdrawn, erased or edited, with their markers.

        A worker that has claimed such a reminder finds that before it pushes. Repeated: does nothing. Raises: StorageUnavailableError.
        """
        store = ReminderStore(conversation)
        listed = store.list_objects()
        bodies = conversation.objects.read_all(listed)
        is_affected = partial(_is_affected, amendments=amendments)
        affected = [
            one.name for one, body in zip(listed, bodies, strict=True) if body is not None and is_affected(body)
        ]
        for name in affected:
            store.remove(name, is_affected)
        if affected:
            logs.info("reminders_withdrawn", count=len(affected))


def _is_affected(body: bytes, *, amendments: Amendments) -> bool:
    """Whether the reminder has to go; one that cannot be read goes if it names what was withdrawn, or if anything was erased."""
    try:
        return decode(Reminder, body).is_from_withdrawn(amendments.is_withdrawn_from_entries)
    except UnreadableRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        named = (*amendments.withdrawn, *amendments.edits)
        return amendments.erased_entries_ms >= 0 or any(f'"{one}"'.encode() in body for one in named)
