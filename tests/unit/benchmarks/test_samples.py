import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.samples import Comparison, interleave, percentile

FIGURES = st.floats(min_value=0.001, max_value=1_000)


@pytest.mark.parametrize(
    ("percent", "expected"), [(0, 1.0), (1, 1.0), (25, 25.0), (50, 50.0), (99, 99.0), (99.5, 100.0), (100, 100.0)]
)
def test_a_percentile_is_the_value_at_its_rank(percent: float, expected: float) -> None:
    assert percentile([float(value) for value in range(100, 0, -1)], percent) == expected


def test_every_percentile_of_one_value_is_that_value() -> None:
    assert {percentile([7.0], percent) for percent in (0, 50, 99, 100)} == {7.0}


@pytest.mark.parametrize(("values", "percent"), [([], 50), ([1.0], -1), ([1.0], 101)])
def test_a_percentile_needs_values_and_a_rank_up_to_a_hundred(values: list[float], percent: float) -> None:
    with pytest.raises(ValueError, match="a percentile needs values"):
        percentile(values, percent)


@given(st.lists(FIGURES, min_size=1), st.floats(min_value=0, max_value=100))
def test_enough_values_are_at_most_their_percentile(values: list[float], percent: float) -> None:
    found = percentile(values, percent)

    assert found in values
    assert sum(value <= found for value in values) >= len(values) * percent / 100


def test_rounds_begin_with_each_name_in_turn() -> None:
    assert list(interleave(["a", "b", "c"], 4)) == [
        *[(0, "a"), (0, "b"), (0, "c")],
        *[(1, "b"), (1, "c"), (1, "a")],
        *[(2, "c"), (2, "a"), (2, "b")],
        *[(3, "a"), (3, "b"), (3, "c")],
    ]


@given(st.lists(st.text(), unique=True), st.integers(min_value=0, max_value=20))
def test_every_name_comes_once_a_round(names: list[str], rounds: int) -> None:
    met = list(interleave(names, rounds))

    assert len(met) == len(set(met)) == len(names) * rounds
    assert [number for number, _ in met] == sorted(number for number, _ in met)


def test_a_ratio_is_taken_within_its_round() -> None:
    comparison = Comparison.of([(2.0, 1.0), (20.0, 10.0), (200.0, 100.0), (3.0, 1.0)])

    assert comparison.ratio == 2.0
    assert comparison.middle == (2.0, 2.0)
    assert (comparison.measured, comparison.against) == (11.5, 5.5)


@given(st.lists(FIGURES, min_size=1), FIGURES, st.floats(min_value=0.01, max_value=100))
def test_a_machine_that_drifts_changes_no_ratio(drift: list[float], against: float, ratio: float) -> None:
    comparison = Comparison.of([(against * ratio * factor, against * factor) for factor in drift])

    assert comparison.ratio == pytest.approx(ratio)


def test_a_comparison_with_zero_has_no_ratio() -> None:
    comparison = Comparison.of([(1.0, 0.0), (3.0, 0.0)])

    assert (comparison.measured, comparison.against, comparison.ratio, comparison.middle) == (2.0, 0.0, None, None)


def test_a_comparison_needs_a_round() -> None:
    with pytest.raises(ValueError, match="nothing to compare"):
        Comparison.of([])
