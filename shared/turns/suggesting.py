"""How the suggestions of an answer are shown: in a 1:1 chat as quick replies, in groups as buttons of a card or as words to type."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from shared.conversation.records import OutcomeRecord
from shared.frozen import frozen
from shared.line.cards.card import Card, CardButton
from shared.line.language import language_of
from shared.line.messaging import OutgoingMessage, SayButton
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import SuggestionPress

_MOST_IN_GROUPS: Final = 3


@frozen
class Suggesting:
    """Adds suggestions to the messages of an answer."""

    phrases: Phrases
    is_rich: bool
    is_one_on_one: bool

    def messages_of(self, outcome: OutcomeRecord) -> int:
        """Return how many messages of a call the outcome's suggestions take: in groups one, in 1:1 chats none."""
        return int(bool(outcome.offer.suggests) and not self.is_one_on_one)

    def added_to(
        self, messages: Sequence[OutgoingMessage], outcome: OutcomeRecord, *, at_most: int
    ) -> Sequence[OutgoingMessage]:
        """Return at most `at_most` messages with the outcome's suggestions; without, where there is no room.

        In groups a text that the person sends would be for nobody, so a button's press names the answer, and the plain form begins with
        the bot's name: "Aizuchi, what is due tomorrow?".
        """
        suggests = outcome.offer.suggests
        if not suggests or not messages:
            return messages
        if self.is_one_on_one:
            *earlier, last = messages
            quick_replies = last.quick_replies or tuple(SayButton(text=words) for words in suggests)
            return (*earlier, replace(last, quick_replies=quick_replies))
        if len(messages) >= at_most:
            return messages
        return (*messages, self._in_group(outcome, suggests[:_MOST_IN_GROUPS]))

    def _in_group(self, outcome: OutcomeRecord, suggests: Sequence[str]) -> OutgoingMessage:
        """Return the suggestions as one message, in the language of the answer."""
        spoken = (outcome.text or "", *suggests)
        locale = outcome.offer.locale or language_of(spoken, default=self.phrases.locale)
        text = "\n".join(self.phrases.text(Phrase.SUGGESTED, locale=locale, words=words) for words in suggests)
        if not self.is_rich:
            return OutgoingMessage(text=text)
        buttons = tuple(
            CardButton(label=words, value=SuggestionPress(answer_id=outcome.webhook_event_id, number=number).data)
            for number, words in enumerate(suggests)
        )
        return OutgoingMessage(text=text, card=Card(buttons=buttons))
