"""What answers saw, stored once for all, because their windows overlap: one list of ids, and for each answer runs of places in it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """Ids, each once, and by answer the runs of numbers that it saw, as first number and length: (0, 3, 7, 1) are 0, 1, 2 and 7."""

    ids: tuple[str, ...] = ()
    runs: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, saw: Mapping[str, Sequence[str]]) -> "Numbered":
        """Return what the answers saw, by their own ids, as numbers."""
        ids = tuple(dict.fromkeys(chain.from_iterable(saw.values())))
        numbers = {named: number for number, named in enumerate(ids)}
        return cls(ids=ids, runs={own: _runs_of(numbers[one] for one in seen) for own, seen in saw.items() if seen})

    def seen_by(self, own_id: str) -> tuple[str, ...] | None:
        """Return what this answer saw; None where nothing is kept of it."""
        runs = self.runs.get(own_id)
        if runs is None:
            return None
        found = (self.ids[first : first + length] for first, length in zip(runs[::2], runs[1::2], strict=False))
        return tuple(chain.from_iterable(found))


def _runs_of(numbers: Iterable[int]) -> tuple[int, ...]:
    """Return the numbers, ascending, as runs."""
    runs: list[int] = []
    for number in sorted(set(numbers)):
        if runs and runs[-2] + runs[-1] == number:
            runs[-1] += 1
        else:
            runs += (number, 1)
    return tuple(runs)
