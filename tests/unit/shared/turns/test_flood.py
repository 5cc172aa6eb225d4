import itertools
from collections.abc import Callable

from shared.adapters.memory import FixedClock
from shared.turns.flood import A_MINUTE, LONGEST_S, QUIET_S, Floods


class SteppedClock(FixedClock):
    """A clock that calls back while its caller sleeps."""

    meanwhile: Callable[[], object] = staticmethod(lambda: None)

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        self.meanwhile()


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
    clock = SteppedClock()
    floods = Floods(clock=clock)
    floods.note("a", "m1")
    begun_s = clock.monotonic_s()

    assert floods.answers_for_all("a", "m1")
    assert clock.monotonic_s() - begun_s == QUIET_S


def test_a_message_whose_flood_is_forgotten_waits_for_nothing() -> None:
    clock = SteppedClock()
    clock.move(3_600)

    assert Floods(clock=clock).answers_for_all("a", "m1")
    assert clock.monotonic_s() == 3_600


def test_a_message_waits_no_longer_once_a_newer_one_came() -> None:
    clock = SteppedClock()
    floods = Floods(clock=clock)
    floods.note("a", "m1")
    clock.meanwhile = lambda: floods.note("a", "m2")

    assert not floods.answers_for_all("a", "m1")
    assert clock.monotonic_s() < 1


def test_a_flood_that_does_not_end_is_answered_now_and_then() -> None:
    clock = SteppedClock()
    floods = Floods(clock=clock)
    numbers = itertools.count()
    clock.meanwhile = lambda: floods.note("a", f"m{next(numbers)}")

    def arrives() -> bool:
        newest = f"m{next(numbers)}"
        floods.note("a", newest)
        return floods.answers_for_all("a", newest)

    begun_s = clock.monotonic_s()
    answered_s = [clock.monotonic_s() for _ in range(int(24 * LONGEST_S)) if arrives()]  # a sixteenth each

    assert answered_s == [begun_s + LONGEST_S]


def test_a_flood_after_a_flood_is_answered_too() -> None:
    clock = SteppedClock()
    floods = Floods(clock=clock)
    for name in ("m1", "m2"):
        floods.note("a", name)
        assert floods.answers_for_all("a", name)
        clock.move(LONGEST_S)
