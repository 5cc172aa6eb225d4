"""The locale of a person's writing, judged by the script, for fixed texts in the person's language.

Han characters without kana may be Japanese or Chinese: they mean the default locale if it is ja or zh-TW, else zh-TW. Latin words mean en.
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
    """Return the locale of the last text in one of the scripts, else the default.

    For example, `language_of(["hello", "明日は?"], default="en")` -> "ja".
    """
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
