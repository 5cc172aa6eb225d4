"""Apply a committed outcome's staged writes once, whichever worker ends the turn: one writer for every feature that stages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey
from shared.turns.basis import HeldLease


class FeatureWriting(Protocol):
    """One outcome's writes to the objects of one feature.  Every method raises StorageUnavailableError."""

    def write(self, write: StagedWrite, *, key: WriteKey) -> None:
        """Make the write, unless the object has the same key or a larger key, so that a later turn's write stays."""
        ...

    def finish(self, lease: HeldLease) -> bool:
        """Bring up to date what is derived from the feature's objects; also called where the outcome writes nothing.

        False: the lease was over. Repeated: does the rest.
        """
        ...


class FeatureWriter(Protocol):
    """Applies the staged writes of one feature."""

    def owns(self, path: str) -> bool:
        """Whether the path of a staged write is of this feature: for example, `reminders/r0123456789` of reminders."""
        ...

    def begin(self, conversation: Conversation, outcome: OutcomeRecord) -> FeatureWriting:
        """Begin to apply the outcome's writes; reads and writes nothing."""
        ...


@dataclass(frozen=True, slots=True)
class StagedWrites:
    """Applies the staged writes of all features; a StagedWriter.  Only the holder of the chat's turn calls `apply`."""

    writers: Sequence[FeatureWriter]

    def apply(self, conversation: Conversation, outcome: OutcomeRecord, lease: HeldLease) -> bool:
        """Return whether every staged write of the outcome is in its object; False: the lease was over.

        The lease is checked before each write, because a late write could bring back what a later turn deleted. A write's key is the
        outcome's sequence and the write's place: for example, the third write of outcome 12 has the key `(12, 2)`.
        Repeated: does the rest, also after a partial run. Raises: StorageUnavailableError.
        """
        for writer in self.writers:
            writing = writer.begin(conversation, outcome)
            for number, write in enumerate(outcome.writes):
                if not writer.owns(write.path):
                    continue
                if lease.is_over:
                    return False
                writing.write(write, key=(outcome.sequence, number))
            if not writing.finish(lease):
                return False
        return True
