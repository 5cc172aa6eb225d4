"""The language of a chat's buttons and notices: shown and chosen by `/language`, `/language th`, or a press of a button.

The choice counts only where no words show a language: in answers to commands, and for Han characters that may be Japanese or Chinese.
"""

from shared import logs
from shared.bus.result import EventResult
from shared.conversation.records import Offer
from shared.conversation.store import Conversations
from shared.conversation.undo import stage_beyond_undo
from shared.frozen import frozen
from shared.line.events import LineEvent
from shared.line.phrases import Phrase, Phrases
from shared.turns.announcement import Announcement, Announcer, phrased


@frozen
class LanguageHandler:
    """Shows the chat's language with a button for each other one, and stores a choice."""

    conversations: Conversations
    announcer: Announcer
    phrases: Phrases

    def __call__(self, event: LineEvent, locale: str | None) -> EventResult:
        """The chat's language was shown, or chosen if the command names a locale.  Repeated, and raises: as `show` and `choose` do."""
        return self.show(event) if locale is None else self.choose(event, locale)

    def show(self, event: LineEvent) -> EventResult:
        """The chat's language was announced, with quick replies for the choice.

        Repeated: announced once. Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        shown = phrased(event, self.phrases, Phrase.LANGUAGE_NOW, offer=Offer(has_languages=True))
        return self._announce(event, shown)

    def choose(self, event: LineEvent, locale: str) -> EventResult:
        """The chat's language is `locale`, and the chat was told so in that language.

        Repeated: the same choice, unless a later event has chosen otherwise, and announced once. Raises: as `show` does.
        """
        conversation = self.conversations.of(event.conversation_id)
        if not self.announcer.has_answered(conversation, event):
            conversation.turn.choose_locale(locale)
            logs.info("language_chosen", locale=locale)
        chosen = Announcement(
            event=event,
            text=self.phrases.text(Phrase.LANGUAGE_DONE, locale=locale),
            stage=stage_beyond_undo,
        )
        return self._announce(event, chosen)

    def _announce(self, event: LineEvent, announcement: Announcement) -> EventResult:
        conversation = self.conversations.of(event.conversation_id)
        return self.announcer.announce(conversation, announcement)
