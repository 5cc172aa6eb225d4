"""Figures from samples: interleaved rounds, percentiles, and ratios independent of the machine's drift.

A ratio is taken within a round, because the machine was then in the same state for both sides; the median over the rounds is reported.
"""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A figure and its comparison: both medians, the median of the ratios, and the middle half of the ratios.

    If every `against` was zero, `ratio` and `middle` are None.
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
    """Return the smallest value not exceeded by `percent` of a hundred values (nearest rank).

    For example, `percentile([1.0, 2.0, 3.0, 4.0], 50)` is 2.0.
    Raises: ValueError, without values, or if `percent` is outside 0 to 100.
    """
    if not values or not 0 <= percent <= 100:  # noqa: PLR2004 - of a hundred
        raise ValueError("a percentile needs values, and a percentage")
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


def interleave(names: Sequence[str], rounds: int) -> Iterator[tuple[int, str]]:
    """Yield `(round, name)`, every name once a round.  Each round begins with the next name, to give no name a fixed first place.

    For example, `interleave(("a", "b"), 2)` yields `(0, "a"), (0, "b"), (1, "b"), (1, "a")`.
    """
    for number in range(rounds):
        first = number % len(names) if names else 0
        for name in (*names[first:], *names[:first]):
            yield number, name
