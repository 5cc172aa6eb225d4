"""Text as people see it: never cut inside a grapheme cluster.  Source: Unicode TR 29."""

from typing import Final

import regex

from shared.line.messaging import TEXT_LIMIT_UTF16
from shared.line.utf16 import utf16_length

_GRAPHEME: Final = regex.compile(r"\X")


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
