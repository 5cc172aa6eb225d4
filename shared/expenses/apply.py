"""Apply a committed outcome's staged writes to expenses and settlements."""

from dataclasses import dataclass

from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey
from shared.expenses.expense import FOLDER
from shared.expenses.store import ExpenseStore
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
        self.store.apply(write.path.removeprefix(f"{FOLDER}/"), write.text, key=key)

    def finish(self, lease: HeldLease) -> bool:
        return not lease.is_over
