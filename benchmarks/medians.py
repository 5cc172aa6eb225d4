"""The medians of several runs, as a table in Markdown."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.samples import Comparison
from benchmarks.table import Goal, Row, figure

Run = Mapping[str, Any]
"""What `--json` writes."""


def markdown(runs: Sequence[Run]) -> str:
    """Return a table for each section of the first run; a row must be in every run.

    The range of a row is over the runs' ratios, or over their figures if the row has no ratio.
    """
    lines: list[str] = [f"{len(runs)} runs, medians; {runs[0]['machine'].removeprefix('Aizuchi benchmarks: ')}"]
    rows_by_run = [_rows(run) for run in runs]
    for section in runs[0]["sections"]:
        keys = [key for key in rows_by_run[0] if key[0] == section["title"] and all(key in one for one in rows_by_run)]
        lines += [
            "",
            f"**{section['title']}**",
            "",
            "| | measured | against | ratio | range | goal |",
            "|---|---|---|---|---|---|",
        ]
        lines += (_line([one[key] for one in rows_by_run]) for key in keys)
    return "\n".join(lines)


def _rows(run: Run) -> dict[tuple[str, str, str], Row]:
    return {(section["title"], row.label, row.against): row for section in run["sections"] for row in _read(section)}


def _read(section: Mapping[str, Any]) -> Iterator[Row]:
    for row in section["rows"]:
        goal = Goal(**row["goal"]) if row["goal"] is not None else None
        yield Row(**{**row, "comparison": Comparison(**row["comparison"]), "goal": goal})


def _line(rows: Sequence[Row]) -> str:
    first = rows[0]
    measured, against = (
        statistics.median(getattr(one.comparison, side) for one in rows) for side in ("measured", "against")
    )
    ratios = [one.comparison.ratio for one in rows if one.comparison.ratio is not None]
    ratio = statistics.median(ratios) if ratios else None
    comparison = Comparison(measured=measured, against=against, ratio=ratio, middle=None)
    verdict = "" if first.goal is None else " ".join(first.goal.verdict(comparison).split())
    spread = ratios or [one.comparison.measured for one in rows]
    cells = (
        first.label,
        figure(measured, first.unit),
        f"{first.against} {figure(against, first.unit)}" if first.against else "",
        "" if ratio is None else f"{ratio:.2f}",
        f"{min(spread):.2f} to {max(spread):.2f}",
        verdict,
    )
    return f"| {' | '.join(cells)} |"
