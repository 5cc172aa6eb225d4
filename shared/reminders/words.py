"""The words in reminders: a reminder is deleted with any message behind it that is withdrawn, erased or edited."""

from collections.abc import Sequence

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation
from shared.conversation.word_holder import Removal, WordHolder
from shared.reminders.store import ReminderStore
from shared.storage.object_store import ListedObject


class ReminderWords(WordHolder):
    """The words in reminders."""

    def begin_removal(self, conversation: Conversation) -> Removal:
        """Delete the reminders with a withdrawn, erased or edited message behind them, and delete the markers.

        A worker with a claim on such a reminder finds out before the push. Repeated: does nothing. Raises: StorageUnavailableError.
        """
        store = ReminderStore(conversation)
        listing = store.begin_listing()
        return lambda amendments: _remove_withdrawn(store, listing(), amendments)


def _remove_withdrawn(store: ReminderStore, objects: Sequence[ListedObject], amendments: Amendments) -> None:
    removed_ids = store.remove_withdrawn(amendments, objects)
    if removed_ids:
        logs.info("reminders_withdrawn", count=len(removed_ids))
