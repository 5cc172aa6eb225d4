"""Summaries on a schedule under crashes and withdrawals."""

from collections.abc import Callable

import pytest

from tests.simulation import summary_scenes


@pytest.mark.parametrize(
    "scene",
    [
        summary_scenes.summary_that_is_told,
        summary_scenes.unsend_while_a_summary_is_made,
        summary_scenes.unsend_before_a_summary_is_made,
        summary_scenes.summary_whose_worker_dies,
        summary_scenes.summary_that_is_pushed,
        summary_scenes.summary_that_a_later_tick_makes,
        summary_scenes.summary_that_no_tick_can_make,
        summary_scenes.unsend_while_a_summary_is_pushed,
        summary_scenes.private_summary_that_is_sent,
        summary_scenes.private_summary_of_who_has_left,
        summary_scenes.private_summary_that_cannot_be_sent,
        summary_scenes.unsend_while_a_private_summary_is_made,
        summary_scenes.private_summary_whose_worker_dies,
    ],
)
def test_a_summary_breaks_no_invariant(scene: Callable[[], list[str]]) -> None:
    assert scene() == []
