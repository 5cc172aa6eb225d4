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
from shared.conversation.journal import Journal
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.speaking import Speaker
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
    speaker: Speaker
    agent: Agent
    chat: Chat
    presence: Presence
    background: Executor = field(repr=False)
    clock: Clock = field(repr=False)
    system_instruction: Callable[[], str] = field(repr=False)
    phrase: Callable[[Phrase], str] = field(repr=False)

    def __call__(self, event: LineEvent, content: MessageContent) -> str:
        """The message is in the journal, and answered if it was meant for the bot and can be answered.  Returns what came of it.

        Repeated: an event that came to an end is not thought about again; one that did not is, and LINE takes its token only once.
        Raises: StorageUnavailableError; safe to deliver again.
        """
        message = _record_of(event, content)
        stands = self.journal.record(event.conversation_id, message)
        if not stands:
            return "withdrawn"
        if not message.addressed or event.reply_token is None:
            return "kept_as_context"
        if self.journal.outcome_of(event.conversation_id, event.webhook_event_id) is not None:
            return "already_answered"
        with self._present(event, content):
            outcome = self._thought_of(event, message)
        return self.speaker.say(event.conversation_id, outcome, reply_token=event.reply_token).kind.value

    def _thought_of(self, event: LineEvent, message: MessageRecord) -> OutcomeRecord:
        history = self.journal.read(event.conversation_id)
        logs.info("turn_opened", messages=len(history.messages), outcomes=len(history.outcomes))
        outcome = OutcomeRecord(
            webhook_event_id=event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            kind=OutcomeKind.APOLOGISED,
            covers=(message.line_message_id,),
        )
        try:
            thought = self.agent.think(
                self.system_instruction(),
                self.chat.contents(history, pending=(message,), now_ms=self.clock.now_ms()),
                TurnContext(conversation_id=event.conversation_id, user_id=event.user_id),
            )
        except ModelBlockedError as cause:
            logs.warning("turn_apologised", reason=str(cause))
            return replace(outcome, text=self.phrase(Phrase.APOLOGY_REFUSED))
        except (ModelUnavailableError, ModelRefusedError, LimitReachedError) as cause:
            logs.error("turn_apologised", cause=cause, reason=str(cause))
            return replace(outcome, text=self.phrase(Phrase.APOLOGY_BUSY))
        decision = thought.decision
        logs.info(
            "turn_decided", model_calls=thought.model_calls, tools=thought.tools_used, silent=decision.message is None
        )
        return replace(
            outcome,
            kind=OutcomeKind.SKIPPED if decision.message is None else OutcomeKind.REPLIED,
            saw=tuple(sorted(history.seen_ids)),
            text=decision.message,
            model_name=thought.model_name,
            tools_used=thought.tools_used,
        )

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


def _record_of(event: LineEvent, content: MessageContent) -> MessageRecord:
    return MessageRecord(
        line_message_id=content.line_message_id,
        webhook_event_id=event.webhook_event_id,
        timestamp_ms=event.timestamp_ms,
        type=content.type,
        addressed=is_addressed(event),
        text=describe(content.type, content.fields),
        user_id=event.user_id,
    )
