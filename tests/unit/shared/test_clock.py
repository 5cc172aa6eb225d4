"""Deadlines, and the parts that are taken out of them."""

import pytest

from shared.adapters.memory import FixedClock
from shared.clock import Deadline


@pytest.mark.parametrize(("part_s", "left_s"), [(3, 3), (10, 10), (11, 10)])
def test_a_part_ends_with_its_whole(part_s: float, left_s: float) -> None:
    assert Deadline.after(FixedClock(), 10).within(part_s).left_s == left_s


def test_a_part_that_begins_late_has_what_is_left() -> None:
    clock = FixedClock()
    whole = Deadline.after(clock, 10)
    clock.move(8)

    assert whole.within(5).left_s == 2


def test_an_earlier_deadline_leaves_time_for_what_comes_after_it() -> None:
    clock = FixedClock()
    whole = Deadline.after(clock, 10)

    assert whole.earlier(4).left_s == 6
    assert whole.earlier(40).left_s == 0


@pytest.mark.parametrize(("pause_s", "least_s", "left_s"), [(3, 0, 7), (3, 7, 7), (3, 8, 10), (10, 0, 10), (11, 0, 10)])
def test_a_pause_is_made_only_with_time_for_what_comes_after_it(pause_s: float, least_s: float, left_s: float) -> None:
    deadline = Deadline.after(FixedClock(), 10)

    assert deadline.pause(pause_s, least_s=least_s) is (left_s < 10)

    assert deadline.left_s == left_s
