import pytest

from shared.locales.language_names import named
from shared.locales.lists import listed


@pytest.mark.parametrize(
    ("locale", "text"),
    [("en", "Ann, Ben, +3"), ("ja", "Ann、Ben、+3"), ("th", "Ann, Ben, +3"), ("zh-TW", "Ann、Ben、+3")],
)
def test_words_are_joined_as_the_language_joins_them(locale: str, text: str) -> None:
    assert listed(("Ann", "Ben"), locale=locale, hidden_count=3) == text


@pytest.mark.parametrize(
    ("locale", "text"), [("en", "日本語, ไทย"), ("ja", "日本語・ไทย"), ("th", "日本語, ไทย"), ("zh-TW", "日本語、ไทย")]
)
def test_names_of_languages_are_joined_as_the_language_joins_them(locale: str, text: str) -> None:
    assert named(("ja", "th"), locale=locale) == text


def test_braces_in_words_stay() -> None:
    assert listed(("{second}", "tea"), locale="ja") == "{second}、tea"


def test_no_words_are_no_text() -> None:
    assert listed((), locale="th") == ""
