"""Greet: a person who added the bot as a friend, or a group that invited it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from shared.conversation.journal import Journal
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.speaking import Speaker
from shared.line.events import LineEvent
from shared.line.phrases import Phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class Greet:
    """Handles follow and join events."""

    journal: Journal
    speaker: Speaker
    phrase: Callable[[Phrase], str] = field(repr=False)

    def __call__(self, event: LineEvent) -> str:
        """The greeting was sent on the event's token, if it has one.  Returns what came of it.

        Repeated: an event that came to an end is not greeted again. Raises: StorageUnavailableError; safe to deliver again.
        """
        if event.reply_token is None:
            return "not_answerable"
        if self.journal.outcome_of(event.conversation_id, event.webhook_event_id) is not None:
            return "already_answered"
        greeting = OutcomeRecord(
            webhook_event_id=event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            kind=OutcomeKind.REPLIED,
            text=self.phrase(Phrase.GREETING_FRIEND if event.is_one_on_one else Phrase.GREETING_GROUP),
        )
        return self.speaker.say(event.conversation_id, greeting, reply_token=event.reply_token).kind.value
