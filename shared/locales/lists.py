"""Lists of words in one line, as each language writes them: the table `lists` of the language files."""

from collections.abc import Iterable
from functools import cache
from typing import Final

from shared.frozen import frozen
from shared.locales.language_file import language_file
from shared.locales.placeholders import joined

_HIDDEN: Final = "+{count}"


@frozen
class ListTexts:
    """How one language joins the {first} and the {second} of several words, and of several names of languages."""

    two: str
    two_languages: str


def listed(words: Iterable[str], *, locale: str, hidden_count: int = 0) -> str:
    """Return the words in one line, then the number of the words that are not shown, if any; without words, "".

    For example, `listed(("Ann", "Ben"), locale="en", hidden_count=3)` is "Ann, Ben, +3"; in `ja`, "Ann、Ben、+3".
    """
    shown = [*words, *([_HIDDEN.format(count=hidden_count)] if hidden_count > 0 else [])]
    return joined(_texts(locale).two, shown) if shown else ""


def listed_languages(names: Iterable[str], *, locale: str) -> str:
    """Return names of languages in one line, as `listed` does: "日本語・ไทย" in `ja`, "日本語, ไทย" in `en`."""
    shown = tuple(names)
    return joined(_texts(locale).two_languages, shown) if shown else ""


@cache
def _texts(locale: str) -> ListTexts:
    return language_file(locale).table("lists", ListTexts)
