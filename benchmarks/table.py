"""The table: a section for each question, and a row for each figure with its comparison."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from benchmarks.samples import Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The largest ratio within the goal; if `is_absolute`, the largest figure; if `is_least`, the smallest figure."""

    limit: float
    is_absolute: bool = False
    is_least: bool = False

    def verdict(self, comparison: Comparison) -> str:
        """Return, for example, `<= 1.1   met`, or `>= 40    not met`; empty without a figure."""
        figure = comparison.measured if self.is_absolute or self.is_least else comparison.ratio
        if figure is None:
            return ""
        is_met = figure >= self.limit if self.is_least else figure <= self.limit
        sign = ">=" if self.is_least else "<=" if self.is_absolute else "x"
        return f"{sign:<2} {self.limit:<5g} {'met' if is_met else 'not met'}"


def at_most(limit: float) -> Goal:
    """Return a goal for the figure: `at_most(12)` is met by 12 requests."""
    return Goal(limit=limit, is_absolute=True)


def at_least(limit: float) -> Goal:
    """Return a goal for the figure: `at_least(40)` is met by 40 turns a second."""
    return Goal(limit=limit, is_least=True)


def times(limit: float) -> Goal:
    """Return a goal for the ratio: `times(1.1)` is met by 1.1 ms against 1.0 ms."""
    return Goal(limit=limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A figure and its comparison."""

    label: str
    against: str
    unit: str
    comparison: Comparison
    goal: Goal | None = None

    @property
    def verdict(self) -> str:
        """Return the goal's verdict; empty without a goal."""
        return "" if self.goal is None else self.goal.verdict(self.comparison)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Rows for one question.  `note` explains the rows; `samples` are the raw figures for the JSON file."""

    title: str
    rows: Sequence[Row]
    note: str = ""
    samples: object = None


def render(sections: Sequence[Section]) -> str:
    """Return the table as text."""
    heads = ("", "measured", "against", "", "ratio", "middle half", "goal")
    blocks = [[_cells(row) for row in section.rows] for section in sections]
    widths = [max(len(cells[index]) for cells in [heads, *chain.from_iterable(blocks)]) for index in range(len(heads))]
    return "\n".join(_lines(sections, blocks, heads=heads, widths=widths))


def figure(value: float, unit: str) -> str:
    """Return the figure with three significant digits or one decimal, and its unit: `figure(2.9, "ms")` is "2.90 ms"."""
    match unit:
        case "":
            return f"{value:.1f}".removesuffix(".0")
        case "ms":
            return f"{value:.0f} ms" if value >= 100 else f"{value:.2f} ms"  # noqa: PLR2004 - three significant digits
        case _:
            return f"{value:.1f} {unit}"


def _lines(
    sections: Sequence[Section],
    blocks: Sequence[Sequence[Sequence[str]]],
    *,
    heads: Sequence[str],
    widths: Sequence[int],
) -> Iterator[str]:
    yield _align(heads, widths)
    for section, block in zip(sections, blocks, strict=True):
        yield section.title
        for cells in block:
            yield _align(cells, widths)
        if section.note:
            yield f"    {section.note}"


def _cells(row: Row) -> tuple[str, ...]:
    comparison = row.comparison
    return (
        f"    {row.label}",
        figure(comparison.measured, row.unit),
        row.against,
        figure(comparison.against, row.unit),
        "-" if comparison.ratio is None else f"{comparison.ratio:.2f}",
        "{:.2f} to {:.2f}".format(*comparison.middle) if comparison.middle else "",
        row.verdict,
    )


def _align(cells: Sequence[str], widths: Sequence[int]) -> str:
    left_aligned = {0, 2, 6}
    padded = [
        cell.ljust(width) if index in left_aligned else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()
