import string
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import pytest

from shared.locales.language_file import FOLDER, LOCALES, LanguageFile, LanguageFileError, language_file

GOOD = """
[phrases]
hello = "Hello"
goodbye = "Bye"
[digest]
counts_words = true
top = "Top"
[digest.of_word]
hello = "hellos"
goodbye = "byes"
[holdings]
[lists]
[polls]
[quote]
[proposal]
[receipt]
[reminder]
[rich_menu]
[times]
"""


class Word(StrEnum):
    HELLO = "hello"
    GOODBYE = "goodbye"


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    counts_words: bool
    top: str
    of_word: Mapping[Word, str]


def texts_of(locale: str) -> dict[str, object]:
    """Return every value of a language's file by the path of its key."""
    return dict(_flat(tomllib.loads((FOLDER / f"{locale}.toml").read_text(encoding="utf-8"))))


def _flat(table: Mapping[str, object], path: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def places_in(text: object) -> list[str]:
    """Return the names in braces, as often as they stand there."""
    return sorted(name for _, name, words, _ in string.Formatter().parse(str(text)) if name is not None and not words)


def read(text: str) -> tuple[dict[Word, str], Texts]:
    file = LanguageFile.parse(text, name="xx.toml")
    return file.table("phrases", dict[Word, str]), file.table("digest", Texts)


def test_every_file_is_a_locale() -> None:
    assert {file.stem for file in FOLDER.glob("*.toml")} == set(LOCALES)


@pytest.mark.parametrize("locale", LOCALES)
def test_every_language_has_the_same_keys(locale: str) -> None:
    assert texts_of(locale).keys() == texts_of("en").keys()


@pytest.mark.parametrize("locale", LOCALES)
def test_a_text_has_the_same_placeholders_in_every_language(locale: str) -> None:
    english = texts_of("en")

    assert {key: places_in(text) for key, text in texts_of(locale).items()} == {
        key: places_in(text) for key, text in english.items()
    }


@pytest.mark.parametrize("locale", LOCALES)
def test_no_text_begins_or_ends_with_space(locale: str) -> None:
    texts = [text for text in texts_of(locale).values() if isinstance(text, str)]

    assert texts == [text.strip() for text in texts]


def test_a_file_is_read_once() -> None:
    assert language_file("th") is language_file("th")


def test_a_table_is_read_as_the_type_that_was_asked_for() -> None:
    assert read(GOOD) == (
        {Word.HELLO: "Hello", Word.GOODBYE: "Bye"},
        Texts(counts_words=True, top="Top", of_word={Word.HELLO: "hellos", Word.GOODBYE: "byes"}),
    )


@pytest.mark.parametrize(
    ("line", "instead", "fault"),
    [
        ('hello = "Hello"', "", "phrases.hello is missing"),
        ('hello = "Hello"', 'hullo = "Hello"', "phrases.hello is missing; phrases.hullo is unknown"),
        ('top = "Top"', "", "digest.top is missing"),
        ('top = "Top"', 'top = "Top"\nbottom = "Bottom"', "digest.bottom is unknown"),
        ('goodbye = "byes"', "", "digest.of_word.goodbye is missing"),
        ('goodbye = "byes"', 'goodbye = "byes"\nthanks = "thanks"', "digest.of_word.thanks is unknown"),
        ("[quote]", "", "quote is missing"),
        ("[quote]", "[quote]\n[menu]", "menu is unknown"),
        ('goodbye = "Bye"', "goodbye = 1", "phrases.goodbye must be a text and not blank"),
        ('goodbye = "Bye"', 'goodbye = " "', "phrases.goodbye must be a text and not blank"),
        ("counts_words = true", 'counts_words = "yes"', "digest.counts_words must be true or false"),
        ("[digest.of_word]", "of_word = 1\n[quote.of_word]", "digest.of_word must be a table"),
    ],
)
def test_an_error_names_the_file_and_every_key(line: str, instead: str, fault: str) -> None:
    with pytest.raises(LanguageFileError) as raised:
        read(GOOD.replace(line, instead, 1))

    assert str(raised.value) == f"xx.toml: {fault}"


def test_a_file_that_is_no_toml_is_an_error_with_its_name() -> None:
    with pytest.raises(LanguageFileError, match=r"^xx\.toml: .*line 2"):
        read("[phrases]\nhello = Hello")


def test_a_key_that_stands_twice_is_an_error() -> None:
    with pytest.raises(LanguageFileError, match=r"^xx\.toml: "):
        read(GOOD.replace('top = "Top"', 'top = "Top"\ntop = "Top"'))
