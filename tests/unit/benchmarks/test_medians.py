import json
from dataclasses import asdict
from typing import Any

from benchmarks.medians import markdown
from benchmarks.samples import Comparison
from benchmarks.table import Row, Section, at_most, times


def run(ack_ms: float, *, more: bool = False) -> dict[str, Any]:
    ack = Row(label="ack", against="floor", unit="ms", comparison=Comparison.of([(ack_ms, 2.0)]), goal=times(1.1))
    count = Row(label="requests", against="", unit="", comparison=Comparison.of([(12.0, 0.0)]), goal=at_most(12))
    section = Section(
        title="Ack",
        rows=[
            ack,
            count,
            *([Row(**{**asdict(ack), "label": "more", "comparison": ack.comparison, "goal": None})] if more else []),
        ],
    )
    written: dict[str, Any] = json.loads(
        json.dumps({"machine": "Aizuchi benchmarks: 2 cores", "sections": [asdict(section)]})
    )
    return written


def test_the_median_of_several_runs_decides_whether_a_goal_is_met() -> None:
    text = markdown([run(2.1, more=True), run(2.9), run(2.0)])

    assert text.splitlines() == [
        "3 runs, medians; 2 cores",
        "",
        "**Ack**",
        "",
        "| | measured | against | ratio | range | goal |",
        "|---|---|---|---|---|---|",
        "| ack | 2.10 ms | floor 2.00 ms | 1.05 | 1.00 to 1.45 | x 1.1 met |",
        "| requests | 12 |  |  | 12.00 to 12.00 | <= 12 met |",
    ]
