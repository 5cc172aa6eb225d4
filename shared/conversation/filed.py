"""The port to what a chat has filed: what a prompt shows of it, what a turn writes to it, and what is taken back from it."""

from dataclasses import dataclass, field
from typing import Protocol

from shared.conversation.amendments import Amendments
from shared.conversation.records import OutcomeRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledView:
    """What a prompt shows of what was filed, and the messages that it came from.  Nothing: `text` is empty."""

    text: str = field(default="", repr=False)
    source_ids: frozenset[str] = frozenset()


class Filed(Protocol):
    """What was filed in the chats of a bucket.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    def shown(self, conversation_id: str) -> FiledView:
        """Return what a prompt shows, in one read."""
        ...

    def apply(self, conversation_id: str, outcome: OutcomeRecord) -> None:
        """Every write that the outcome staged is in its object; called by the holder of the turn alone, before the outcome is recorded.

        An outcome without writes: does nothing. A write that was made already, or that a later outcome overtook: is left. Repeated, also
        after a part of it: does the rest.
        """
        ...

    def take_out(self, conversation_id: str, amendments: Amendments) -> None:
        """Nothing in it comes from what was taken back.  Repeated: does nothing."""
        ...


class NothingFiled:
    """For chats in which nothing is ever filed."""

    def shown(self, conversation_id: str) -> FiledView:  # noqa: ARG002 - the port's own words
        return FiledView()

    def apply(self, conversation_id: str, outcome: OutcomeRecord) -> None:  # noqa: ARG002
        return

    def take_out(self, conversation_id: str, amendments: Amendments) -> None:  # noqa: ARG002
        return
