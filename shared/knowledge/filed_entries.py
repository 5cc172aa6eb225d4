"""The filed entries of all chats, as conversations meet them."""

from collections.abc import Callable
from dataclasses import dataclass

from shared.conversation.amendments import Amendments
from shared.conversation.filed import FiledView, Shown
from shared.conversation.records import OutcomeRecord
from shared.knowledge.apply import EntryWrites
from shared.knowledge.entry_store import StoredEntries
from shared.knowledge.index import KnowledgeIndex
from shared.knowledge.withdrawal import EntryWithdrawal


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledEntries:
    """Implements `Filed`.  `are_shown` tells whether prompts show the index: writes and withdrawals of earlier days go on without it."""

    entries: StoredEntries
    are_shown: bool = True

    def shown(self, conversation_id: str) -> Shown:
        if not self.are_shown:
            return lambda _: FiledView()
        view = KnowledgeIndex(entries=self.entries).read(conversation_id)
        return lambda amendments: view(amendments.take_out_of_entries)

    def apply(self, conversation_id: str, outcome: OutcomeRecord, *, is_over: Callable[[], bool]) -> bool:
        return EntryWrites(entries=self.entries).apply(conversation_id, outcome, is_over=is_over)

    def take_out(self, conversation_id: str, amendments: Amendments) -> None:
        EntryWithdrawal(entries=self.entries)(conversation_id, amendments.take_out_of_entries)
