"""The table in the README of this suite: for each mutation what it breaks, and the seed or scene that finds it.

The table and seeds.json are written by `python -m tests.simulation SEEDS --each`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.simulation.mutations import MUTATIONS
from tests.simulation.scenes import SCENES
from tests.simulation.schedule import play

README: Final = Path(__file__).with_name("README.md")
_SEEDS: Final = Path(__file__).with_name("seeds.json")
_ROW: Final = "| **`"

SEEDS: Final[Mapping[str, int]] = json.loads(_SEEDS.read_text(encoding="utf-8"))
"""The first seed that broke under the mutation when the table was written.  A mutation without a seed has a scene."""


def first_violation(name: str, seeds: Iterable[int]) -> tuple[int, str] | None:
    """Return the first of the seeds that breaks under the mutation, with its violation."""
    with MUTATIONS[name].active():
        for seed in seeds:
            found = play(seed).violations
            if found:
                return seed, found[0]
    return None


def write(found: Mapping[str, tuple[int, str] | None]) -> None:
    """Write seeds.json and the table, from what was found for every mutation."""
    seeds = {name: broken[0] for name, broken in found.items() if broken is not None}
    _SEEDS.write_text(json.dumps(seeds, indent=1) + "\n", encoding="utf-8")
    lines = README.read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(_ROW))
    others = [line for line in lines if not line.startswith(_ROW)]
    rows = [_row(name, broken) for name, broken in found.items()]
    README.write_text("\n".join([*others[:first], *rows, *others[first:]]) + "\n", encoding="utf-8")


def rows_of(name: str) -> Iterator[str]:
    """Return the rows of the table that are about the mutation."""
    return (line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith(f"{_ROW}{name}`"))


def _row(name: str, broken: tuple[int, str] | None) -> str:
    mutation = MUTATIONS[name]
    where = mutation.function.partition(":")[2]
    scene = f"`{SCENES[name].__name__}`" if name in SCENES else ""
    seed, breaks = (f"{broken[0]:,}", broken[1]) if broken is not None else ("", _violation_in_scene(name))
    return f"{_ROW}{name}`** | `{where}` | {mutation.lacks} | {breaks} | {seed} | {scene} |"


def _violation_in_scene(name: str) -> str:
    with MUTATIONS[name].active():
        return next(iter(SCENES[name]()), "nothing") if name in SCENES else "nothing"
