"""The words in reminders: a reminder is deleted with any message behind it that is withdrawn, erased or edited."""

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
        """Delete the reminders with a withdrawn, erased or edited message behind them, and delete the markers.

        A worker with a claim on such a reminder finds out before the push. Repeated: does nothing. Raises: StorageUnavailableError.
        """
        store = ReminderStore(conversation)
        objects = store.list_objects()
        bodies = conversation.objects.read_all(objects)
        is_affected = partial(_is_affected, amendments=amendments)
        affected = [
            reminder_object.name
            for reminder_object, body in zip(objects, bodies, strict=True)
            if body is not None and is_affected(body)
        ]
        for name in affected:
            store.remove(name, is_affected)
        if affected:
            logs.info("reminders_withdrawn", count=len(affected))


def _is_affected(body: bytes, *, amendments: Amendments) -> bool:
    """Whether the reminder must be deleted; an unreadable reminder, if it names a withdrawn message, or if anything was erased."""
    try:
        return decode(Reminder, body).is_from_withdrawn(amendments.is_withdrawn_from_entries)
    except UnreadableRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        amended_ids = (*amendments.withdrawn, *amendments.edits)
        return amendments.erased_entries_ms >= 0 or any(f'"{one}"'.encode() in body for one in amended_ids)
