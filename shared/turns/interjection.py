"""Chime in where nobody asked: the model may, now and then, and whatever goes wrong with that stays silent.

It takes the chat's turn only where that is free and nobody waits for it, thinks for a short while, and covers the one message that it was
about. Nobody relies on it: a worker that dies here leaves a message that is context, as it was before.
"""

from dataclasses import dataclass, field, replace
from typing import Final

from shared import logs
from shared.clock import Clock
from shared.conversation.history import ANSWERABLE_MS, History
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.turn import FENCE, HeldTurn, SeenTurn
from shared.errors import AizuchiError, PromptAmendedError
from shared.turns.deferral import Errand
from shared.turns.reply import Answering, Keeper, Question, Thinker

EVERY_MS: Final = 30_000
_SECONDS: Final = 10.0
_TO_SPEAK: Final = 0.5  # of what a holder may write in: nobody renews the lease meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class Chiming:
    """Lets the model chime in, at most once in 30 seconds a chat."""

    answering: Answering
    clock: Clock = field(repr=False)

    def __call__(self, conversation_id: str, message: MessageRecord, think: Thinker) -> str:
        """The message, kept before as context, may have been answered.  Returns what came of it.

        Repeated: what was thought about is not thought about again. Raises: StorageUnavailableError, before anything was said only.
        """
        turns, reader = self.answering.turns, self.answering.taking.reader
        seen = turns.read(conversation_id)  # before the chat: an outcome that is recorded between the two is then seen
        if self._is_too_soon(seen) or self.clock.now_ms() - message.timestamp_ms >= ANSWERABLE_MS:
            return "kept_as_context"
        history = reader.now(conversation_id)
        routes = self.answering.speaker.routes([message])
        if not routes or self._has_better_to_do(seen, history, message):
            return "kept_as_context"
        held = turns.open(conversation_id, seen)
        if held is None:
            return "kept_as_context"
        keeper = Keeper(
            of=self.answering,
            held=held,
            history=history,
            what=Errand(covers=(message,), asked=(message,)),
            routes=routes,
        )
        outcome = self._thought(keeper, message, think)
        if outcome is None:
            held.release()
            return "kept_as_context"
        if not held.commit(outcome, routes[0], prompt=keeper.prompt.union(outcome.saw), since_ms=keeper.since_ms):
            return "kept_as_context"
        said = self._said(held)
        return said.kind.value if said is not None else "kept_as_context"

    def _is_too_soon(self, seen: SeenTurn) -> bool:
        """Whether the chat's turn is somebody's, or was within the last 30 seconds: whoever writes it gives it a lease from then on."""
        written_ms = seen.record.expires_ms - round(self.answering.turns.lease_s * 1_000)
        free_ms = 0 if seen.record.state == "idle" else seen.record.expires_ms
        return seen.generation > 0 and self.clock.now_ms() < max(free_ms, written_ms + EVERY_MS)

    def _has_better_to_do(self, seen: SeenTurn, history: History, message: MessageRecord) -> bool:
        """Whether somebody waits for an answer, or for one to be finished, or this message came to its end."""
        unfinished = seen.record.outcome if seen.record.state == "committed" else None
        return (
            (unfinished is not None and unfinished.webhook_event_id not in history.recorded)
            or bool(history.pending(message, now_ms=self.clock.now_ms()))
            or message.line_message_id in history.covered
            or history.amendments.take_back(message)
        )

    def _thought(self, keeper: Keeper, message: MessageRecord, think: Thinker) -> OutcomeRecord | None:
        """Return what was decided; None where something went wrong, which nobody is told of."""
        seconds = min(_SECONDS, self.answering.turns.lease_s * FENCE * _TO_SPEAK)
        question = Question(
            history=keeper.history,
            asked=(message,),
            draft=keeper.draft,
            look=keeper.look,
            seconds=seconds,
            sequence=keeper.held.record.sequence + 1,
            is_overheard=True,
        )
        try:
            outcome = think(question)
        except PromptAmendedError:
            return None
        if outcome.kind is OutcomeKind.REPLIED:
            return outcome
        return replace(outcome, kind=OutcomeKind.SKIPPED, text=None)

    def _said(self, held: HeldTurn) -> OutcomeRecord | None:
        try:
            return self.answering.speaker.finish(held, taken_over=False)
        except AizuchiError as cause:  # whoever comes next brings it to its end
            logs.warning("chiming_failed", error_type=type(cause).__name__)
            return None
