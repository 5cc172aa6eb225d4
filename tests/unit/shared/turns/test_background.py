import io
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared import logs
from shared.errors import StorageUnavailableError
from shared.turns.background import Pause, ThreadBackground


@pytest.fixture
def background() -> Iterator[ThreadBackground]:
    with ThreadPoolExecutor(2) as threads:
        yield ThreadBackground(threads=threads)


def test_work_runs_beside_the_block_until_it_ends(background: ThreadBackground) -> None:
    rounds: list[int] = []
    twice = threading.Event()

    def work(pause: Pause) -> None:
        while not pause(0.001):
            rounds.append(1)
            if len(rounds) == 2:
                twice.set()

    with background.beside(work):
        assert twice.wait(5)
    done = len(rounds)

    assert done >= 2
    assert not twice.wait(0) or len(rounds) == done


def test_a_pause_ends_with_the_block(background: ThreadBackground) -> None:
    ended: list[bool] = []

    with background.beside(lambda pause: ended.append(pause(60))):
        pass

    assert ended == [True]


def test_work_that_fails_leaves_the_block_alone(background: ThreadBackground, lines: io.StringIO) -> None:
    def work(_: Pause) -> None:
        raise StorageUnavailableError("down")

    with background.beside(work):
        done = "this"

    assert done == "this"
    assert "background_work_failed" in lines.getvalue()


def test_work_logs_as_part_of_what_it_stands_beside(background: ThreadBackground, lines: io.StringIO) -> None:
    with logs.bound(webhook_event_id="e1"), background.beside(lambda _: logs.info("animation_shown")):
        pass

    assert '"webhook_event_id": "e1"' in lines.getvalue()
