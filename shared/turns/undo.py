"""Apply the undo record that a turn with changes stages, beside the writes of the features."""

from dataclasses import dataclass

from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.undo import UNDO_FILE, revision_of_undo
from shared.conversation.write_key import WriteKey
from shared.storage.compare_and_swap import SWAP_ATTEMPTS, update_by_swap
from shared.turns.basis import HeldLease


class UndoWriter:
    """Applies the staged undo record."""

    def owns(self, path: str) -> bool:
        return path == UNDO_FILE

    def begin(self, conversation: Conversation, outcome: OutcomeRecord) -> "UndoWriting":  # noqa: ARG002 - as the port asks
        return UndoWriting(conversation)


@dataclass(frozen=True, slots=True)
class UndoWriting:
    """An outcome's write of the undo record."""

    conversation: Conversation

    def write(self, write: StagedWrite, *, key: WriteKey) -> None:
        def newer(data: bytes | None) -> bytes | None:
            is_newer = data is None or revision_of_undo(data) < key
            return (write.text or "").encode() if is_newer else None

        store, name = self.conversation.objects.store, self.conversation.names.entry(UNDO_FILE)
        update_by_swap(store, name, newer, what="an undo record", attempts=SWAP_ATTEMPTS)

    def finish(self, lease: HeldLease) -> bool:  # noqa: ARG002 - as the port asks
        return True
