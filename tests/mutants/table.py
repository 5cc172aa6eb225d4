"""The slips that change nothing, and the table in the README of this suite."""

import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.mutants.slips import Slip

README: Final = Path(__file__).with_name("README.md")
_EQUIVALENT: Final = Path(__file__).with_name("equivalent.toml")
_ROW: Final = "| `shared/"


class StaleEntryError(Exception):
    """An entry of equivalent.toml names no slip, more or fewer than it says, or one that a test finds."""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A slip that changes nothing: the one of its kind in the function whose changed source is `about`, or else holds it; and why.

    Slips that look the same share an entry, which says how many `times` they occur.
    """

    function: str
    kind: str
    about: str
    why: str
    times: int = 1

    def names(self, slip: Slip) -> bool:
        """Whether the entry is about the slip."""
        return (slip.function, slip.kind) == (self.function, self.kind) and self.about in slip.before


def equivalents() -> tuple[Equivalent, ...]:
    """Return the list of slips that change nothing."""
    entries = tomllib.loads(_EQUIVALENT.read_text(encoding="utf-8"))["slips"]
    return tuple(Equivalent(**one) for one in entries)


def keys_of_equivalents(slips: Sequence[Slip], entries: Iterable[Equivalent]) -> dict[str, Equivalent]:
    """Return the entries by the keys of their slips.  Raises: StaleEntryError, unless each entry names as many as it says."""
    found: dict[str, Equivalent] = {}
    for entry in entries:
        holding = [one for one in slips if entry.names(one)]
        named = [one for one in holding if one.before == entry.about] or holding
        if len(named) != entry.times:
            raise StaleEntryError(f"{entry} names {len(named)} slips")
        found |= {one.key: entry for one in named}
    return found


def report(slips: Sequence[Slip], verdicts: Mapping[str, str], *, is_whole: bool) -> int:
    """Print and, of whole modules, write how many slips were found; return the number of survivors.

    Raises: StaleEntryError, where a test finds a slip that is listed as one that changes nothing.
    """
    modules = dict.fromkeys(one.function.partition(":")[0] for one in slips)
    entries = [one for one in equivalents() if one.function.partition(":")[0] in modules]
    names = {entry.function for entry in entries}
    if not is_whole:
        entries = []
    nothing_changed = keys_of_equivalents([one for one in slips if one.function in names], entries)
    for key, entry in nothing_changed.items():
        if verdicts[key]:
            raise StaleEntryError(f"{entry} is found by {verdicts[key]}")
    rows = {}
    survivors = 0
    for module in modules:
        those = [one for one in slips if one.function.partition(":")[0] == module]
        counts = Counter("same" if one.key in nothing_changed else verdicts[one.key] or "left" for one in those)
        survivors += counts["left"]
        path = module.replace(".", "/") + ".py"
        rows[path] = (
            f"| `{path}` | {len(those)} | {counts['unit']} | {counts['simulation']} | {counts['left']} | {counts['same']} |"
        )
        sys.stdout.write(f"{rows[path]}\n")
    if is_whole:
        _write(rows)
    return survivors


def _write(rows: Mapping[str, str]) -> None:
    """Put the rows into the table, in place of older ones of the same modules; the others stay."""
    lines = README.read_text(encoding="utf-8").splitlines()
    there = {line.split("`")[1]: line for line in lines if line.startswith(_ROW)}
    others = [line for line in lines if not line.startswith(_ROW)]
    merged = {**there, **rows}
    table = [merged[path] for path in sorted(merged) if (README.parents[2] / path).exists()]
    README.write_text("\n".join([*others, *table]) + "\n", encoding="utf-8")  # the table stands at the end
