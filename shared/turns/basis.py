"""The basis of a prompt: provenance, and the amendments with which the chat was read.  Only later amendments invalidate a basis."""

import math
from collections.abc import Callable
from dataclasses import field, replace
from functools import partial
from typing import Protocol

from shared.conversation.amendment_log import EndLook
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.errors import PromptAmendedError
from shared.frozen import frozen


class HeldLease(Protocol):
    """The lease of the turn that thinks."""

    @property
    def is_over(self) -> bool:
        """Whether the holder may write and send nothing more."""
        ...


@frozen
class Basis:
    """What a prompt rests on.

    `looked_s`: by the monotonic clock, the beginning of the one reading of amendments under the whole prompt; -inf if the prompt
    has grown since.
    """

    conversation: Conversation
    lease: HeldLease = field(repr=False)
    prompt: Provenance
    before: Amendments
    looked_s: float = -math.inf

    def with_more(self, shown: Provenance) -> "Basis":
        """Return the basis with the provenance of tool results added."""
        return self.showing(self.prompt | shown)

    def showing(self, prompt: Provenance) -> "Basis":
        """Return the basis of another prompt of the same turn."""
        return replace(self, prompt=prompt, looked_s=self.looked_s if prompt == self.prompt else -math.inf)

    def is_amended(self) -> bool:
        """Read the amendments; return whether an edit, a withdrawal or an erasure since the chat was read affects the prompt.

        Raises: StorageUnavailableError.
        """
        return self._is_amended_in(self._read_amendments())

    def _read_amendments(self) -> Amendments:
        return self.conversation.amendments.fresh_look()

    def check(self) -> None:
        """Read the amendments before a request to the model.

        Raises: PromptAmendedError, also if the lease is over, because the answer could not be committed; StorageUnavailableError.
        """
        self._check_lease()
        _check_amended(is_amended=self.is_amended())

    def begin_check(self) -> Callable[[], None]:
        """Do what `check` does; if the amendments under the prompt are still valid, only begin to read them again.

        The returned function ends the check, and raises what `check` does. Call the function before the answer is used: only this reading
        begins after the turn was opened, and finds an edit that came between the listing and the opening.
        Example: `end_check = basis.begin_check(); reply = model.generate(request); end_check()`.
        """
        log = self.conversation.amendments
        if not log.is_valid(self.looked_s):
            self.check()
            return lambda: None
        self._check_lease()
        return partial(self._end_check, log.begin_look())

    def _end_check(self, end_look: EndLook) -> None:
        _check_amended(is_amended=self._is_amended_in(end_look()))

    def _is_amended_in(self, now: Amendments) -> bool:
        return self.prompt.is_affected_since(self.before, now)

    def _check_lease(self) -> None:
        if self.lease.is_over:
            raise PromptAmendedError("the turn was lost")


def _check_amended(*, is_amended: bool) -> None:
    if is_amended:
        raise PromptAmendedError("something in the prompt was edited or withdrawn")
