"""Literal runs: two texts with a common run, regardless of width, case and kind of kana, count as one repeating the other.

Models pass words on literally as often as rephrased, so a shared run reveals an unrecorded source. Example: "meet me at the station
at nine" and "he said: MEET ME AT THE STATION" share the run "meet me at t".
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from shared.search.folding import fold

RUN_WEIGHT: Final = 12
"""Twelve ASCII characters, or six of another script."""
# A whole text that is shorter than a run counts unless it is as short as a "yes": from six ASCII characters, or four with a digit
_WHOLE_WEIGHT: Final = 6
_NUMBER_WEIGHT: Final = 4


@dataclass(frozen=True, slots=True)
class Runs:
    """Every shortest run of a text with enough weight: texts with a longer common run share one of these, too."""

    folded: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def of(cls, text: str) -> "Runs":
        """Return the runs of a text, for comparison with many others; none for a text shorter than a run."""
        return cls(frozenset(_runs(fold(text))))

    @classmethod
    def of_any(cls, texts: Iterable[str]) -> "Runs":
        """Return the runs of several texts together."""
        return cls(frozenset(run for text in texts for run in _runs(fold(text))))

    def without(self, other: "Runs") -> "Runs":
        """Return the runs that the other text lacks."""
        return Runs(self.folded - other.folded)

    def shares(self, other: "Runs | str") -> bool:
        """Whether the other text holds one of these runs."""
        if not self.folded:
            return False
        return not self.folded.isdisjoint(other.folded if isinstance(other, Runs) else _runs(fold(other)))


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs that a text repeats one of several others: their runs, and every short text as a whole.

    `folding` folds a text: `fold`, or a cache of it where many signs are made of the same texts.
    """

    folding: Callable[[str], str] = fold
    _runs: set[str] = field(default_factory=set, repr=False)
    _wholes: set[str] = field(default_factory=set, repr=False)

    def add(self, texts: Iterable[str]) -> None:
        """Add the signs of the texts."""
        for folded in map(self.folding, texts):
            least = _NUMBER_WEIGHT if any(map(str.isdigit, folded)) else _WHOLE_WEIGHT
            if runs := frozenset(_runs(folded)):
                self._runs.update(runs)
            elif weight_of(folded) >= least:
                self._wholes.add(folded)

    def are_in(self, texts: Iterable[str]) -> bool:
        """Whether one of the texts shows a sign."""
        folded = [self.folding(text) for text in texts]
        if any(not self._runs.isdisjoint(_runs(text)) for text in folded):
            return True
        return any(whole in text for text in folded for whole in self._wholes)


def shares_run(text: str, other: str) -> bool:
    """Whether the texts share a run of twelve ASCII characters, or of six characters of another script; mixed runs count in proportion."""
    return Runs.of(text).shares(other)


def weight_of(text: str) -> int:
    """Return the weight of a text: one for an ASCII character, two for any other, so `weight_of("8時")` is 3."""
    return sum(map(_weight, text))


def spans(text: str, weight: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of every shortest piece with at least this weight: `spans("8時半", 3)` yields (0, 2) and (1, 3)."""
    weights = list(map(_weight, text))
    end, reached = 0, 0
    for start, first in enumerate(weights):
        while end < len(weights) and reached < weight:
            reached += weights[end]
            end += 1
        if reached < weight:
            break
        yield start, end
        reached -= first


def _runs(text: str) -> Iterator[str]:
    return (text[start:end] for start, end in spans(text, RUN_WEIGHT))


def _weight(character: str) -> int:
    return 1 if character.isascii() else 2
