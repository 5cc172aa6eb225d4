"""Splits text between grapheme clusters, the characters that people see.  Source: Unicode TR 29."""

from itertools import takewhile
from typing import Final

import regex

from shared.late_patterns import late
from shared.line.utf16 import TEXT_LIMIT_UTF16, utf16_length

# `\X`, with flags matched in pairs: at each regional indicator, `\X` counts all that precede it.
GRAPHEME: Final = r"(?:\p{Regional_Indicator}{2}[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*|\X)"
LONGEST_GRAPHEME: Final = 12  # code points; an emoji of a family of four has seven
_AROUND: Final = 128
_GRAPHEME: Final = late(regex.compile, GRAPHEME)


def graphemes(text: str) -> list[str]:
    """Return the grapheme clusters of the text; `"".join(graphemes(text))` is the text."""
    return _GRAPHEME.findall(text)


def short_line(text: str, *, limit: int) -> str:
    """Return the text as a single line of at most `limit` graphemes, with an ellipsis after a cut.

    For example, `short_line("red green blue", limit=5)` -> "red …". The first LONGEST_GRAPHEME code points of a grapheme stay, because
    a letter may have thousands of marks.
    """
    shown = [grapheme[:LONGEST_GRAPHEME] for grapheme in graphemes(" ".join(text.split()))]
    return "".join(shown if len(shown) <= limit else [*shown[: limit - 1], "…"])


def cut(text: str, *, limit_utf16: int) -> str:
    """Return the text, or a beginning of whole graphemes with an ellipsis.  The limit is at least 3.

    For example, `cut("abcdef", limit_utf16=4)` -> "abc…".
    """
    if len(text) * 2 <= limit_utf16 or len(split_at_graphemes(text, limit_utf16=limit_utf16)) <= 1:
        return text
    return split_at_graphemes(text, limit_utf16=limit_utf16 - 1)[0].rstrip() + "…"


def boundary_before(text: str, end: int) -> int:
    """Return the last place up to `end` between two graphemes, after reading only `_AROUND` code points on each side.

    Within a grapheme, or a row of flags, of more than `_AROUND` code points, the result may be any place.
    """
    end = min(end, len(text))
    start = max(0, end - _AROUND)
    ends = (match.end() for match in _GRAPHEME.finditer(text, start, end + _AROUND))
    return max(takewhile(lambda place: place <= end, ends), default=end)


def split_at_graphemes(text: str, *, limit_utf16: int = TEXT_LIMIT_UTF16) -> tuple[str, ...]:
    """Return the text in pieces of at most `limit_utf16` units; joined, the pieces are the text.

    A grapheme is cut only if longer than the limit, between its code points. For example, `split_at_graphemes("abcdef", limit_utf16=4)` ->
    `("abcd", "ef")`.
    """
    pieces: list[str] = []
    piece, length = "", 0
    for unit in _units(text, limit_utf16):
        grown = length + utf16_length(unit)
        if piece and grown > limit_utf16:
            pieces.append(piece)
            piece, grown = "", utf16_length(unit)
        piece, length = piece + unit, grown
    return (*pieces, piece) if piece else tuple(pieces)


def _units(text: str, limit_utf16: int) -> list[str]:
    units: list[str] = []
    for grapheme in graphemes(text):
        units.extend([grapheme] if utf16_length(grapheme) <= limit_utf16 else grapheme)
    return units
