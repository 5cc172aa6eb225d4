import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.memory import MemoryLineApi
from shared.line.presence import Presence

USER = "U" + "1" * 32
PATIENCE_S = 10.0


class SlowLine(MemoryLineApi):
    """Sets `was_shown` at the given call of the animation or at a read mark, and answers once `may_answer` is set."""

    def __init__(self, *, shown_after: int = 1) -> None:
        super().__init__()
        self.was_shown = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self._shown_after = shown_after

    def show_loading(self, user_id: str) -> None:
        super().show_loading(user_id)
        if len(self.loading_shown_to) == self._shown_after:
            self.was_shown.set()
        assert self.may_answer.wait(PATIENCE_S)

    def mark_as_read(self, mark_as_read_token: str) -> None:
        self.was_shown.set()
        assert self.may_answer.wait(PATIENCE_S)
        super().mark_as_read(mark_as_read_token)


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
    assert line.marked_as_read == []


def test_a_long_turn_shows_the_animation_until_its_end(threads: ThreadPoolExecutor) -> None:
    line = SlowLine(shown_after=3)

    with Presence(api=line, threads=threads, after_s=0.001, every_s=0.001).during(loading_for=USER):
        assert line.was_shown.wait(PATIENCE_S)
    shown = len(line.loading_shown_to)
    threads.shutdown()

    assert shown >= 3
    assert line.loading_shown_to == [USER] * shown


@pytest.mark.parametrize("shown", [{"loading_for": USER}, {"mark_as_read_token": "token"}])
def test_a_call_under_way_ends_before_the_answer(threads: ThreadPoolExecutor, shown: dict[str, str]) -> None:
    line = SlowLine()
    line.may_answer.clear()
    ended = threading.Event()

    def turn() -> None:
        with Presence(api=line, threads=threads, after_s=0.001).during(**shown):
            line.was_shown.wait(PATIENCE_S)
        ended.set()

    running = threads.submit(turn)
    assert line.was_shown.wait(PATIENCE_S)
    assert not ended.wait(0.05)
    line.may_answer.set()
    running.result(PATIENCE_S)

    assert ended.is_set()


def test_an_animation_that_has_no_thread_does_not_delay_the_answer() -> None:
    line, may_end = MemoryLineApi(), threading.Event()
    with ThreadPoolExecutor(1) as threads:
        busy = threads.submit(may_end.wait, 2.0)
        with Presence(api=line, threads=threads, after_s=0.0).during(loading_for=USER):
            pass
        is_answered_first = not busy.done()
        may_end.set()

    assert is_answered_first
    assert line.loading_shown_to == []


def test_a_group_gets_read_marks_and_no_animation(threads: ThreadPoolExecutor) -> None:
    line = MemoryLineApi()

    with Presence(api=line, threads=threads, after_s=0.0).during(mark_as_read_token="token"):
        pass

    assert line.marked_as_read == ["token"]
    assert line.loading_shown_to == []


def test_an_account_in_auto_mode_marks_no_message_as_read(threads: ThreadPoolExecutor) -> None:
    line = MemoryLineApi()
    line.is_manual = False

    with Presence(api=line, threads=threads).during(mark_as_read_token="token"):
        pass

    assert line.marked_as_read == []


def test_a_failing_turn_ends_the_animation(threads: ThreadPoolExecutor) -> None:
    line = MemoryLineApi()

    with pytest.raises(ZeroDivisionError), Presence(api=line, threads=threads).during(loading_for=USER):
        _ = 1 / 0
    threads.shutdown()

    assert line.loading_shown_to == []
