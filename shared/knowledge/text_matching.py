"""Compare texts regardless of width, case and kind of kana, and cut snippets from the original text."""

import unicodedata
from typing import Final

import regex

from shared.knowledge.schema import cut
from shared.line.graphemes import graphemes

# Normalisation sorts the marks that follow a letter, at the square of their number; no script has as many.
# Source: Unicode TR 15, "Stream-Safe Text Format". The half-width voicing marks become combining marks.
_SURPLUS_MARKS: Final = regex.compile(r"(?<=[\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+")
# NFKC writes these signs out, the first in 18 characters; the written phrases become signs again, so that a folded text stays short
_SIGNS: Final = {unicodedata.normalize("NFKC", sign): sign for sign in ("\ufdfa", "\ufdfb")}
SNIPPET_LIMIT: Final = 100
_BEFORE: Final = 20
_KATAKANA_TO_HIRAGANA: Final = {code: code - 0x60 for code in (*range(0x30A1, 0x30F7), 0x30FD, 0x30FE)}


def fold(text: str) -> str:
    """Return the text in NFKC, caseless, katakana as hiragana, spaces as one; folding twice changes nothing more."""
    caseless = unicodedata.normalize("NFKC", _SURPLUS_MARKS.sub("", text)).casefold().translate(_KATAKANA_TO_HIRAGANA)
    folded = _SURPLUS_MARKS.sub("", " ".join(unicodedata.normalize("NFKC", caseless).split()))
    for phrase, sign in _SIGNS.items():
        folded = folded.replace(phrase, sign)
    return folded


def snippet(text: str, query: str) -> str:
    """Return about a hundred units of the text around the first place that matches, in one line, whole graphemes only."""
    line = " ".join(text.split())
    at = fold(line).find(fold(query))
    clusters = graphemes(line)
    first, folded_length = 0, 0
    while first < len(clusters) and folded_length < at:
        folded_length += max(1, len(fold(clusters[first])))
        first += 1
    begin = max(0, first - _BEFORE)
    return ("…" if begin else "") + cut("".join(clusters[begin:]), limit=SNIPPET_LIMIT - 1)
