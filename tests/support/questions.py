"""What a turn has to answer, without a turn."""

import math
from dataclasses import dataclass

from shared.clock import Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.history import History
from shared.conversation.records import MessageRecord, OutcomeKind, outcome_of, provenance_of
from shared.conversation.store import Conversation
from shared.turns.basis import Basis
from shared.turns.question import Question
from tests.support.chats import answer, message


@dataclass(frozen=True, kw_only=True)
class Held:
    """A lease."""

    is_over: bool = False


def question_about(
    conversation: Conversation,
    *asked: MessageRecord,
    history: History | None = None,
    looked_s: float = -math.inf,
    is_overheard: bool = False,
) -> Question:
    """Return the question that asks these messages, with `history` or after an older message and its answer.

    `looked_s` is when all of it was read.
    """
    usual = History(messages=(message(1, "lunch at noon"), *asked), outcomes=(answer(1, "noted"),))
    return Question(
        conversation=conversation,
        history=usual if history is None else history,
        asked=asked,
        draft=outcome_of(asked, OutcomeKind.REPLIED),
        basis=Basis(
            conversation=conversation,
            lease=Held(),
            prompt=provenance_of(asked),
            before=Amendments(),
            looked_s=looked_s,
        ),
        deadline=Deadline.after(conversation.turn.clock, 40),
        sequence=1,
        is_overheard=is_overheard,
    )
