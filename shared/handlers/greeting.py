"""Follow and join events: greet a person who added the bot as a friend, or a group that invited the bot."""

from functools import partial

from shared.bus.result import EventResult
from shared.conversation.records import Offer
from shared.conversation.silences import SilenceKind, ended
from shared.conversation.store import Conversation, Conversations
from shared.frozen import frozen
from shared.handlers.switches import ShownSwitches, Switchboard
from shared.line.cards.card import card_text
from shared.line.cards.written import greeting_card
from shared.line.events import LineEvent
from shared.line.phrases import EXAMPLES, GROUP_EXAMPLES, Phrase, Phrases
from shared.turns.announcement import Announcement, Announcer, in_chats_language


@frozen
class GreetingHandler:
    """Handles follow and join events."""

    conversations: Conversations
    announcer: Announcer
    switchboard: Switchboard
    phrases: Phrases
    is_rich: bool = True

    def __call__(self, event: LineEvent) -> EventResult:
        """The greeting was sent on the event's token, with what is on in the chat; an event without token is not answered.

        A pause of an earlier stay is over.

        Repeated: an event whose outcome is recorded is not greeted again.
        Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        if conversation.silences.read().switches:  # of an earlier stay
            conversation.silences.add(lambda _: ended(event.webhook_event_id, *SilenceKind, at_ms=event.timestamp_ms))
        if event.reply_token is None:
            return EventResult.NOT_ANSWERABLE
        result = self._greet(conversation, event)
        return self._greet(conversation, event) if result is EventResult.ERASED else result

    def _greet(self, conversation: Conversation, event: LineEvent) -> EventResult:
        """Greet, with what is on in the chat; the name of a hook that is withdrawn meanwhile is not shown."""
        switches = self.switchboard.read(conversation)
        return self.announcer.announce(conversation, in_chats_language(partial(self._greeting, event, switches)))

    def _greeting(self, event: LineEvent, switches: ShownSwitches, locale: str | None) -> Announcement:
        which = Phrase.GREETING_FRIEND if event.is_one_on_one else Phrase.GREETING_GROUP
        examples = EXAMPLES if event.is_one_on_one else GROUP_EXAMPLES if self.is_rich else ()
        text = self.phrases.text(which, locale=locale)
        suggests = tuple(self.phrases.text(example, locale=locale) for example in examples)
        card = greeting_card(text, event.webhook_event_id, suggests)
        greeting = switches.added_to(text, card, locale or self.phrases.locale)
        return Announcement(
            event=event,
            text=greeting.text,
            offer=Offer(suggests=suggests, card=card_text(greeting.card)),
            provenance=greeting.provenance,
            is_joining=event.type == "join",
        )
