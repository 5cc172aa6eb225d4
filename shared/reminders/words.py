"""The words in reminders: a reminder is deleted with any message behind it that is withdrawn, erased or edited."""

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation
from shared.reminders.store import ReminderStore


class ReminderWords:
    """The words in reminders; a WordHolder."""

    def remove_withdrawn(self, conversation: Conversation, amendments: Amendments) -> None:
        """Delete the reminders with a withdrawn, erased or edited message behind them, and delete the markers.

        A worker with a claim on such a reminder finds out before the push. Repeated: does nothing. Raises: StorageUnavailableError.
        """
        removed_ids = ReminderStore(conversation).remove_withdrawn(amendments)
        if removed_ids:
            logs.info("reminders_withdrawn", count=len(removed_ids))
