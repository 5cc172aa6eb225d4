"""Unsend events: withdraw a message; afterwards no object of the bucket holds its words, whatever else is in flight.

Source: LINE, "Processing on receipt of unsend event": respect the user's intent, so that the message can't be seen or used in the future.
"""

from collections.abc import Mapping, Sequence

from shared import logs
from shared.bus.envelope import Envelope
from shared.bus.messages import Tick
from shared.bus.notices import HookNotice
from shared.bus.result import EventResult
from shared.clock import Clock, Deadline
from shared.conversation.store import Conversations
from shared.conversation.withdrawal import Withdrawal
from shared.errors import MisroutedEventError
from shared.features.stored_feature import StoredFeature
from shared.features.stored_features import STORED_FEATURES
from shared.frozen import frozen
from shared.handlers.traces import Traces
from shared.line.events import LineEvent, parse_event


def withdrawal_of(clock: Clock, features: Sequence[StoredFeature] = STORED_FEATURES) -> Withdrawal:
    """Return the withdrawal with every place of words besides journal, turn and snapshot."""
    return Withdrawal(holders=tuple(one.words for one in features), clock=clock)


@frozen
class UnsendHandler:
    """Handles unsend events."""

    conversations: Conversations
    withdrawal: Withdrawal
    traces: Traces

    def __call__(self, event: Mapping[str, object] | Tick | HookNotice, _: Envelope, deadline: Deadline) -> EventResult:
        """Return the result of an event that was pushed to the unsend function.

        Raises: MisroutedEventError, UnusableIdError; StorageUnavailableError and UnreadableRecordError, safe to deliver again.
        """
        parsed = None if isinstance(event, Tick | HookNotice) else parse_event(event, deadline=deadline)
        if parsed is None or parsed.type != "unsend":
            raise MisroutedEventError(
                "the unsend function got an event of another type; its subscription's filter is wrong"
            )
        with logs.bound(
            webhook_event_id=parsed.webhook_event_id, conversation_id=logs.pseudonym(parsed.conversation_id)
        ):
            return self.withdraw(parsed)

    def withdraw(self, event: LineEvent) -> EventResult:
        """No object holds the message's words, now or later.

        Repeated: no further effect. Message unknown (yet): the amendment waits for the message.
        Raises: StorageUnavailableError, UnreadableRecordError; safe to deliver again.
        Example: the unsend of message 5931 comes first; when the message arrives, its words are not stored.
        """
        if event.subject_id is None:
            return EventResult.IGNORED
        conversation = self.conversations.of(event.conversation_id)
        if self.traces.has_none_of(conversation):
            return EventResult.NOT_ADMITTED
        if not self.withdrawal.withdraw(conversation, event.subject_id, timestamp_ms=event.timestamp_ms):
            logs.warning("withdrawn_message_unknown")
            return EventResult.UNKNOWN
        logs.info("message_withdrawn")
        return EventResult.WITHDRAWN
