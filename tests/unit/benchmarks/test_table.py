import pytest

from benchmarks.samples import Comparison
from benchmarks.table import Goal, Row, Section, at_least, at_most, render, times


def row(*pairs: tuple[float, float], unit: str = "ms", goal: Goal | None = None) -> Row:
    return Row(label="p50", against="floor", unit=unit, comparison=Comparison.of(pairs), goal=goal)


@pytest.mark.parametrize(
    ("measured", "goal", "verdict"),
    [
        (1.0, times(1.1), "x  1.1   met"),
        (1.1, times(1.1), "x  1.1   met"),
        (1.2, times(1.1), "x  1.1   not met"),
        (20.0, at_most(20), "<= 20    met"),
        (21.0, at_most(20), "<= 20    not met"),
        (40.0, at_least(40), ">= 40    met"),
        (39.0, at_least(40), ">= 40    not met"),
        (9.0, None, ""),
    ],
)
def test_a_goal_is_met_or_not(measured: float, goal: Goal | None, verdict: str) -> None:
    assert row((measured, 1.0), goal=goal).verdict == verdict


def test_a_figure_without_a_ratio_has_no_verdict() -> None:
    assert row((1.0, 0.0), goal=times(1.1)).verdict == ""


def test_every_row_shows_both_sides_their_ratio_and_the_target() -> None:
    ack = Section(title="Ack", rows=[row((3.0, 2.0), goal=times(1.1))], note="quiet")

    text = render([ack, Section(title="Storage", rows=[row((7.0, 0.0), unit="")])])

    assert [line.split() for line in text.splitlines()[1:]] == [
        ["Ack"],
        ["p50", "3.00", "ms", "floor", "2.00", "ms", "1.50", "1.50", "to", "1.50", "x", "1.1", "not", "met"],
        ["quiet"],
        ["Storage"],
        ["p50", "7", "floor", "0", "-"],
    ]


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(1.234, "ms", "1.23 ms"), (123.4, "ms", "123 ms"), (12.34, "MB", "12.3 MB"), (7.0, "", "7"), (7.5, "", "7.5")],
)
def test_figures_are_rounded_by_their_unit(value: float, unit: str, shown: str) -> None:
    assert f" {shown}  " in render([Section(title="T", rows=[row((value, 1.0), unit=unit)])])
