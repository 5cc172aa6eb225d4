"""The port to what a chat has filed: what a prompt shows of it, what a turn writes to it, and what is taken back from it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from shared.conversation.amendments import Amendments
from shared.conversation.records import OutcomeRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledView:
    """What a prompt shows of what was filed, and the messages that it came from.  Nothing: `text` is empty."""

    text: str = field(default="", repr=False)
    source_ids: frozenset[str] = frozenset()


Shown = Callable[[Amendments], FiledView]
"""What a prompt shows of what was read, as soon as it is known what was taken back."""


class Filed(Protocol):
    """What was filed in the chats of a bucket.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    def shown(self, conversation_id: str) -> Shown:
        """Read, in one read, what a prompt shows."""
        ...

    def apply(self, conversation_id: str, outcome: OutcomeRecord, *, is_over: Callable[[], bool]) -> bool:
        """Return whether every write that the outcome staged is in its object; False: `is_over` told to stop before the end.

        Called by the holder of the turn alone, before the outcome is recorded; `is_over` is asked before each write, because a late one
        could bring back what a later turn deleted. An outcome without writes: does nothing. A write that was made already, or that a
        later outcome overtook: is left. Repeated, also after a part of it: does the rest.
        """
        ...

    def take_out(self, conversation_id: str, amendments: Amendments) -> None:
        """Nothing in it comes from what was taken back, or says what an edit has replaced.  Repeated: does nothing."""
        ...


class NothingFiled:
    """For chats in which nothing is ever filed."""

    def shown(self, conversation_id: str) -> Shown:  # noqa: ARG002 - the port's own words
        return lambda _: FiledView()

    def apply(self, conversation_id: str, outcome: OutcomeRecord, *, is_over: Callable[[], bool]) -> bool:  # noqa: ARG002
        return True

    def take_out(self, conversation_id: str, amendments: Amendments) -> None:  # noqa: ARG002
        return
