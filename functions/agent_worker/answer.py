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
from shared.conversation.journal import History, Journal
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, outcome_covering
from shared.conversation.turn_taking import TurnTaking
from shared.errors import LimitReachedError, ModelBlockedError, ModelRefusedError, ModelUnavailableError
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
    done_before: Callable[[TurnContext], tuple[str, ...]] = field(default=lambda _: (), repr=False)

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
        seen = history.seen_ids.union(one.line_message_id for one in pending)
        context = replace(context, first_line_message_id=pending[0].line_message_id, seen_message_ids=seen)
        contents = self.chat.contents(history, pending=pending, now_ms=self.clock.now_ms())
        notes = tuple(TextContent(role="user", texts=(f"[note] {told}",)) for told in self.done_before(context))
        try:
            thought = self.agent.think(self.system_instruction(), (*contents, *notes), context)
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
        return replace(
            outcome_covering(pending, OutcomeKind.SKIPPED if decision.message is None else OutcomeKind.REPLIED),
            saw=tuple(sorted(history.seen_ids)),
            text=decision.message and "\n\n".join((decision.message, *thought.footnotes)),
            model_name=thought.model_name,
            tools_used=thought.tools_used,
        )

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
