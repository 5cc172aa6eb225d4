"""Makes the context of a turn: the chat as the question shows it, and empty staging; each attempt at a turn begins without writes."""

from collections.abc import Sequence
from dataclasses import field

from shared.agent.overlay import Attempt
from shared.agent.retellings import messages_in_prompt
from shared.agent.staged import BeginOverlay, Staged
from shared.agent.turn_context import TurnContext
from shared.clock import Clock
from shared.frozen import frozen
from shared.turns.question import Question


@frozen
class TurnContexts:
    """Makes contexts.  `overlays` has an overlay of every feature that the deployment offers."""

    overlays: Sequence[BeginOverlay]
    clock: Clock = field(repr=False)

    def of(self, question: Question) -> TurnContext:
        """Return the context of an attempt at this question."""
        attempt = Attempt.at(
            question.conversation,
            sequence=question.sequence,
            now_ms=self.clock.now_ms(),
            amendments=question.history.amendments,
        )
        return TurnContext(
            conversation=question.conversation,
            prompt=question.draft.provenance,
            sequence=question.sequence,
            now_ms=attempt.now_ms,
            to_answer=question.asked,
            earlier=messages_in_prompt(question.history, question.asked),
            staged=Staged.begin(attempt, self.overlays),
            question=question,
        )
