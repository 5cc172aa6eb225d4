import itertools
import threading
from collections.abc import Callable
from typing import TypeVar

from shared.adapters.memory import FixedClock
from shared.clock import SystemClock
from shared.turns.flood import A_MINUTE, LONGEST_S, QUIET_S, Floods

_FoundT = TypeVar("_FoundT")
_STEP_S = 1 / 16


class SteppedCondition(threading.Condition):
    """A condition on a clock of its own, which calls back while its caller waits."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = FixedClock()
        self.meanwhile: Callable[[], object] = lambda: None

    def wait_for(self, predicate: Callable[[], _FoundT], timeout: float | None = None) -> _FoundT:
        ends_s = self.clock.monotonic_s() + (timeout or 0.0)
        while not predicate() and self.clock.monotonic_s() < ends_s:
            self.clock.move(min(_STEP_S, ends_s - self.clock.monotonic_s()))
            self.meanwhile()
        return predicate()


def floods_on(condition: SteppedCondition) -> Floods:
    return Floods(clock=condition.clock, _arrived=condition)


def test_a_flood_begins_after_thirty_messages_of_a_minute() -> None:
    clock = FixedClock()
    clock.move(3_600)
    floods = Floods(clock=clock)

    assert [floods.note("a", f"m{number}") for number in range(A_MINUTE + 2)] == [*[False] * A_MINUTE, True, True]
    assert not floods.note("b", "m1")


def test_messages_that_are_delivered_again_are_no_flood() -> None:
    floods = Floods(clock=FixedClock())

    assert not any(floods.note("a", f"m{number % 10}") for number in range(3 * A_MINUTE))


def test_messages_that_come_more_slowly_are_no_flood() -> None:
    clock = FixedClock()
    floods = Floods(clock=clock)

    for number in range(3 * A_MINUTE):
        assert not floods.note("a", f"m{number}")
        clock.move(60 / A_MINUTE)


def test_the_newest_message_waits_until_the_flood_has_ended() -> None:
    arrivals = SteppedCondition()
    clock, floods = arrivals.clock, floods_on(arrivals)
    floods.note("a", "m1")
    begun_s = clock.monotonic_s()

    assert floods.answers_for_all("a", "m1")
    assert clock.monotonic_s() - begun_s == QUIET_S


def test_a_message_whose_flood_is_forgotten_waits_for_nothing() -> None:
    arrivals = SteppedCondition()
    clock = arrivals.clock
    clock.move(3_600)

    assert floods_on(arrivals).answers_for_all("a", "m1")
    assert clock.monotonic_s() == 3_600


def test_a_message_waits_no_longer_once_a_newer_one_came() -> None:
    arrivals = SteppedCondition()
    clock, floods = arrivals.clock, floods_on(arrivals)
    floods.note("a", "m1")
    arrivals.meanwhile = lambda: floods.note("a", "m2")

    assert not floods.answers_for_all("a", "m1")
    assert clock.monotonic_s() < 1


def test_a_flood_that_does_not_end_is_answered_now_and_then() -> None:
    arrivals = SteppedCondition()
    clock, floods = arrivals.clock, floods_on(arrivals)
    numbers = itertools.count()
    arrivals.meanwhile = lambda: floods.note("a", f"m{next(numbers)}")

    def arrives() -> bool:
        newest = f"m{next(numbers)}"
        floods.note("a", newest)
        return floods.answers_for_all("a", newest)

    begun_s = clock.monotonic_s()
    answered_s = [clock.monotonic_s() for _ in range(int(24 * LONGEST_S)) if arrives()]  # a sixteenth each

    assert answered_s == [begun_s + LONGEST_S]


def test_a_flood_after_a_flood_is_answered_too() -> None:
    arrivals = SteppedCondition()
    clock, floods = arrivals.clock, floods_on(arrivals)
    for name in ("m1", "m2"):
        floods.note("a", name)
        assert floods.answers_for_all("a", name)
        clock.move(LONGEST_S)


def test_a_flood_holds_one_thread_of_the_instance() -> None:
    floods = Floods(clock=SystemClock())

    def arrives(name: str) -> threading.Thread:
        floods.note("a", name)
        thread = threading.Thread(target=floods.answers_for_all, args=("a", name))
        thread.start()
        return thread

    threads = [arrives(f"m{number}") for number in range(100)]
    for overtaken in threads[:-1]:
        overtaken.join(QUIET_S / 2)

    assert [one.is_alive() for one in threads] == [*[False] * 99, True]
    floods.note("a", "the next one")
    threads[-1].join()
