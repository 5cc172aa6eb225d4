"""Amend what is remembered: a message that was edited, a chat that the bot has left or that has left the bot."""

from collections.abc import Callable
from dataclasses import dataclass, field

from shared import logs
from shared.conversation.withdrawal import Withdrawal
from shared.line.events import LineEvent, MessageContent


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Handles messageEdited events.  Source: LINE, "Message edited event": text messages of groups; the message keeps its id."""

    withdrawal: Withdrawal
    words: Callable[[LineEvent, MessageContent], str] = field(repr=False)

    def __call__(self, event: LineEvent, content: MessageContent) -> str:
        """The message has its new words, wherever it is kept.  Returns what came of it.

        Repeated, or older than another edit: changes nothing. Message unknown (yet): the amendment waits for it.
        Raises: StorageUnavailableError; safe to deliver again.
        """
        if content.type != "text" or not isinstance(content.fields.get("text"), str):
            return "ignored"
        counts = self.withdrawal.edit(
            event.conversation_id,
            content.line_message_id,
            text=self.words(event, content),
            timestamp_ms=event.timestamp_ms,
        )
        return "edited" if counts else "erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class Erase:
    """Handles leave and unfollow events."""

    withdrawal: Withdrawal

    def __call__(self, event: LineEvent) -> str:
        """Nothing of the chat is kept that is not newer than the event.  Returns what came of it.

        Repeated, or after the bot was invited again: what came later stays. Raises: StorageUnavailableError; safe to deliver again.
        """
        self.withdrawal.erase(event.conversation_id, until_ms=event.timestamp_ms)
        logs.info("conversation_erased")
        return "erased"
