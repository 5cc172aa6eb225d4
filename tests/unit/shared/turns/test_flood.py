from collections.abc import Callable

from shared.adapters.memory import FixedClock
from shared.turns.flood import A_MINUTE, QUIET_S, Floods


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

    assert [floods.note("a") for _ in range(A_MINUTE + 2)] == [*[False] * A_MINUTE, True, True]
    assert not floods.note("b")


def test_messages_that_come_more_slowly_are_no_flood() -> None:
    clock = FixedClock()
    floods = Floods(clock=clock)

    for _ in range(3 * A_MINUTE):
        assert not floods.note("a")
        clock.move(60 / A_MINUTE)


def test_one_message_waits_until_the_flood_has_ended() -> None:
    clock = SteppedClock()
    floods = Floods(clock=clock)
    floods.note("a")
    begun_s = clock.monotonic_s()

    assert floods.answers_for_all("a")
    assert clock.monotonic_s() - begun_s == QUIET_S


def test_a_message_whose_flood_is_forgotten_waits_for_nothing() -> None:
    clock = SteppedClock()
    clock.move(3_600)

    assert Floods(clock=clock).answers_for_all("a")
    assert clock.monotonic_s() == 3_600


def test_others_do_not_wait_and_prolong_the_flood() -> None:
    clock = SteppedClock()
    floods = Floods(clock=clock)
    floods.note("a")
    answered: list[bool] = []

    def arrive() -> None:
        if len(answered) < 10:
            floods.note("a")
            answered.append(floods.answers_for_all("a"))

    clock.meanwhile = arrive

    assert floods.answers_for_all("a")
    assert answered == [False] * 10
    assert clock.monotonic_s() >= 5 + QUIET_S
    assert floods.answers_for_all("a")


def test_a_flood_that_does_not_end_is_answered_while_the_token_lives() -> None:
    clock = SteppedClock()
    floods = Floods(clock=clock)
    floods.note("a")
    begun_s = clock.monotonic_s()
    clock.meanwhile = lambda: floods.note("a")

    assert floods.answers_for_all("a")
    assert clock.monotonic_s() - begun_s <= 41
