"""Leave and unfollow events: the bot was removed from a group, or blocked; everything of the chat is erased."""

from shared import logs
from shared.bus.result import EventResult
from shared.conversation.store import Conversations
from shared.conversation.withdrawal import Withdrawal
from shared.frozen import frozen
from shared.handlers.traces import Traces
from shared.line.events import LineEvent


@frozen
class DepartureHandler:
    """Handles leave and unfollow events."""

    conversations: Conversations
    withdrawal: Withdrawal
    traces: Traces

    def __call__(self, event: LineEvent) -> EventResult:
        """Everything of the chat up to the event is erased.

        Repeated, or after the bot was invited again: later messages stay.
        Raises: StorageUnavailableError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        if self.traces.has_none_of(conversation):
            return EventResult.NOT_ADMITTED
        self.withdrawal.erase(conversation, until_ms=event.timestamp_ms)
        logs.info("conversation_erased")
        return EventResult.ERASED
