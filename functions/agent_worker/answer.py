"""Answer a message: record it, think, and say at most one thing about it."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from shared import logs
from shared.agent.loop import Agent
from shared.agent.model import TextContent
from shared.agent.prompt import Chat
from shared.agent.tools import TurnContext
from shared.clock import Clock
from shared.conversation.answering import Answering, Question
from shared.conversation.compaction import Compaction
from shared.conversation.journal import Journal
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.errors import (
    AizuchiError,
    LimitReachedError,
    ModelBlockedError,
    ModelRefusedError,
    ModelUnavailableError,
)
from shared.knowledge.overlay import EntryOverlay
from shared.line.addressing import is_addressed
from shared.line.descriptions import describe
from shared.line.events import LineEvent, MessageContent
from shared.line.phrases import Phrase

_PRESENCE_S: Final = 5.0


class Presence(Protocol):
    """How the bot shows that it is listening.  No method raises: a chat works without them."""

    def show_loading(self, user_id: str) -> None:
        """Show that an answer is on its way; 1:1 chats only."""
        ...

    def mark_as_read(self, mark_as_read_token: str) -> None:
        """Show the message and all before it as read."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Handles message events, and presses of the button under "still thinking"."""

    journal: Journal
    answering: Answering
    compaction: Compaction
    agent: Agent
    chat: Chat
    presence: Presence
    background: Executor = field(repr=False)
    clock: Clock = field(repr=False)
    settle_s: float
    system_instruction: Callable[[], str] = field(repr=False)
    phrase: Callable[[Phrase], str] = field(repr=False)
    overlay: Callable[[str, Question], EntryOverlay] = field(repr=False)
    done_before: Callable[[TurnContext], tuple[str, ...]] = field(default=lambda _: (), repr=False)

    def __call__(self, event: LineEvent, content: MessageContent, received_ms: int | None) -> str:
        """The message is in the journal, and answered if it was meant for the bot and can be answered.  Returns what came of it.

        `received_ms` is when its reply token began to live. Repeated: an event that came to an end is not thought about again.
        Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        message = _record_of(event, content, received_ms=self.clock.now_ms() if received_ms is None else received_ms)
        if not message.addressed or message.reply_token is None:
            return self._kept_as_context(event.conversation_id, message)
        with self._present(event, content):
            return self._answered(event, message)

    def press(self, event: LineEvent, deferral_id: str, received_ms: int | None) -> str:
        """The answer behind the button is said, once, on the token of the press.  Returns what came of it.

        Repeated, pressed again, pressed by somebody else: what was said is not said again. Raises: as a message does.
        """
        if event.reply_token is None:
            return "not_answerable"
        press = MessageRecord(
            line_message_id=event.webhook_event_id,
            webhook_event_id=event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            type="postback",
            addressed=True,
            text="",
            user_id=event.user_id,
            reply_token=event.reply_token,
            received_ms=self.clock.now_ms() if received_ms is None else received_ms,
            presses=deferral_id,
        )
        return self._answered(event, press)

    def _answered(self, event: LineEvent, message: MessageRecord) -> str:
        context = TurnContext(conversation_id=event.conversation_id, user_id=event.user_id)
        seen = self.answering(
            event.conversation_id,
            message,
            settle_s=0 if message.presses else self.settle_s,
            think=lambda question: self._thought_of(context, question),
        )
        if self.compaction.is_due(journalled=seen.journalled, shown=seen.shown):
            self._compact(event.conversation_id, may_ask_model=True)
        return seen.came_of

    def _kept_as_context(self, conversation_id: str, message: MessageRecord) -> str:
        stands = self.journal.record(conversation_id, message)
        if self.compaction.is_drawn(message.line_message_id):
            self._compact(conversation_id, may_ask_model=False)
        return "kept_as_context" if stands else "withdrawn"

    def _compact(self, conversation_id: str, *, may_ask_model: bool) -> None:
        """The answer is given and recorded: whatever goes wrong here is for the next one to do."""
        try:
            self.compaction.fold(conversation_id, may_ask_model=may_ask_model)
        except AizuchiError as cause:
            logs.warning("compaction_failed", error_type=type(cause).__name__)

    def _thought_of(self, context: TurnContext, question: Question) -> OutcomeRecord:
        now_ms = self.clock.now_ms()
        overlay = self.overlay(context.conversation_id, question)
        context = replace(
            context,
            first_line_message_id=question.asked[0].line_message_id,
            seen_message_ids=frozenset(question.draft.saw),
            sequence=question.sequence,
            now_ms=now_ms,
            to_answer=question.asked,
            earlier=question.history.messages,
            entries=overlay,
        )
        contents = self.chat.contents(question.history, pending=question.asked, now_ms=now_ms)
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
        outcome = replace(
            question.draft,
            kind=OutcomeKind.SKIPPED if decision.message is None else OutcomeKind.REPLIED,
            text=decision.message and "\n\n".join((decision.message, *thought.footnotes)),
            model_name=thought.model_name,
            tools_used=thought.tools_used,
        )
        return _with_filed(outcome, overlay)

    def _apology(self, draft: OutcomeRecord, which: Phrase) -> OutcomeRecord:
        """Words of our own repeat nobody's, and make no deferral good."""
        return replace(draft, kind=OutcomeKind.APOLOGISED, text=self.phrase(which), saw=(), answers=())

    @contextmanager
    def _present(self, event: LineEvent, content: MessageContent) -> Iterator[None]:
        """Show presence beside the thinking, and be done with it before the answer, which ends the animation."""
        shown: list[Future[None]] = []
        token = content.fields.get("markAsReadToken")
        if isinstance(token, str):
            shown.append(self.background.submit(copy_context().run, self.presence.mark_as_read, token))
        if event.is_one_on_one:
            shown.append(self.background.submit(copy_context().run, self.presence.show_loading, event.conversation_id))
        try:
            yield
        finally:
            wait(shown, timeout=_PRESENCE_S)


def _with_filed(outcome: OutcomeRecord, overlay: EntryOverlay) -> OutcomeRecord:
    """Return the outcome with what the turn stages; it saw the messages behind every entry that the model was shown."""
    return replace(
        outcome,
        saw=tuple(sorted({*outcome.saw, *overlay.read_source_ids})),
        writes=overlay.changes(),
        filed_entry_path=overlay.filed.path if overlay.filed else None,
        filed_confidence=overlay.filed.confidence if overlay.filed else None,
    )


def _record_of(event: LineEvent, content: MessageContent, *, received_ms: int) -> MessageRecord:
    return MessageRecord(
        line_message_id=content.line_message_id,
        webhook_event_id=event.webhook_event_id,
        timestamp_ms=event.timestamp_ms,
        type=content.type,
        addressed=is_addressed(event),
        text=describe(content.type, content.fields),
        user_id=event.user_id,
        reply_token=event.reply_token,
        received_ms=received_ms,
    )
