from contextlib import ExitStack

import pytest

from shared.access.unadmitted_chats import (
    TOLD_EVERY_S,
    WAITS_A_CHAT,
    WAITS_AT_ONCE,
    UnadmittedChats,
)
from shared.adapters.memory import FixedClock

DAY_S = 86_400.0


@pytest.fixture
def clock() -> FixedClock:
    """The clock of an instance that has been up for some days."""
    clock = FixedClock()
    clock.move(3 * DAY_S)
    return clock


@pytest.fixture
def unadmitted(clock: FixedClock) -> UnadmittedChats:
    return UnadmittedChats(clock=clock)


def test_a_chat_is_told_once_an_hour(unadmitted: UnadmittedChats, clock: FixedClock) -> None:
    assert [unadmitted.may_tell("a") for _ in range(3)] == [True, False, False]
    assert unadmitted.may_tell("b")
    clock.move(TOLD_EVERY_S)
    assert unadmitted.may_tell("a")


def test_a_chat_is_waited_for_a_few_times_an_hour(unadmitted: UnadmittedChats, clock: FixedClock) -> None:
    def waits() -> bool:
        with unadmitted.waiting("a") as may_wait:
            return may_wait

    assert [waits() for _ in range(WAITS_A_CHAT + 2)] == [*[True] * WAITS_A_CHAT, False, False]
    with unadmitted.waiting("b") as may_wait:
        assert may_wait

    clock.move(TOLD_EVERY_S)
    assert waits()


def test_the_hour_begins_with_the_first_wait(unadmitted: UnadmittedChats, clock: FixedClock) -> None:
    for _ in range(WAITS_A_CHAT):
        clock.move(TOLD_EVERY_S / WAITS_A_CHAT)
        with unadmitted.waiting("a") as may_wait:
            assert may_wait

    with unadmitted.waiting("a") as may_wait:
        assert not may_wait
    clock.move(TOLD_EVERY_S / WAITS_A_CHAT)
    with unadmitted.waiting("a") as may_wait:
        assert may_wait


def test_strangers_hold_a_few_threads_of_an_instance_at_most(unadmitted: UnadmittedChats) -> None:
    with ExitStack() as waiting:
        for number in range(WAITS_AT_ONCE):
            assert waiting.enter_context(unadmitted.waiting(f"chat {number}"))
        with unadmitted.waiting("another") as may_wait:
            assert not may_wait

    with unadmitted.waiting("another") as may_wait:
        assert may_wait


def test_what_is_remembered_of_a_chat_outlives_its_waits(unadmitted: UnadmittedChats) -> None:
    unadmitted.may_tell("a")

    with unadmitted.waiting("a"):
        pass

    assert not unadmitted.may_tell("a")
