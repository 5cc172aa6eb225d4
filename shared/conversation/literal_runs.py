"""Whether two texts share a literal run, regardless of width, case and kind of kana: the sign that one repeats words of the other.

A shared run proves a source where no record names it: models pass on what people said literally as often as rephrased.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

import regex

_RUN_WEIGHT: Final = 12  # twelve ASCII characters, or six of another script
# Normalisation sorts the marks that follow a letter, at the square of their number; no script has as many.
# Source: Unicode TR 15, "Stream-Safe Text Format". The half-width voicing marks become combining marks.
_SURPLUS_MARKS: Final = regex.compile(r"(?<=[\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+")
# NFKC writes signs out, one of them in 18 characters. Those of units stay comparable with their words: ㌖ is キロメートル.
_LONGEST_SIGN: Final = 6
_KATAKANA_TO_HIRAGANA: Final = {code: code - 0x60 for code in (*range(0x30A1, 0x30F7), 0x30FD, 0x30FE)}


@dataclass(frozen=True, slots=True)
class Runs:
    """Every shortest run of a text that is long enough to count: texts that share a longer run share one of these too."""

    folded: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def of(cls, text: str) -> "Runs":
        """Return the runs of a text, for comparison with many others; none for a text that is shorter than a run."""
        return cls(frozenset(_runs(fold(text))))

    @classmethod
    def of_any(cls, texts: Iterable[str]) -> "Runs":
        """Return the runs of several texts together."""
        return cls(frozenset(run for text in texts for run in _runs(fold(text))))

    def without(self, other: "Runs") -> "Runs":
        """Return the runs that the other text has not."""
        return Runs(self.folded - other.folded)

    def shares(self, other: "Runs | str") -> bool:
        """Whether the other text holds one of these runs."""
        if not self.folded:
            return False
        return not self.folded.isdisjoint(other.folded if isinstance(other, Runs) else _runs(fold(other)))


def shares_run(one: str, other: str) -> bool:
    """Whether the texts share a run of twelve ASCII characters, or of six characters of another script; mixed runs count in proportion."""
    return Runs.of(one).shares(other)


def fold(text: str) -> str:
    """Return the text in NFKC, caseless, katakana as hiragana, spaces as one; folding twice changes nothing more.

    It is at most six times as long: a sign that would be written out in more characters stays as it is.
    """
    signs = {one for one in set(text) if not one.isascii() and len(_normalised(one)) > _LONGEST_SIGN}
    pieces = groupby(text, key=signs.__contains__) if signs else [(False, text)]
    normalised = "".join("".join(piece) if are_signs else _normalised("".join(piece)) for are_signs, piece in pieces)
    return _SURPLUS_MARKS.sub("", " ".join(normalised.split()))


def _normalised(text: str) -> str:
    caseless = unicodedata.normalize("NFKC", _SURPLUS_MARKS.sub("", text)).casefold().translate(_KATAKANA_TO_HIRAGANA)
    return unicodedata.normalize("NFKC", caseless)


def weight_of(text: str) -> int:
    """Return how much a text weighs: one for an ASCII character, two for any other."""
    return sum(map(_weight, text))


def _runs(text: str) -> Iterator[str]:
    end, weight = 0, 0
    for start, first in enumerate(text):
        while end < len(text) and weight < _RUN_WEIGHT:
            weight += _weight(text[end])
            end += 1
        if weight < _RUN_WEIGHT:
            break
        yield text[start:end]
        weight -= _weight(first)


def _weight(character: str) -> int:
    return 1 if character.isascii() else 2
