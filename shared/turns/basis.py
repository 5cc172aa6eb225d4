"""The basis of a prompt: what it holds, and how that was amended when the chat was read.  Only later amendments count against it."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Protocol

from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
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

    def with_ids(self, more_ids: AbstractSet[str]) -> "Basis":
        """Return the basis with what tools have shown as well."""
        return replace(self, prompt=replace(self.prompt, ids=self.prompt.ids | more_ids))

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
