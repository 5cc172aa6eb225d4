"""The sources of answers, stored once for all, because their windows overlap: one list of names, and runs of numbers for each answer."""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from shared.conversation.provenance import Provenance, Source
from shared.frozen import frozen


@frozen
class Numbered:
    """Messages, as in `Provenance`, and answers and recaps by their own ids, each once and numbered, the messages first and by time.

    `runs` has the sources by answer: first number and length in turn. For example, (0, 3, 7, 1) are 0, 1, 2 and 7.
    """

    messages: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    derived_ids: tuple[str, ...] = ()
    runs: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, provenances: Mapping[str, Provenance]) -> "Numbered":
        """Return the sources of answers, by the answers' own ids, as numbers."""
        everything = Provenance.union(provenances.values())
        numbered = cls(messages=everything.messages, derived_ids=tuple(sorted(everything.derived_ids)))
        messages = {one.line_message_id: place for place, one in enumerate(everything.sources)}
        derived = {own_id: place for place, own_id in enumerate(numbered.derived_ids, start=len(messages))}
        runs = {
            own: _runs_of((*map(messages.__getitem__, one.message_ids), *map(derived.__getitem__, one.derived_ids)))
            for own, one in provenances.items()
        }
        return replace(numbered, runs={own: places for own, places in runs.items() if places})

    def restored(self, provenances: Mapping[str, Provenance]) -> Mapping[str, Provenance]:
        """Return the provenances, stored without ids, with the sources of `runs`."""
        sources = Provenance(messages=self.messages).sources
        numbered: tuple[Source | str, ...] = (*sources, *self.derived_ids)

        def with_names(own_id: str, provenance: Provenance) -> Provenance:
            names = [numbered[place] for place in _places_of(self.runs.get(own_id, ()))]
            messages = Provenance.of_sources(one for one in names if isinstance(one, Source))
            named_here = replace(messages, derived_ids=frozenset(one for one in names if isinstance(one, str)))
            return replace(provenance | named_here, unknown_fields=provenance.unknown_fields)

        return {own_id: with_names(own_id, one) for own_id, one in provenances.items()}


def _runs_of(numbers: Iterable[int]) -> tuple[int, ...]:
    """Return the numbers, ascending, as runs: `_runs_of([7, 0, 1, 2])` is `(0, 3, 7, 1)`."""
    runs: list[int] = []
    for number in sorted(set(numbers)):
        if runs and runs[-2] + runs[-1] == number:
            runs[-1] += 1
        else:
            runs += (number, 1)
    return tuple(runs)


def _places_of(runs: tuple[int, ...]) -> Iterable[int]:
    for first, length in zip(runs[::2], runs[1::2], strict=False):
        yield from range(first, first + length)
