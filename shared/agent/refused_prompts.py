"""The handling of refused prompts: the suspects of a turn, and the questions that can still be answered."""

from collections.abc import Collection, Mapping
from typing import Final

from shared import logs
from shared.agent.culprits import Culprits, Suspicion
from shared.agent.media_parts import recent_media
from shared.agent.remedies import Remedy
from shared.agent.suspects import Suspect, media_shown, suspects_around, suspects_asked
from shared.conversation.records import MessageRecord
from shared.errors import AizuchiError, PromptAmendedError
from shared.frozen import frozen
from shared.turns.question import Question

_PROBES_IN_A_TURN: Final = 6


@frozen
class RefusedPrompts:
    """Leaves suspicions for the search after the answer."""

    culprits: Culprits

    def suspect_rest(self, question: Question, remedies_used: Collection[Remedy], names: Mapping[str, str]) -> None:
        """Suspect the parts left out of the prompt before the answer; `names`: the names in the whole prompt."""
        history, asked = question.history, question.asked
        suspects: list[Suspect] = []
        if Remedy.ASKED_ONLY in remedies_used:
            suspects += suspects_around(history, asked, names)
        if Remedy.WITHOUT_MEDIA in remedies_used:
            suspects += media_shown(history, (*recent_media(history, asked), *asked))
        if suspects:
            self.culprits.suspect(question.conversation, Suspicion(suspects=tuple(suspects), before=history.amendments))

    def suspect_asked(self, question: Question) -> None:
        """Suspect the messages to answer, because the prompt held nothing else."""
        self.culprits.suspect(question.conversation, _suspicion_of_asked(question))

    def divide(self, question: Question) -> tuple[tuple[MessageRecord, ...], Suspicion]:
        """Return the questions that are not refused, and the suspicion of the others.

        Empty without an answerable question, or without time to probe. For example, of two questions, the refused question is suspected,
        and the other is returned.
        Raises: PromptAmendedError.
        """
        suspicion = _suspicion_of_asked(question)
        if len(question.asked) == 1:
            return (), suspicion
        try:
            culprits = self.culprits.among(
                question.conversation, suspicion, question.deadline, most_requests=_PROBES_IN_A_TURN
            )
        except PromptAmendedError:
            raise
        except AizuchiError as cause:
            logs.warning("culprit_not_found", error_type=type(cause).__name__)
            return (), suspicion
        refused = {one.refusal.id for one in culprits}
        answerable = tuple(
            message
            for message in question.asked
            if refused.isdisjoint({message.line_message_id, message.quoted_message_id})
        )
        proven = Suspicion(suspects=tuple(culprits), before=suspicion.before, is_proven=True)
        return (answerable, proven) if culprits else ((), suspicion)


def _suspicion_of_asked(question: Question) -> Suspicion:
    suspects = tuple(suspects_asked(question.history, question.asked))
    return Suspicion(suspects=suspects, before=question.history.amendments)
