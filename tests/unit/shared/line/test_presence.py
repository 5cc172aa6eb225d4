import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.memory import MemoryLineApi
from shared.line.presence import Presence

USER = "U" + "1" * 32
PATIENCE_S = 10.0


class SlowLine(MemoryLineApi):
    """Tells when the animation was asked for so many times, and waits for a leave to answer."""

    def __init__(self, *, told_after: int = 1) -> None:
        super().__init__()
        self.told = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self._told_after = told_after

    def show_loading(self, user_id: str) -> None:
        super().show_loading(user_id)
        if len(self.loading_shown_to) == self._told_after:
            self.told.set()
        assert self.may_answer.wait(PATIENCE_S)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def test_a_quick_turn_shows_no_animation(threads: ThreadPoolExecutor) -> None:
    line = MemoryLineApi()

    with Presence(api=line, threads=threads).during(loading_for=USER):
        pass
    threads.shutdown()

    assert line.loading_shown_to == []


def test_a_long_turn_shows_it_until_its_end(threads: ThreadPoolExecutor) -> None:
    line = SlowLine(told_after=3)

    with Presence(api=line, threads=threads, after_s=0.001, every_s=0.001).during(loading_for=USER):
        assert line.told.wait(PATIENCE_S)
    shown = len(line.loading_shown_to)
    threads.shutdown()

    assert shown >= 3
    assert line.loading_shown_to == [USER] * shown


def test_a_call_under_way_is_over_before_the_answer(threads: ThreadPoolExecutor) -> None:
    line = SlowLine()
    line.may_answer.clear()
    ended = threading.Event()

    def turn() -> None:
        with Presence(api=line, threads=threads, after_s=0.001).during(loading_for=USER):
            line.told.wait(PATIENCE_S)
        ended.set()

    running = threads.submit(turn)
    assert line.told.wait(PATIENCE_S)
    assert not ended.wait(0.05)
    line.may_answer.set()
    running.result(PATIENCE_S)

    assert ended.is_set()


def test_a_group_sees_no_animation_but_read_marks(threads: ThreadPoolExecutor) -> None:
    line = MemoryLineApi()

    with Presence(api=line, threads=threads, after_s=0.0).during(mark_as_read_token="token"):
        pass

    assert line.marked_as_read == ["token"]
    assert line.loading_shown_to == []


def test_where_line_marks_by_itself_the_bot_does_not(threads: ThreadPoolExecutor) -> None:
    line = MemoryLineApi()
    line.is_manual = False

    with Presence(api=line, threads=threads).during(mark_as_read_token="token"):
        pass

    assert line.marked_as_read == []


def test_a_failing_turn_ends_the_animation_too(threads: ThreadPoolExecutor) -> None:
    line = MemoryLineApi()

    with pytest.raises(ZeroDivisionError), Presence(api=line, threads=threads).during(loading_for=USER):
        _ = 1 / 0
    threads.shutdown()

    assert line.loading_shown_to == []
