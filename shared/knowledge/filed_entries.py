"""The filed entries of all chats, as conversations meet them."""

from dataclasses import dataclass

from shared.conversation.amendments import Amendments
from shared.conversation.filed import FiledView
from shared.conversation.records import OutcomeRecord
from shared.knowledge.index import KnowledgeIndex
from shared.knowledge.stored_entries import StoredEntries
from shared.knowledge.withdrawal import EntryWithdrawal
from shared.knowledge.writes import EntryWrites


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledEntries:
    """Implements `Filed`.  `are_shown` tells whether prompts show the index: writes and withdrawals of earlier days go on without it."""

    entries: StoredEntries
    are_shown: bool = True

    def shown(self, conversation_id: str) -> FiledView:
        return KnowledgeIndex(entries=self.entries).read(conversation_id) if self.are_shown else FiledView()

    def apply(self, conversation_id: str, outcome: OutcomeRecord) -> None:
        EntryWrites(entries=self.entries).apply(conversation_id, outcome)

    def take_out(self, conversation_id: str, amendments: Amendments) -> None:
        EntryWithdrawal(entries=self.entries)(
            conversation_id,
            lambda line_message_id, timestamp_ms: (
                line_message_id in amendments.withdrawn or timestamp_ms <= amendments.erased_entries_ms
            ),
        )
