"""Figures from samples: interleaved rounds, percentiles, and ratios that do not depend on the machine's drift.

A ratio is taken within a round, in which the machine was in the same state for both sides; its median over the rounds is reported.
"""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A figure beside another: medians of both, the median of their ratios, and the middle half of those ratios.

    There is no ratio to zero, so `ratio` and `middle` are None if every `against` was zero.
    """

    measured: float
    against: float
    ratio: float | None
    middle: tuple[float, float] | None

    @classmethod
    def of(cls, pairs: Sequence[tuple[float, float]]) -> Self:
        """Compare `(measured, against)` round by round.  Raises: ValueError, without a round."""
        if not pairs:
            raise ValueError("there is nothing to compare")
        ratios = [measured / against for measured, against in pairs if against > 0]
        return cls(
            measured=statistics.median(measured for measured, _ in pairs),
            against=statistics.median(against for _, against in pairs),
            ratio=statistics.median(ratios) if ratios else None,
            middle=(percentile(ratios, 25), percentile(ratios, 75)) if ratios else None,
        )


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that at least `percent` of a hundred values do not exceed (nearest rank).

    Raises: ValueError, without values, or if `percent` is outside 0 to 100.
    """
    if not values or not 0 <= percent <= 100:  # noqa: PLR2004 - of a hundred
        raise ValueError("a percentile needs values, and a percentage")
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


def interleave(names: Sequence[str], rounds: int) -> Iterator[tuple[int, str]]:
    """Return `(round, name)`: every name once a round.  Each round begins with the next name, so that no name is always first."""
    for number in range(rounds):
        first = number % len(names) if names else 0
        for name in (*names[first:], *names[:first]):
            yield number, name
