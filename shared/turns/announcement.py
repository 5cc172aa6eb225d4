"""Say fixed words that answer an event: a greeting, a goodbye.  They go through the chat's turn like any answer."""

from dataclasses import dataclass

from shared.conversation.history import History, Listing
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.turn import HeldTurn, Route, SeenTurn, Turns
from shared.storage.object_names import outcome_name
from shared.turns.runner import TurnTaking


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcing:
    """Says fixed words in all chats."""

    turns: Turns
    taking: TurnTaking

    def __call__(  # noqa: PLR0913 - which event, what to say and how
        self,
        conversation_id: str,
        webhook_event_id: str,
        *,
        timestamp_ms: int,
        route: Route,
        text: str,
        asks_to_forget: bool = False,
        is_joining: bool = False,
    ) -> str:
        """The text answers the event.  Returns what came of it.

        `asks_to_forget`: it goes with the button that confirms. `is_joining`: the bot has just come into the group.
        Repeated: an event that came to its end, or was erased since, gets nothing.
        Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        words = OutcomeRecord(
            webhook_event_id=webhook_event_id,
            timestamp_ms=timestamp_ms,
            kind=OutcomeKind.REPLIED,
            since_ms=timestamp_ms,
            until_ms=timestamp_ms,
            text=text,
            asks_to_forget=asks_to_forget,
            is_joining=is_joining,
        )
        announcement = _Announcement(self.taking, conversation_id, words, route)
        return self.taking.see_through(conversation_id, announcement, self.turns.read(conversation_id)).came_of


@dataclass(frozen=True, slots=True)
class _Announcement:
    taking: TurnTaking
    conversation_id: str
    words: OutcomeRecord
    route: Route

    def is_surely_open(self, _: SeenTurn, listing: Listing) -> bool:
        name = outcome_name(self.conversation_id, self.words.webhook_event_id)
        return self.words.timestamp_ms > listing.watermark.timestamp_ms and not any(
            one.name == name for one in listing.outcomes
        )

    def came_to(self, history: History, unfinished: OutcomeRecord | None) -> str | None:
        if self.words.webhook_event_id in history.recorded:
            return "already_answered"
        if unfinished is None and history.amendments.touch(self.words):
            return "erased"
        return None

    def is_ended_by(self, outcome: OutcomeRecord) -> bool:
        return outcome.webhook_event_id == self.words.webhook_event_id

    def in_turn(self, held: HeldTurn, _: History) -> OutcomeRecord | None:
        if not held.commit(self.words, self.route, prompt=frozenset(), since_ms=self.words.since_ms):
            return None
        return self.taking.speaker.finish(held, taken_over=False)
