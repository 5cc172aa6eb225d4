"""The port through which a committed outcome reaches the chat's filed entries."""

from typing import Protocol

from shared.conversation.records import OutcomeRecord


class StagedWrites(Protocol):
    """What a turn staged, applied after its commit and before its outcome is recorded, by the holder of the turn alone."""

    def apply(self, conversation_id: str, outcome: OutcomeRecord) -> None:
        """Every write of the outcome is in its object.

        An outcome without writes: does nothing. A write that was made already, or that a later outcome overtook: is left. Repeated, also
        after a part of it: does the rest. Raises: StorageUnavailableError; safe to repeat.
        """
        ...
