"""The messages of a person, including messages of which only an entry, a reminder or an answer remains."""

from dataclasses import replace

from shared.conversation.member_mark import mark_id
from shared.conversation.person_messages import PersonMessages
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.knowledge.entry_store import EntryStore
from shared.reminders.store import ReminderStore


def messages_of(conversation: Conversation, user_id: str, *, until_ms: int) -> PersonMessages:
    """Return the person's messages up to this timestamp, as far as the chat's objects show.

    Raises: StorageUnavailableError, UnknownRecordVersionError.
    """
    stored, mark = PersonMessages.stored_in(conversation, user_id, until_ms=until_ms), mark_id(user_id)
    entries, reminders = EntryStore(conversation), ReminderStore(conversation)
    filed = Provenance.union((*entries.provenances(), *(one.provenance for one in reminders.read_all())))
    behind = {own_id for own_id, said_ms in filed.messages.get(mark, {}).items() if said_ms <= until_ms}
    return replace(stored, source_only=stored.source_only | (behind - stored.own))
