"""The skeleton of a name: equal for names that a reader may confuse, as in this example.

    Momo, M0mo, Morno, M o m o, and Momo in full-width, Cyrillic or boxed letters   ->   momo

Source: Unicode Technical Standard #39, section 4, and the table `confusables.txt`. Added are letters in boxes, flags and small capitals,
missing in the table, and kana that look like kanji.
"""

import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from shared.late_patterns import late

_CONFUSABLES: Final = Path(__file__).with_name("confusables.txt")
BLANK_LETTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters that look like a space."""
_LOOSE_MARK: Final = late(re.compile, "[\u0300-\u036f\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Marks that a reader overlooks.  Not among them are marks of kana and of Thai, which tell names apart."""
_DRAWN_LETTER: Final = late(
    re.compile,
    r"(?:LATIN LETTER SMALL CAPITAL|(?:NEGATIVE |)(?:SQUARED|CIRCLED) LATIN CAPITAL LETTER|REGIONAL INDICATOR SYMBOL LETTER) ([A-Z])",
)
_ALIKE: Final = str.maketrans(
    "チオヌメミリi!|ー\u2010\u2011\u2012\u2013\u2014\u2212",
    "千才又〆三りlll-------",
)
_SKELETONS_CACHED: Final = 1_024


@lru_cache(maxsize=_SKELETONS_CACHED)
def skeleton(name: str) -> str:
    """Return the name as a hurried reader sees it: without marks, blanks and case, and with look-alikes made equal.

    For example, `skeleton("M0mo")` and `skeleton("Morno")` are "momo". The skeleton of a skeleton is the same.
    """
    parts = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name))
    letters = "".join(map(_letter, filter(_is_seen, parts)))
    return letters.casefold().translate(_ALIKE).replace("rn", "m").replace("vv", "w")


def _is_seen(character: str) -> bool:
    return (
        unicodedata.category(character)[0] not in "ZC"
        and character not in BLANK_LETTERS
        and _LOOSE_MARK.fullmatch(character) is None
    )


def _letter(character: str) -> str:
    """Return the character's look-alike; of a mark, the mark.

    If only the capital letter has a look-alike in ASCII, the capital's look-alike counts: U+043D of Cyrillic -> "H", for example.
    """
    if unicodedata.category(character)[0] == "M":
        return character
    drawn = _DRAWN_LETTER.fullmatch(unicodedata.name(character, "")) if not character.isascii() else None
    if drawn is not None:
        return drawn[1].lower()
    like = _confusables().get(character, character)
    capital = character.upper()
    in_capitals = _confusables().get(capital, capital)
    return in_capitals if in_capitals.isascii() and not like.isascii() else like


@cache
def _confusables() -> dict[str, str]:
    """Return the look-alike of each character in the table."""
    lines = _CONFUSABLES.read_text(encoding="ascii").splitlines()
    pairs = (line.split(":") for line in lines if line and not line.startswith("#"))
    return {_text(source): _text(like) for like, sources in pairs for source in sources.split()}


def _text(codes: str) -> str:
    return "".join(chr(int(code, 16)) for code in codes.split("+"))
