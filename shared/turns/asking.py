"""The questions of an outcome as messages: with a button to do what is asked and one to decline, drawn as cards with `RICH=on`."""

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Final

from shared.conversation.records import Erasure, OfferedTranslation, OutcomeRecord, TermChange
from shared.conversation.silences import SilenceChange
from shared.frozen import frozen
from shared.line.cards.card import CardButton
from shared.line.cards.questions import PARAGRAPHS_APART, changes_apart, question_card
from shared.line.messaging import TEMPLATE_TEXT_LIMIT, OutgoingMessage, PostbackButton
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import AnswerButton, AnswerPress, ConfirmPress, LanguagePress, Press, SparePress
from shared.line.utf16 import utf16_length
from shared.locales import LOCALES
from shared.locales.language_names import named
from shared.turns.deferral import CONFIRMED_WITHIN_MS

_CONFIRM_BUTTONS: Final = {
    Erasure.RESET: Phrase.RESET_BUTTON,
    Erasure.FORGET: Phrase.FORGET_BUTTON,
    Erasure.LEAVE: Phrase.LEAVE_BUTTON,
}
_SILENCE_BUTTONS: Final = {
    SilenceChange.PAUSE: Phrase.PAUSE_BUTTON,
    SilenceChange.RESUME: Phrase.RESUME_BUTTON,
    SilenceChange.HANDOVER: Phrase.HANDOVER_BUTTON,
}


_TERM_QUESTIONS: Final = {
    TermChange.KEEP: Phrase.TRANSLATION_KEEP_QUESTION,
    TermChange.DROP: Phrase.TRANSLATION_DROP_QUESTION,
}
_TERM_BUTTONS: Final = {
    TermChange.KEEP: Phrase.TRANSLATION_KEEP_BUTTON,
    TermChange.DROP: Phrase.TRANSLATION_DROP_BUTTON,
}


@frozen
class Asking:
    """Writes the questions of outcomes, in the language of the outcome's text.

    `translated_between` returns the languages between which the chat has translation on: a question about it is asked in each.
    """

    phrases: Phrases
    is_rich: bool
    translated_between: Callable[[], Sequence[str]] = field(default=tuple, repr=False)

    def alone(self, outcome: OutcomeRecord, locale: str) -> OutgoingMessage | None:
        """Return an outcome that is nothing but a question, or a deferral, as one message; None for an answer.

        Example: the question of `/forget` has the buttons "Erase everything" and "Cancel".
        """
        text, offer, own_id = outcome.text or "", outcome.offer, outcome.webhook_event_id
        if offer.is_deferral:
            press = AnswerPress(button=AnswerButton.SHOW, answer_id=own_id)
            return self.drawn(OutgoingMessage(text=text, button=self._button(Phrase.SHOW_BUTTON, press, locale)))
        confirms = _confirm_label(outcome)
        if confirms is not None:
            asked = self._confirmed_question(text, confirms, own_id, locale)
            return self._with_labels_for_readers(asked, confirms, offer.translation, locale)
        if offer.has_languages:
            return OutgoingMessage(text=text, quick_replies=tuple(map(self._language_button, LOCALES)))
        return None

    def below(self, outcome: OutcomeRecord, locale: str) -> tuple[str, Sequence[OutgoingMessage]]:
        """Return the text of an answer without the content of the questions, and the questions below the answer.

        Example: an answer that proposes a change is followed by "Shall I do what is marked ☐? …" with "Do it" and "Cancel"; the
        question's card shows the change, too.
        """
        text, own_id = outcome.text or "", outcome.webhook_event_id
        until = self.phrases.hour(outcome.timestamp_ms + CONFIRMED_WITHIN_MS, locale=locale)
        asks: list[OutgoingMessage] = []
        if outcome.offer.silence is not None:
            question = self.phrases.text(Phrase.HANDOVER_QUESTION, locale=locale, until=until)
            asks.append(self._confirmed_question(question, Phrase.HANDOVER_BUTTON, own_id, locale))
        offered = outcome.offer.translation
        if offered is not None:
            asks.append(self._about_translation(outcome, offered, locale))
        if outcome.offer.forgets:
            count = str(len(outcome.offer.forgets))
            question = self.phrases.text(Phrase.FORGET_MESSAGES_QUESTION, locale=locale, messages=count, until=until)
            asks.append(self._confirmed_question(question, Phrase.FORGET_MESSAGES_BUTTON, own_id, locale))
        if outcome.offer.has_proposals:
            which = Phrase.CHANGE_QUESTION if outcome.offer.refiles is None else Phrase.REFILE_QUESTION
            question = self.phrases.text(which, locale=locale, until=until)
            text, changes = changes_apart(text, question) if self.is_rich else (text, "")
            accept, decline = (
                AnswerPress(button=button, answer_id=own_id)
                for button in (AnswerButton.CARRY_OUT, AnswerButton.DECLINE)
            )
            asked = OutgoingMessage(
                text=question,
                button=self._button(Phrase.CHANGE_BUTTON, accept, locale),
                decline=self._button(Phrase.DECLINE_BUTTON, decline, locale),
            )
            asks.append(self.drawn(asked, changes))
        return text, asks

    def _confirmed_question(self, text: str, label: Phrase, question_id: str, locale: str) -> OutgoingMessage:
        asked = OutgoingMessage(
            text=text,
            button=self._button(label, ConfirmPress(question_id=question_id), locale),
            decline=self._button(Phrase.DECLINE_BUTTON, SparePress(question_id=question_id), locale),
        )
        return self.drawn(asked)

    def _about_translation(self, outcome: OutcomeRecord, offered: OfferedTranslation, locale: str) -> OutgoingMessage:
        """Return the question about translation that the model asks, in each of its languages, as the command asks it."""
        until_ms, label = outcome.timestamp_ms + CONFIRMED_WITHIN_MS, _translation_button(offered)
        question = PARAGRAPHS_APART.join(
            self.phrases.text(
                _translation_question(offered),
                locale=reader,
                languages=named(offered.languages, locale=reader),
                term=offered.term,
                until=self.phrases.hour(until_ms, locale=reader),
            )
            for reader in (locale, *self._readers(offered, locale))
        )
        asked = self._confirmed_question(question, label, outcome.webhook_event_id, locale)
        return self._with_labels_for_readers(asked, label, offered, locale)

    def _with_labels_for_readers(
        self, asked: OutgoingMessage, label: Phrase, translation: OfferedTranslation | None, locale: str
    ) -> OutgoingMessage:
        """Return a question about translation with the button that confirms it in each language of the translation, if it is a card.

        Example: for Japanese and Thai 「全員の発言を訳す」 and 「แปลของทุกคน」 are two buttons with one effect.
        """
        if translation is None or asked.card is None or asked.button is None:
            return asked
        labels = [self.phrases.text(label, locale=reader) for reader in self._readers(translation, locale)]
        buttons = tuple(CardButton(label=text, value=asked.button.data) for text in labels)
        return replace(asked, card=replace(asked.card, buttons=buttons))

    def drawn(self, message: OutgoingMessage, changes: str = "") -> OutgoingMessage:
        """Return a message with buttons as a card, below the changes that it asks about.

        With `RICH=off` the message has only the first paragraphs, as many as fit: each is the same question in another language.
        """
        if not message.is_template:
            return message
        if not self.is_rich:
            return replace(message, text=_fitted(message.text))
        told = "\n\n".join(filter(None, (changes, message.text)))
        return replace(message, text=told, card=question_card(message.text, changes))

    def _language_button(self, locale: str) -> PostbackButton:
        label = self.phrases.text(Phrase.LANGUAGE_BUTTON, locale=locale)
        return PostbackButton(label=label, data=LanguagePress(locale=locale).data, display_text=label)

    def _button(self, label: Phrase, press: Press, locale: str) -> PostbackButton:
        return PostbackButton(label=self.phrases.text(label, locale=locale), data=press.data)

    def _readers(self, offered: OfferedTranslation, locale: str) -> Sequence[str]:
        """Return the other languages of a translation, of that to begin or of that which is on, in which there are fixed texts."""
        languages = offered.languages or self.translated_between()
        return [language for language in languages if language in LOCALES and language != locale]


def _confirm_label(outcome: OutcomeRecord) -> Phrase | None:
    """Return the label of the button that confirms the question of a command; None where the outcome is none."""
    offer = outcome.offer
    if offer.asks is not None:
        return _CONFIRM_BUTTONS[offer.asks]
    if offer.silence is not None and not outcome.answered_ids:  # a command asked; the model asks below its answer
        return _SILENCE_BUTTONS[offer.silence]
    if offer.hook is not None:
        return Phrase.HOOK_BUTTON
    if offer.translation is not None and not outcome.answered_ids:
        return _translation_button(offer.translation)
    return None


def _translation_question(offered: OfferedTranslation) -> Phrase:
    if offered.term_change is not None:
        return _TERM_QUESTIONS[offered.term_change]
    return Phrase.TRANSLATION_QUESTION if offered.languages else Phrase.TRANSLATION_OFF_QUESTION


def _fitted(text: str) -> str:
    """Return the first paragraphs of a question that fit into a template; the first in any case."""
    first, *others = text.split(PARAGRAPHS_APART)
    fitted = first
    for paragraph in others:
        longer = f"{fitted}{PARAGRAPHS_APART}{paragraph}"
        if utf16_length(longer) > TEMPLATE_TEXT_LIMIT:
            break
        fitted = longer
    return fitted


def _translation_button(offered: OfferedTranslation) -> Phrase:
    if offered.term_change is not None:
        return _TERM_BUTTONS[offered.term_change]
    if offered.is_joining:
        return Phrase.TRANSLATION_JOIN_BUTTON
    return Phrase.TRANSLATION_BUTTON if offered.languages else Phrase.TRANSLATION_OFF_BUTTON
