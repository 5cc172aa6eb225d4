"""Text as LINE counts it (UTF-16 code units) and as people see it (grapheme clusters).

Source: LINE, "Character counting in a text": texts are limited in UTF-16 code units; Unicode TR 29 for grapheme clusters.
"""

from typing import Final

import regex

TEXT_LIMIT_UTF16: Final = 5_000  # of one text message; Source: LINE, "Text message"
_GRAPHEME: Final = regex.compile(r"\X")
_SURROGATE: Final = regex.compile(r"[\ud800-\udfff]")


def utf16_length(text: str) -> int:
    """Return how long LINE says that the text is."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def without_lone_surrogates(text: str) -> str:
    """Return the text with halves of characters replaced, because no wire takes them."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def split_at_graphemes(text: str, *, limit_utf16: int = TEXT_LIMIT_UTF16) -> tuple[str, ...]:
    """Return the text in pieces of at most `limit_utf16` units; joined they are the text, and no grapheme is cut.

    A single grapheme that is longer than the limit is cut between its code points, because nothing else can be done with it.
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
    for grapheme in _GRAPHEME.findall(text):
        units.extend([grapheme] if utf16_length(grapheme) <= limit_utf16 else grapheme)
    return units
