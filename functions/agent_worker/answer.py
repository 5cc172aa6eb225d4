"""Answer a message: record it, think, and say at most one thing about it."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from shared import logs
from shared.agent.loop import Agent, Thought
from shared.agent.media_parts import Showing
from shared.agent.model import Content, TextContent
from shared.agent.prompt import Chat, People
from shared.agent.tools import TurnContext
from shared.clock import Clock
from shared.conversation.captions import Describing
from shared.conversation.compaction import Compaction
from shared.conversation.journal import Journal
from shared.conversation.media import MediumLabel, Unkept
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.errors import (
    AizuchiError,
    LimitReachedError,
    ModelBlockedError,
    ModelRefusedError,
    ModelUnavailableError,
)
from shared.handlers.intake import Hearing
from shared.knowledge.staging import EntryOverlay
from shared.line.bubbles import ANSWER, DIGEST, shown_text
from shared.line.events import LineEvent, MessageContent
from shared.line.ids import mask_ids
from shared.line.mentions import GroupPolicy
from shared.line.phrases import Phrase
from shared.line.presence import Presence
from shared.turns.interjection import Chiming
from shared.turns.reply import Answering, Question
from shared.turns.settle_window import Gathering

_LONG_ANSWERS: Final = frozenset({"generate_digest"})  # what these tools tell may fill larger bubbles
_LAST_FETCH_S: Final = 30.0
_Begun: TypeAlias = Mapping[str, Future[MediumLabel | Unkept]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Handles message events, and presses of the button under "still thinking"."""

    hearing: Hearing
    journal: Journal
    answering: Answering
    chiming: Chiming
    gathering: Gathering
    compaction: Compaction
    describing: Describing
    agent: Agent
    chat: Chat
    people: People
    showing: Showing
    presence: Presence
    clock: Clock = field(repr=False)
    settle_s: float
    system_instruction: Callable[[], str] = field(repr=False)
    phrase: Callable[[Phrase], str] = field(repr=False)
    overlay: Callable[[str, Question], EntryOverlay] = field(repr=False)
    done_before: Callable[[TurnContext], tuple[str, ...]] = field(default=lambda _: (), repr=False)

    def __call__(self, event: LineEvent, content: MessageContent, received_ms: int) -> str:
        """The message is in the journal, and answered if it was meant for the bot and can be answered.  Returns what came of it.

        `received_ms` is when its reply token began to live. Repeated: an event that came to an end is not thought about again.
        Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        message = self.hearing.message(event, content, received_ms=received_ms)
        if not message.addressed or message.reply_token is None:
            return self._overheard(event, message)
        with self.presence.during(mark_as_read_token=content.mark_as_read_token):
            return self._answered(event, message)

    def press(self, event: LineEvent, deferral_id: str, received_ms: int) -> str:
        """The answer behind the button is said, once, on the token of the press.  Returns what came of it.

        Repeated, pressed again, pressed by somebody else: what was said is not said again. Raises: as a message does.
        """
        return self._answered(event, self.hearing.press(event, deferral_id, received_ms=received_ms))

    def _answered(self, event: LineEvent, message: MessageRecord) -> str:
        fetching = self.showing.begin(event.conversation_id, message)
        begun = {} if fetching is None else {message.line_message_id: fetching}
        try:
            seen = self.answering(
                event.conversation_id,
                message,
                settle=lambda: self._settle(event.conversation_id, message),
                think=lambda question: self._thought_of(event, question, begun),
            )
        finally:
            wait(begun.values(), timeout=_LAST_FETCH_S)  # nothing goes on once the request is answered
        if self.compaction.is_due(journalled=seen.journalled, shown=seen.shown):
            self._compact(event.conversation_id, may_ask_model=True)
        return seen.came_of

    def _settle(self, conversation_id: str, message: MessageRecord) -> None:
        if message.presses is None:
            self.clock.sleep(self.settle_s)
            self.gathering(conversation_id, message)

    def _overheard(self, event: LineEvent, message: MessageRecord) -> str:
        """The message is context; where the policy lets it, the model may still have something to add."""
        if not self.journal.record(event.conversation_id, message):
            return "withdrawn"
        came_of = "kept_as_context"
        if self.hearing.policy is GroupPolicy.MODEL and message.reply_token is not None:
            came_of = self.chiming(
                event.conversation_id, message, lambda question: self._thought_of(event, question, {})
            )
        if self.compaction.is_drawn(message.line_message_id):
            self._compact(event.conversation_id, may_ask_model=False)
        return came_of

    def _compact(self, conversation_id: str, *, may_ask_model: bool) -> None:
        """The answer is given and recorded: whatever goes wrong here is for the next one to do."""
        try:
            if self.compaction.fold(conversation_id, may_ask_model=may_ask_model) and may_ask_model:
                self.describing(conversation_id)
        except AizuchiError as cause:
            logs.warning("compaction_failed", error_type=type(cause).__name__)

    def _thought_of(self, event: LineEvent, question: Question, begun: _Begun) -> OutcomeRecord:
        """Whoever waits in a 1:1 chat sees that an answer is on its way; that ends before the answer is sent."""
        is_watched = event.is_one_on_one and not question.is_overheard
        with self.presence.during(loading_for=event.conversation_id if is_watched else None):
            return self._decided(event, question, begun)

    def _decided(self, event: LineEvent, question: Question, begun: _Begun) -> OutcomeRecord:
        now_ms = self.clock.now_ms()
        overlay = self.overlay(event.conversation_id, question)
        context = TurnContext(
            conversation_id=event.conversation_id,
            user_id=event.user_id,
            first_line_message_id=question.asked[0].line_message_id,
            seen_message_ids=frozenset(question.draft.saw),
            sequence=question.sequence,
            now_ms=now_ms,
            to_answer=question.asked,
            earlier=question.history.messages,
            entries=overlay,
        )
        contents = self._contents(event.conversation_id, question, begun, now_ms=now_ms)
        notes = tuple(TextContent(role="user", texts=(f"[note] {told}",)) for told in self.done_before(context))
        try:
            thought = self.agent.think(
                self.system_instruction(),
                (*contents, *notes),
                context,
                look=lambda: question.look(overlay.read_source_ids),
                seconds=question.seconds,
            )
        except ModelBlockedError as cause:
            logs.warning("turn_apologised", reason=str(cause))
            return self._apology(question.draft, Phrase.APOLOGY_REFUSED)
        except (ModelUnavailableError, ModelRefusedError, LimitReachedError) as cause:
            logs.error("turn_apologised", cause=cause, reason=str(cause))
            return self._apology(question.draft, Phrase.APOLOGY_BUSY)
        decision = thought.decision
        logs.info(
            "turn_decided", model_calls=thought.model_calls, tools=thought.tools_used, silent=decision.message is None
        )
        text = None if decision.message is None else _said(decision.message, thought)
        if text == "":
            logs.error("turn_apologised", reason="the model's answer is blank as plain text")
            return self._apology(question.draft, Phrase.APOLOGY_BUSY)
        outcome = replace(
            question.draft,
            kind=OutcomeKind.SKIPPED if text is None else OutcomeKind.REPLIED,
            text=text,
            model_name=thought.model_name,
            tools_used=thought.tools_used,
        )
        return _with_filed(outcome, overlay)

    def _contents(self, conversation_id: str, question: Question, begun: _Begun, *, now_ms: int) -> tuple[Content, ...]:
        history = question.history
        return self.chat.contents(
            history,
            pending=question.asked,
            now_ms=now_ms,
            names=self.people.of(conversation_id, (*history.messages, *question.asked)),
            shown=self.showing.parts(conversation_id, question.asked, quotable=history.quotable, begun=begun),
            is_overheard=question.is_overheard,
        )

    def _apology(self, draft: OutcomeRecord, which: Phrase) -> OutcomeRecord:
        """Words of our own repeat nobody's, and make no deferral good."""
        return replace(draft, kind=OutcomeKind.APOLOGISED, text=self.phrase(which), saw=(), answers=())


def _said(message: str, thought: Thought) -> str:
    """Return what people see: the model's words within their limit, and what goes with them as it is."""
    limit = ANSWER.text_limit if _LONG_ANSWERS.isdisjoint(thought.tools_used) else DIGEST.text_limit
    words = shown_text(message, limit=limit)
    return words and mask_ids("\n\n".join((words, *thought.footnotes)))


def _with_filed(outcome: OutcomeRecord, overlay: EntryOverlay) -> OutcomeRecord:
    """Return the outcome with what the turn stages; it saw the messages behind every entry that the model was shown."""
    return replace(
        outcome,
        saw=tuple(sorted({*outcome.saw, *overlay.read_source_ids})),
        writes=overlay.changes(),
        filed_entry_path=overlay.filed.path if overlay.filed else None,
        filed_confidence=overlay.filed.confidence if overlay.filed else None,
    )
