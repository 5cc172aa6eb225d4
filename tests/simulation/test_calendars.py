"""Calendars under ticks that sleep and workers that die: the scenes that no mutation of the table names, and that all are clean."""

from collections.abc import Callable

import pytest

from tests.simulation import calendar_scenes


@pytest.mark.parametrize(
    "scene",
    [
        calendar_scenes.turn_whose_worker_dies_before_it_marks_the_feed,
        calendar_scenes.feed_that_is_written_by_two_ticks,
        calendar_scenes.meeting_that_is_taken_back,
        calendar_scenes.worker_that_dies_before_it_tells,
        calendar_scenes.chat_that_is_left_under_a_tick,
    ],
)
def test_a_calendar_follows_its_chat_and_ends_with_it(scene: Callable[[], list[str]]) -> None:
    assert scene() == []
