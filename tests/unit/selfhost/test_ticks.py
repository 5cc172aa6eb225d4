"""Ticks of a process: at once at the start, and all works although one fails."""

import threading

import pytest

from selfhost.ticks import Ticks
from shared.adapters.memory import FixedClock
from shared.errors import StorageUnavailableError

PATIENCE_S = 120.0


@pytest.mark.parametrize("error", [StorageUnavailableError("down"), RuntimeError("unforeseen")])
def test_the_first_tick_comes_at_the_start_and_a_work_that_fails_stops_no_other(error: Exception) -> None:
    done = threading.Event()

    def fail() -> None:
        raise error

    ticks = Ticks([fail, done.set], clock=FixedClock())
    ticks.start()

    assert done.wait(PATIENCE_S)
    ticks.stop()
