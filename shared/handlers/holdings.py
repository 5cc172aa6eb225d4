"""Holdings: how much is stored of a chat, counted for the question whether to erase it."""

from dataclasses import dataclass

from shared.conversation.redaction.sweep import Sweep
from shared.conversation.store import Conversation
from shared.knowledge.entry_store import EntryStore
from shared.reminders.store import ReminderStore

_LABEL_SUFFIX = ".json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """Counts of everything that a chat would lose."""

    messages: int
    entries: int
    media: int
    reminders: int

    @classmethod
    def of(cls, conversation: Conversation) -> "Holdings":
        """Count the stored objects, in two round trips and the archive's own.  Raises: StorageUnavailableError."""
        reads, store, names = conversation.objects.reads, conversation.objects.store, conversation.names
        snapshot = reads.submit(conversation.snapshot.read)
        catalog = reads.submit(EntryStore(conversation).catalog)
        media = reads.submit(store.list, names.media_prefix)
        journal = conversation.journal.list_objects()
        reminders = ReminderStore(conversation).read_all()
        record = snapshot.result().record
        message_ids = {names.message_id_in(one.name) for one in journal.messages}
        message_ids |= {one.line_message_id for one in (*record.messages, *record.leaving.messages)}
        for segment in Sweep(archive=conversation.archive).segments_after(-1):
            message_ids |= {one.line_message_id for one in segment.messages}
        return cls(
            messages=len(message_ids),
            entries=len(catalog.result().rows),
            media=sum(not one.name.endswith(_LABEL_SUFFIX) for one in media.result()),
            reminders=sum(one.is_open for one in reminders),
        )

    @property
    def facts(self) -> dict[str, str]:
        """The counts as facts of a phrase, for example `{"messages": "212", "entries": "8", "media": "3", "reminders": "1"}`."""
        return {
            "messages": str(self.messages),
            "entries": str(self.entries),
            "media": str(self.media),
            "reminders": str(self.reminders),
        }
