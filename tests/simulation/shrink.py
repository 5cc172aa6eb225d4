"""The shortest schedule that still breaks as a seed does: fewer happenings, then fewer faults, then fewer steps.

Nearly every draw of a schedule depends on all draws before it, so a schedule without one happening meets a race at other moments, or not at
all. Each candidate is therefore played with several rolls of chance (`Cut.roll`), and counts if one of them breaks in the same sentence.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from tests.simulation.cut import FAULTS, NOTHING, Cut
from tests.simulation.schedule import Verdict
from tests.simulation.summary import without_numbers

ROLLS: Final = 12
_MORE_ROLLS: Final = 60
"""For the last of all, of which the roll with the fewest steps is taken."""

Play: TypeAlias = Callable[[Cut], Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrunk:
    """A cut that still breaks.  `sentence` is the violation without its numbers, `plays` how many candidates were played."""

    cut: Cut
    verdict: Verdict
    sentence: str
    plays: int


def shrink(play: Play, *, rolls: int = ROLLS, more_rolls: int = _MORE_ROLLS) -> Shrunk | None:
    """Return the smallest cut that breaks in the sentence in which the whole schedule breaks first; None if that is clean."""
    whole = play(NOTHING)
    if not whole.violations:
        return None
    sentence = without_numbers(whole.violations[0])
    search = _Search(play, rolls, Shrunk(cut=NOTHING, verdict=whole, sentence=sentence, plays=1))
    search.calm()
    search.drop()
    search.calm()
    search.shorten(more_rolls)
    return replace(search.best, plays=search.plays)


class _Search:
    def __init__(self, play: Play, rolls: int, best: Shrunk) -> None:
        self._play = play
        self._sentence = best.sentence
        self._rolls = rolls
        self.best = best
        self.plays = 1

    def drop(self) -> None:
        """Drop happenings: halves of what is left first, then quarters, and so on (delta debugging).

        Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002.
        """
        size = len(self._happenings())
        while size >= 1:
            chunks = _chunks(self._happenings(), size)
            has_dropped = [self._takes(dropped=self.best.cut.dropped | set(chunk)) for chunk in chunks]
            if size > 1 or not any(has_dropped):
                size //= 2

    def calm(self) -> None:
        """Take out every fault at once, or else one after another."""
        if not self._takes(calmed=frozenset(FAULTS)):
            for fault in FAULTS:
                self._takes(calmed=self.best.cut.calmed | {fault})

    def shorten(self, rolls: int) -> None:
        """Take the roll with the fewest steps."""
        for verdict, cut in self._broken(self.best.cut, range(1, rolls + 1)):
            if verdict.steps < self.best.verdict.steps:
                self._set(verdict, cut)

    def _happenings(self) -> list[int]:
        return [number for number in self.best.verdict.happenings if number not in self.best.cut.dropped]

    def _takes(self, *, dropped: Iterable[int] | None = None, calmed: Iterable[str] | None = None) -> bool:
        """Whether a smaller cut breaks; then it is the best one."""
        best = self.best.cut
        cut = replace(
            best,
            dropped=best.dropped if dropped is None else frozenset(dropped),
            calmed=best.calmed if calmed is None else frozenset(calmed),
        )
        if cut == best:
            return False
        broken = next(iter(self._broken(cut, _rolls_from(best.roll, self._rolls))), None)
        if broken is not None:
            self._set(*broken)
        return broken is not None

    def _broken(self, cut: Cut, rolls: Sequence[int]) -> Iterable[tuple[Verdict, Cut]]:
        for roll in rolls:
            candidate = replace(cut, roll=roll)
            verdict = self._play(candidate)
            self.plays += 1
            if any(without_numbers(violation) == self._sentence for violation in verdict.violations):
                yield verdict, candidate

    def _set(self, verdict: Verdict, cut: Cut) -> None:
        self.best = Shrunk(cut=cut, verdict=verdict, sentence=self._sentence, plays=self.plays)


def _rolls_from(roll: int, count: int) -> list[int]:
    """Return the roll that broke last, and then others: `_rolls_from(3, 4) -> [3, 0, 1, 2]`."""
    return [roll, *(number for number in range(count) if number != roll)][:count]


def _chunks(numbers: Sequence[int], size: int) -> list[Sequence[int]]:
    """Return the numbers in parts: `_chunks([1, 2, 5], 2) -> [[1, 2], [5]]`."""
    return [numbers[first : first + size] for first in range(0, len(numbers), size)]
