"""Chaos: the same seed gives the same faults; the default gives none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.pubsub.chaos import Chaos

SUBSCRIPTION = "projects/p/subscriptions/worker"
EVERYTHING = {
    "duplicate_probability": 0.5,
    "delay_s": (0.1, 0.9),
    "reorder_probability": 0.5,
    "lost_acknowledgement_probability": 0.5,
    "unavailable_before_probability": 0.5,
    "unavailable_after_probability": 0.5,
}


def fates(chaos: Chaos, numbers: range) -> list[tuple[object, ...]]:
    return [
        (
            chaos.copies(SUBSCRIPTION, number),
            chaos.first_delay_s(SUBSCRIPTION, number, 1),
            chaos.reorders(SUBSCRIPTION, number, 1),
            chaos.loses_acknowledgement(SUBSCRIPTION, number, 1, 1),
            chaos.fails_before(number),
            chaos.fails_after(number),
        )
        for number in numbers
    ]


@given(st.integers())
def test_the_same_seed_makes_the_same_faults_in_any_order(seed: int) -> None:
    one, other = Chaos(seed=seed, **EVERYTHING), Chaos(seed=seed, **EVERYTHING)  # type: ignore[arg-type]

    assert fates(one, range(1, 9)) == fates(other, range(8, 0, -1))[::-1]


def test_another_seed_makes_other_faults() -> None:
    one, other = Chaos(seed=1, **EVERYTHING), Chaos(seed=2, **EVERYTHING)  # type: ignore[arg-type]

    assert fates(one, range(1, 30)) != fates(other, range(1, 30))


def test_the_default_makes_no_faults() -> None:
    assert set(fates(Chaos(), range(1, 50))) == {(1, 0.0, False, False, False, False)}


def test_faults_have_about_their_probability() -> None:
    chaos = Chaos(seed=7, duplicate_probability=0.3)

    doubled = sum(chaos.copies(SUBSCRIPTION, number) == 2 for number in range(1, 1001))

    assert 240 < doubled < 360


@given(st.integers(), st.integers(1, 1000))
def test_a_delay_stays_in_its_range(seed: int, number: int) -> None:
    delay_s = Chaos(seed=seed, delay_s=(0.2, 0.5)).first_delay_s(SUBSCRIPTION, number, 1)

    assert 0.2 <= delay_s <= 0.5


@pytest.mark.parametrize(
    "wrong", [{"duplicate_probability": 1.1}, {"reorder_probability": -0.1}, {"delay_s": (2.0, 1.0)}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Chaos(**wrong)  # type: ignore[arg-type]
