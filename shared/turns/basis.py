"""The basis of a prompt: what it holds, and how that was amended when the chat was read.  Only later amendments count against it."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Protocol

from shared.conversation.amendments import Amendments
from shared.conversation.provenance import LATEST_MS, Provenance
from shared.conversation.recollection import Recollection
from shared.conversation.store import Conversation
from shared.errors import PromptAmendedError


class HeldLease(Protocol):
    """The lease under which somebody thinks."""

    @property
    def is_over(self) -> bool:
        """Whether its holder may write and send nothing more."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What a prompt rests on."""

    conversation: Conversation
    lease: HeldLease = field(repr=False)
    prompt: Provenance
    before: Amendments

    def with_ids(self, more_ids: AbstractSet[str], *, since_ms: int = LATEST_MS) -> "Basis":
        """Return the basis with what tools have shown as well, the oldest of it of this timestamp of LINE's."""
        return replace(self, prompt=self.prompt | Provenance(ids=frozenset(more_ids), since_ms=since_ms))

    def with_recalled(self, recalled: Recollection) -> "Basis":
        """Return the basis with what tools have shown of the chat's memory.

        It was read later than the chat, and an edit may be older than all that the chat was read with: only one counts that changes
        the words which were shown.
        """
        shown = {one.line_message_id: one.text for one in recalled.messages}
        before = replace(self.before, edits={**shown, **self.before.edits})
        return replace(self, prompt=self.prompt | recalled.provenance, before=before)

    def is_amended(self) -> bool:
        """Look whether anything of it was edited, withdrawn or erased since the chat was read.  Raises: StorageUnavailableError."""
        return self.prompt.is_affected_since(self.before, self._look())

    def _look(self) -> Amendments:
        return self.conversation.amendments.fresh_look(besides=self.prompt.ids)

    def check(self) -> None:
        """Look at the amendments; called before every request to the model.

        Raises: PromptAmendedError, also where the turn was lost and nobody would read the answer; StorageUnavailableError.
        """
        if self.lease.is_over:
            raise PromptAmendedError("the turn was lost")
        if self.is_amended():
            raise PromptAmendedError("something in the prompt was edited or withdrawn")
