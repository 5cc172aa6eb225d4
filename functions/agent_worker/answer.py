"""Answer a message: record it, think, and say at most one thing about it."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from shared import logs
from shared.agent.loop import Agent
from shared.agent.prompt import Chat
from shared.agent.tools import TurnContext
from shared.clock import Clock
from shared.conversation.journal import History, Journal
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, outcome_covering
from shared.conversation.turn_taking import TurnTaking
from shared.errors import LimitReachedError, ModelBlockedError, ModelRefusedError, ModelUnavailableError
from shared.knowledge.index import IndexView
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
class Knowledge:
    """What a turn needs of the chat's filed entries: the index for its prompt, and an overlay for what its tools read and stage."""

    index: Callable[[str], IndexView]
    overlay: Callable[[str, int], EntryOverlay]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Handles message events."""

    journal: Journal
    turns: TurnTaking
    agent: Agent
    chat: Chat
    presence: Presence
    background: Executor = field(repr=False)
    clock: Clock = field(repr=False)
    settle_s: float
    system_instruction: Callable[[], str] = field(repr=False)
    phrase: Callable[[Phrase], str] = field(repr=False)
    knowledge: Knowledge | None = None

    def __call__(self, event: LineEvent, content: MessageContent, received_ms: int | None) -> str:
        """The message is in the journal, and answered if it was meant for the bot and can be answered.  Returns what came of it.

        `received_ms` is when its reply token began to live. Repeated: an event that came to an end is not thought about again.
        Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        message = _record_of(event, content, received_ms=self.clock.now_ms() if received_ms is None else received_ms)
        if not message.addressed or message.reply_token is None:
            return "kept_as_context" if self.journal.record(event.conversation_id, message) else "withdrawn"
        self.journal.keep(event.conversation_id, message)  # the turn looks at the amendments
        with self._present(event, content):
            self.clock.sleep(self.settle_s)  # bubbles that follow at once are answered together
            context = TurnContext(conversation_id=event.conversation_id, user_id=event.user_id)
            return self.turns.see_through(
                event.conversation_id,
                message,
                think=lambda history, pending: self._thought_of(context, history, pending),
                apologise=lambda _, pending: self._apology(pending, Phrase.APOLOGY_BUSY),
            )

    def _thought_of(self, context: TurnContext, history: History, pending: tuple[MessageRecord, ...]) -> OutcomeRecord:
        now_ms = self.clock.now_ms()
        view = self.knowledge.index(context.conversation_id) if self.knowledge else None
        overlay = self.knowledge.overlay(context.conversation_id, context.sequence) if self.knowledge else None
        contents = self.chat.contents(history, pending=pending, now_ms=now_ms, index=view.text if view else None)
        context = replace(context, now_ms=now_ms, to_answer=pending, earlier=history.messages, entries=overlay)
        try:
            thought = self.agent.think(self.system_instruction(), contents, context)
        except ModelBlockedError as cause:
            logs.warning("turn_apologised", reason=str(cause))
            return self._apology(pending, Phrase.APOLOGY_REFUSED)
        except (ModelUnavailableError, ModelRefusedError, LimitReachedError) as cause:
            logs.error("turn_apologised", cause=cause, reason=str(cause))
            return self._apology(pending, Phrase.APOLOGY_BUSY)
        decision = thought.decision
        logs.info(
            "turn_decided", model_calls=thought.model_calls, tools=thought.tools_used, silent=decision.message is None
        )
        outcome = replace(
            outcome_covering(pending, OutcomeKind.SKIPPED if decision.message is None else OutcomeKind.REPLIED),
            saw=tuple(sorted(history.seen_ids)),
            text=decision.message,
            model_name=thought.model_name,
            tools_used=thought.tools_used,
        )
        return _with_filed(outcome, view, overlay) if view and overlay else outcome

    def _apology(self, pending: tuple[MessageRecord, ...], which: Phrase) -> OutcomeRecord:
        return replace(outcome_covering(pending, OutcomeKind.APOLOGISED), text=self.phrase(which))

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


def _with_filed(outcome: OutcomeRecord, view: IndexView, overlay: EntryOverlay) -> OutcomeRecord:
    """Return the outcome with what the turn stages; it saw the messages behind every entry that the model was shown."""
    writes = overlay.changes()
    return replace(
        outcome,
        saw=tuple(sorted({*outcome.saw, *view.source_ids, *overlay.read_source_ids})),
        writes=writes,
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
