import itertools
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from shared.adapters.memory import FixedClock
from shared.clock import SystemClock
from shared.turns.flood import A_MINUTE, LONGEST_S, QUIET_S, Floods
from tests.support import chats

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
    """Return the floods of an instance at which so many messages have come that the next one is part of a flood."""
    floods = Floods(clock=condition.clock, _arrived=condition)
    assert not any(arrive(floods, f"before{number}", sent_ms=0) for number in range(A_MINUTE))
    return floods


def arrive(floods: Floods, name: str, *, chat: str = "a", sent_ms: int | None = None) -> bool:
    """A message comes, `m7` with the timestamp 7; return whether it is part of a flood."""
    number = int(name[1:]) if sent_ms is None else sent_ms
    return floods.note(chat, replace(chats.message(number, timestamp_ms=number), line_message_id=name))


def waits(floods: Floods, name: str) -> tuple[str, ...] | None:
    """The message waits until the flood has ended; return the ids of those that it answers for, or None where a newer one waits."""
    folded = floods.wait_for_end("a", name)
    return tuple(one.line_message_id for one in folded) if folded is not None else None


def test_a_flood_begins_after_thirty_messages_of_a_minute() -> None:
    clock = FixedClock()
    clock.move(3_600)
    floods = Floods(clock=clock)

    assert [arrive(floods, f"m{number}") for number in range(A_MINUTE + 2)] == [*[False] * A_MINUTE, True, True]
    assert not arrive(floods, "m1", chat="b")


def test_messages_that_are_delivered_again_are_no_flood() -> None:
    floods = Floods(clock=FixedClock())

    assert not any(arrive(floods, f"m{number % 10}") for number in range(3 * A_MINUTE))


def test_messages_that_come_more_slowly_are_no_flood() -> None:
    clock = FixedClock()
    floods = Floods(clock=clock)

    for number in range(3 * A_MINUTE):
        assert not arrive(floods, f"m{number}")
        clock.move(60 / A_MINUTE)


def test_the_newest_message_waits_until_the_flood_has_ended() -> None:
    arrivals = SteppedCondition()
    clock, floods = arrivals.clock, floods_on(arrivals)
    arrive(floods, "m1")
    begun_s = clock.monotonic_s()

    assert waits(floods, "m1") == ()
    assert clock.monotonic_s() - begun_s == QUIET_S


def test_a_message_whose_flood_is_forgotten_waits_for_nothing() -> None:
    arrivals = SteppedCondition()
    clock = arrivals.clock
    clock.move(3_600)

    assert waits(Floods(clock=clock, _arrived=arrivals), "m1") == ()
    assert clock.monotonic_s() == 3_600


def test_a_message_waits_no_longer_once_a_newer_one_came() -> None:
    arrivals = SteppedCondition()
    clock, floods = arrivals.clock, floods_on(arrivals)
    arrive(floods, "m1")
    arrivals.meanwhile = lambda: arrive(floods, "m2")

    assert waits(floods, "m1") is None
    assert clock.monotonic_s() < 1


def test_an_older_message_that_is_delivered_again_leaves_the_flood_to_the_newest() -> None:
    arrivals = SteppedCondition()
    clock, floods = arrivals.clock, floods_on(arrivals)
    arrive(floods, "m2")
    begun_s, older = clock.monotonic_s(), []

    def come_again() -> None:
        if arrive(floods, "m1"):
            older.append(waits(floods, "m1"))

    arrivals.meanwhile = come_again

    assert waits(floods, "m2") == ("m1",)
    assert older == [None]
    assert clock.monotonic_s() - begun_s == QUIET_S


def test_of_messages_of_one_moment_one_answers() -> None:
    arrivals = SteppedCondition()
    floods = floods_on(arrivals)
    for name in ("m1", "m2", "m3"):
        arrive(floods, name, sent_ms=5)

    assert [waits(floods, name) for name in ("m1", "m2", "m3")] == [None, None, ("m2", "m1")]


def test_the_newest_of_those_that_left_are_known_to_the_one_that_answers() -> None:
    arrivals = SteppedCondition()
    floods = floods_on(arrivals)
    for number in (30, 10, 50, 20, *range(100, 170)):
        arrive(floods, f"m{number}")

    assert waits(floods, "m169") == tuple(f"m{number}" for number in range(168, 104, -1))

    arrive(floods, "m45")
    assert waits(floods, "m45") == ()


def test_a_late_message_is_answered_where_the_newest_waits_no_more() -> None:
    arrivals = SteppedCondition()
    floods = floods_on(arrivals)
    arrive(floods, "m2")
    assert waits(floods, "m2") == ()
    arrive(floods, "m1")

    assert waits(floods, "m1") == ()


def test_a_flood_that_does_not_end_is_answered_now_and_then() -> None:
    arrivals = SteppedCondition()
    clock, floods = arrivals.clock, floods_on(arrivals)
    numbers = itertools.count(1)
    arrivals.meanwhile = lambda: arrive(floods, f"m{next(numbers)}")

    def arrives() -> bool:
        newest = f"m{next(numbers)}"
        arrive(floods, newest)
        return waits(floods, newest) is not None

    begun_s = clock.monotonic_s()
    answered_s = [clock.monotonic_s() for _ in range(int(24 * LONGEST_S)) if arrives()]  # a sixteenth each

    assert answered_s == [begun_s + LONGEST_S]


def test_a_flood_after_a_flood_is_answered_too() -> None:
    arrivals = SteppedCondition()
    clock, floods = arrivals.clock, floods_on(arrivals)
    for name in ("m1", "m2"):
        assert arrive(floods, name)
        assert waits(floods, name) == ()
        clock.move(LONGEST_S / 2)


def test_a_flood_holds_one_thread_of_the_instance() -> None:
    floods = Floods(clock=SystemClock())
    for number in range(A_MINUTE):
        arrive(floods, f"m{number}")

    def arrives(name: str) -> threading.Thread:
        arrive(floods, name)
        thread = threading.Thread(target=waits, args=(floods, name))
        thread.start()
        return thread

    threads = [arrives(f"m{number}") for number in range(A_MINUTE, A_MINUTE + 100)]
    for overtaken in threads[:-1]:
        overtaken.join(QUIET_S / 2)
        assert not overtaken.is_alive()

    assert threads[-1].is_alive()
    arrive(floods, "m1000")
    threads[-1].join()
