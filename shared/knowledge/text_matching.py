"""Compare texts regardless of width, case and kind of kana, and cut snippets from the original text."""

import unicodedata
from typing import Final

import regex

from shared.knowledge.schema import cut

SNIPPET_LIMIT: Final = 100
_BEFORE: Final = 20
_KATAKANA_TO_HIRAGANA: Final = {code: code - 0x60 for code in (*range(0x30A1, 0x30F7), 0x30FD, 0x30FE)}
_GRAPHEME: Final = regex.compile(r"\X")


def fold(text: str) -> str:
    """Return the text in NFKC, caseless, katakana as hiragana, spaces as one; folding twice changes nothing more."""
    caseless = unicodedata.normalize("NFKC", text).casefold().translate(_KATAKANA_TO_HIRAGANA)
    return " ".join(unicodedata.normalize("NFKC", caseless).split())


def snippet(text: str, query: str) -> str:
    """Return about a hundred units of the text around the first place that matches, in one line, whole graphemes only."""
    line = " ".join(text.split())
    at = fold(line).find(fold(query))
    graphemes = _GRAPHEME.findall(line)
    first, folded_length = 0, 0
    while first < len(graphemes) and folded_length < at:
        folded_length += max(1, len(fold(graphemes[first])))
        first += 1
    begin = max(0, first - _BEFORE)
    return ("…" if begin else "") + cut("".join(graphemes[begin:]), limit=SNIPPET_LIMIT - 1)
