"""Translation between members as a row of what is on in a group."""

from collections.abc import Sequence

from shared.conversation.store import Conversation
from shared.conversation.switch import Switch, switch_button
from shared.line.cards.card import CardRow
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import TranslationChoice, TranslationPress
from shared.locales.language_names import named
from shared.translation.setting import TranslationSetting
from shared.translation.store import TranslationStore


def translation_switches(conversation: Conversation) -> Sequence[Switch]:
    """Return the languages with a button that ends it, and one for a second member; off, how to begin.  None in a 1:1 chat."""
    if conversation.is_one_on_one:
        return ()
    setting = TranslationStore(conversation).read()
    return (Switch(row=lambda phrases, locale: _row(setting, phrases, locale), is_on=setting.is_on),)


def _row(setting: TranslationSetting, phrases: Phrases, locale: str) -> CardRow:
    name = phrases.text(Phrase.SWITCH_TRANSLATION, locale=locale)
    if not setting.is_on:
        return CardRow(text=name, detail=phrases.text(Phrase.SWITCH_TRANSLATION_OFF, locale=locale))
    choices = {TranslationChoice.END: Phrase.TRANSLATION_OFF_BUTTON}
    if not setting.is_for_all:
        choices[TranslationChoice.JOIN] = Phrase.TRANSLATION_JOIN_BUTTON
    state = Phrase.SWITCH_TRANSLATION_ALL if setting.is_for_all else Phrase.SWITCH_TRANSLATION_ONE
    return CardRow(
        text=name,
        detail=phrases.text(state, locale=locale, languages=named(setting.languages, locale=locale)),
        buttons=tuple(
            switch_button(
                label,
                TranslationPress(choice=choice, changed_ms=setting.changed_ms),
                name=name,
                phrases=phrases,
                locale=locale,
            )
            for choice, label in choices.items()
        ),
    )
