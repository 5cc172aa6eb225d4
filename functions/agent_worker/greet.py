"""Greet: a person who added the bot as a friend, or a group that invited it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from shared.conversation.turn import Route
from shared.line.events import LineEvent
from shared.line.phrases import Phrase
from shared.turns.announcement import Announcing


@dataclass(frozen=True, slots=True, kw_only=True)
class Greet:
    """Handles follow and join events."""

    announce: Announcing
    phrase: Callable[[Phrase], str] = field(repr=False)

    def __call__(self, event: LineEvent, received_ms: int) -> str:
        """The greeting was sent on the event's token, if it has one.  Returns what came of it.

        Repeated: an event that came to an end is not greeted again. Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        if event.reply_token is None:
            return "not_answerable"
        return self.announce(
            event.conversation_id,
            event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            route=Route(
                kind="token",
                reply_token=event.reply_token,
                received_ms=received_ms,
            ),
            text=self.phrase(Phrase.GREETING_FRIEND if event.is_one_on_one else Phrase.GREETING_GROUP),
            is_joining=event.type == "join",
        )
