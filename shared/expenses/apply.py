"""Apply a committed outcome's staged writes to expenses and settlements."""

from dataclasses import dataclass

from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey
from shared.expenses.expense import FOLDER, ExpenseRecord
from shared.expenses.store import ExpenseStore, entry_in
from shared.turns.basis import HeldLease


class ExpenseWriter:
    """Applies staged writes of expenses and settlements."""

    def owns(self, path: str) -> bool:
        return path.startswith(f"{FOLDER}/")

    def begin(self, conversation: Conversation, outcome: OutcomeRecord) -> "ExpenseWriting":
        del outcome
        return ExpenseWriting(ExpenseStore(conversation))


@dataclass(frozen=True, slots=True)
class ExpenseWriting:
    """An outcome's writes to expenses and settlements."""

    store: ExpenseStore

    def write(self, write: StagedWrite, *, key: WriteKey) -> None:
        """Make the write, unless the object has this key or a larger key."""
        own_id = write.path.removeprefix(f"{FOLDER}/")
        staged = entry_in(own_id, write.text.encode()) if write.text is not None else None

        def newer(stored: ExpenseRecord | None) -> ExpenseRecord | None:
            if stored is None:  # a missing record was withdrawn: only the write that creates a record makes one
                return staged if staged is not None and staged.created == key else None
            if stored.revision >= key:
                return None
            return stored.removed(revision=key) if staged is None else staged

        self.store.update(own_id, newer)

    def finish(self, lease: HeldLease) -> bool:
        return not lease.is_over
