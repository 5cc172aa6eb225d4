"""In which of the locales a person writes, told by script: fixed texts that answer a person are in that language.

Where the script does not tell, as for Han characters without kana, or for a Latin script, which many languages share, the default counts
where it is written in that script.
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
