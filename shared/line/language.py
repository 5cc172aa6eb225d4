"""The locale in which a person writes, as the script tells it: fixed texts that answer a person are in that language.

Several languages share Han characters without kana, and the Latin script. For these the default counts, if it is written in that script.
"""

from collections.abc import Iterable
from typing import Final

import regex

_KANA: Final = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_THAI: Final = regex.compile(r"\p{Thai}")
_HAN: Final = regex.compile(r"\p{Han}")
_LATIN_WORD: Final = regex.compile(r"\p{Latin}{2,}")
_HAN_LOCALES: Final = ("ja", "zh-TW")


def language_of(texts: Iterable[str], *, default: str) -> str:
    """Return the locale of the last text that tells one, else the default."""
    for text in reversed(tuple(texts)):
        if _KANA.search(text):
            return "ja"
        if _THAI.search(text):
            return "th"
        if _HAN.search(text):
            return default if default in _HAN_LOCALES else "zh-TW"
        if _LATIN_WORD.search(text):
            return "en"
    return default
