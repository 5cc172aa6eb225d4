"""What a turn thinks about, and the ports that decide what it answers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from shared.clock import Deadline
from shared.conversation.history import History
from shared.conversation.media import Fetches
from shared.conversation.provenance import Provenance
from shared.conversation.records import MessageRecord, OutcomeRecord, ProposedCall
from shared.conversation.store import Conversation
from shared.turns.basis import Basis


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The messages to answer (`asked`) in their chat, and the outcome before the decision (`draft`).

    `basis` is what the model will read. `deadline`: by when the decision is due. `sequence`: the number that the turn's commit will have.
    `is_overheard`: no message addresses the bot. `fetches` are media that are being fetched.
    """

    conversation: Conversation
    history: History
    asked: tuple[MessageRecord, ...]
    draft: OutcomeRecord
    basis: Basis
    deadline: Deadline
    sequence: int
    is_overheard: bool = False
    fetches: Fetches = field(default_factory=dict, repr=False)

    def check_amendments(self, shown: Provenance) -> None:
        """Look at the amendments; called before every request to the model.  `shown` is the provenance of what tools have returned.

        Raises: PromptAmendedError, if something of the prompt or of `shown` was edited or withdrawn since the chat was read.
        """
        self.basis.with_more(shown).check()

    def begin_check(self, shown: Provenance) -> Callable[[], None]:
        """Begin what `check_amendments` does, so that the request need not wait for it; the function that is returned ends it.

        That function is called before the model's answer is used. Both raise what `check_amendments` does.
        """
        return self.basis.with_more(shown).begin_check()


class Responder(Protocol):
    """Decides what to answer."""

    def respond(self, question: Question) -> OutcomeRecord:
        """Return the draft with what was decided.  Raises: PromptAmendedError."""
        ...


class ConfirmedChanges(Protocol):
    """Does what an answer proposed and a person confirmed."""

    def carry_out(self, question: Question, proposed: tuple[ProposedCall, ...]) -> OutcomeRecord:
        """Return the draft with what came of exactly these calls; no model is asked.  Repeated, in a later turn: the same effects once."""
        ...
