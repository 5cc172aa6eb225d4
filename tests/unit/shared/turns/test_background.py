import io
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared import logs
from shared.errors import StorageUnavailableError
from shared.turns.background import Background, Pause


@pytest.fixture
def background() -> Iterator[Background]:
    with ThreadPoolExecutor(2) as threads:
        yield Background(threads=threads)


def test_background_work_runs_until_the_block_ends(background: Background) -> None:
    rounds: list[int] = []
    has_run_twice = threading.Event()

    def work(pause: Pause) -> None:
        while not pause(0.001):
            rounds.append(1)
            if len(rounds) == 2:
                has_run_twice.set()

    with background.during(work):
        assert has_run_twice.wait(30)
    rounds_at_the_end = len(rounds)

    assert rounds_at_the_end >= 2
    assert not has_run_twice.wait(0) or len(rounds) == rounds_at_the_end


def test_pause_ends_with_the_block(background: Background) -> None:
    pauses: list[bool] = []

    with background.during(lambda pause: pauses.append(pause(60))):
        pass

    assert pauses == [True]


def test_failed_background_work_leaves_the_block_alone(background: Background, lines: io.StringIO) -> None:
    def work(_: Pause) -> None:
        raise StorageUnavailableError("down")

    with background.during(work):
        result = "this"

    assert result == "this"
    assert "background_work_failed" in lines.getvalue()


def test_background_work_logs_with_the_fields_of_the_block(background: Background, lines: io.StringIO) -> None:
    with logs.bound(webhook_event_id="e1"), background.during(lambda _: logs.info("animation_shown")):
        pass

    assert '"webhook_event_id": "e1"' in lines.getvalue()
