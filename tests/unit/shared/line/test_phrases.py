import pytest

from shared.line.characters import utf16_length
from shared.line.phrases import LOCALES, Phrase, phrase


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("which", Phrase)
def test_no_text_is_missing_in_any_locale_and_each_is_short(locale: str, which: Phrase) -> None:
    text = phrase(which, locale=locale, bot_name="Momo")

    assert 0 < utf16_length(text) <= 160
    assert "{" not in text


@pytest.mark.parametrize("locale", LOCALES)
def test_a_greeting_in_a_group_says_how_to_address_the_bot(locale: str) -> None:
    assert "@Momo" in phrase(Phrase.GREETING_GROUP, locale=locale, bot_name="Momo")
