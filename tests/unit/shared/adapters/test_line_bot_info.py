import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.line_bot_info import BotInfo, BotInfoUnavailableError, CachedBotInfo
from shared.adapters.memory import FixedClock

INFO = BotInfo(display_name="Aizuchi", mark_as_read_mode="manual")


class Line:
    """LINE's answer to "get bot info"; `is_down`: none comes."""

    def __init__(self) -> None:
        self.calls = 0
        self.is_down = False
        self.asked = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()

    def read(self) -> BotInfo:
        self.calls += 1
        self.asked.set()
        assert self.may_answer.wait(30)
        if self.is_down:
            raise BotInfoUnavailableError("no answer")
        return INFO


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def info(line: Line, clock: FixedClock) -> CachedBotInfo:
    return CachedBotInfo(line.read, clock)


def test_the_info_is_read_once(info: CachedBotInfo, line: Line) -> None:
    assert [info.get(), info.get()] == [INFO, INFO]
    assert line.calls == 1


def test_all_who_come_while_line_is_asked_for_the_first_time_wait_for_it(info: CachedBotInfo, line: Line) -> None:
    line.may_answer.clear()

    with ThreadPoolExecutor(9) as pool:
        asking = pool.submit(info.get)
        assert line.asked.wait(30)
        waiting = [pool.submit(info.get) for _ in range(8)]
        line.may_answer.set()

        assert [one.result(timeout=30) for one in (asking, *waiting)] == [INFO] * 9
    assert line.calls == 1


def test_nobody_waits_for_the_first_time_longer_than_a_call_takes(line: Line, clock: FixedClock) -> None:
    info = CachedBotInfo(line.read, clock, waited_s=0.01)
    line.may_answer.clear()

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(info.get)
        assert line.asked.wait(30)
        assert info.get() is None
        line.may_answer.set()

    assert asking.result() == info.get() == INFO


def test_later_one_request_asks_and_the_others_go_on_without(
    info: CachedBotInfo, line: Line, clock: FixedClock
) -> None:
    line.is_down = True
    assert info.get() is None
    line.is_down = False
    line.asked.clear()
    line.may_answer.clear()
    clock.move(60)

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(info.get)
        assert line.asked.wait(30)
        others = [info.get() for _ in range(40)]
        line.may_answer.set()

    assert others == [None] * 40
    assert asking.result() == info.get() == INFO
    assert line.calls == 2


def test_a_failure_is_remembered_for_a_minute(info: CachedBotInfo, line: Line, clock: FixedClock) -> None:
    line.is_down = True
    assert [info.get() for _ in range(5)] == [None] * 5
    assert line.calls == 1

    line.is_down = False
    clock.move(59)
    assert info.get() is None
    clock.move(1)
    assert info.get() == INFO
