"""messageEdited events: replace the words of a message.  Source: LINE, "Message edited event": text messages of groups; the id stays."""

from dataclasses import dataclass

from shared.bus.result import EventResult
from shared.conversation.store import Conversations
from shared.conversation.withdrawal import Withdrawal
from shared.handlers.intake import Intake
from shared.line.events import LineEvent, MessageContent


@dataclass(frozen=True, slots=True, kw_only=True)
class EditHandler:
    """Handles messageEdited events."""

    conversations: Conversations
    withdrawal: Withdrawal
    intake: Intake

    def __call__(self, event: LineEvent, content: MessageContent) -> EventResult:
        """The message has its new words in every object that holds it.

        Repeated, or older than another edit: changes nothing. Message unknown (yet): the amendment waits for it.
        Raises: StorageUnavailableError; safe to deliver again.
        """
        if content.type != "text" or not isinstance(content.fields.get("text"), str):
            return EventResult.IGNORED
        counts = self.withdrawal.edit(
            self.conversations.of(event.conversation_id),
            content.line_message_id,
            text=self.intake.edited_words(event, content),
            timestamp_ms=event.timestamp_ms,
            user_id=event.user_id,
        )
        return EventResult.EDITED if counts else EventResult.ERASED
