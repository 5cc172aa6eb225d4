"""Which messages of members are not translated: what holds no words, is for another program, or is bilingual already."""

from collections.abc import Sequence
from typing import Final

from shared.line.utf16 import utf16_length
from shared.translation.languages import is_bilingual, is_foreign, letter_count
from shared.translation.protection import without_protected

LONGEST_UTF16: Final = 1_500
"""Longer texts are left alone: their translations into three languages would not fit a bubble."""
_LEAST_LETTERS: Final = 2


def is_left_alone(text: str, languages: Sequence[str], terms: Sequence[str] = ()) -> bool:
    """Whether the text is not translated between the languages.

    Links, numbers, mentions and emoji alone, a command such as "/x", fewer than two letters, a text in the scripts of two of the languages,
    or in a script of none of them; the chat's `terms` decide nothing.

    For example, in a chat of ja and th: "👍", "https://…", "15:30", "OK thanks" and "おはよう สวัสดี".
    """
    words = without_protected(text, terms)
    return (
        letter_count(words) < _LEAST_LETTERS
        or text.lstrip().startswith(("/", "／"))  # noqa: RUF001 - people type full-width slashes
        or utf16_length(text) > LONGEST_UTF16
        or is_foreign(words, languages)
        or is_bilingual(words, languages)
    )
