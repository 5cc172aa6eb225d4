import pytest

from shared.access.wrong_codes import CLOSED_S, WRONG_CODES, WrongCodes
from shared.adapters.memory import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    """The clock of an instance that has been up for some days."""
    clock = FixedClock()
    clock.move(3 * CLOSED_S)
    return clock


@pytest.fixture
def wrong_codes(clock: FixedClock) -> WrongCodes:
    return WrongCodes(clock=clock)


def test_five_wrong_codes_close_the_door_for_a_day(wrong_codes: WrongCodes, clock: FixedClock) -> None:
    for number in range(WRONG_CODES):
        assert not wrong_codes.are_too_many("a")
        wrong_codes.note("a", f"event-{number}")

    assert wrong_codes.are_too_many("a")
    assert not wrong_codes.are_too_many("b")
    clock.move(CLOSED_S)
    assert not wrong_codes.are_too_many("a")


@pytest.mark.parametrize(("event_id", "is_closed"), [("event-0", False), ("another event", True)])
def test_the_day_begins_with_the_last_wrong_code(
    wrong_codes: WrongCodes, clock: FixedClock, event_id: str, *, is_closed: bool
) -> None:
    for number in range(WRONG_CODES):
        wrong_codes.note("a", f"event-{number}")
    clock.move(CLOSED_S / 2)

    wrong_codes.note("a", event_id)

    clock.move(CLOSED_S / 2)
    assert wrong_codes.are_too_many("a") == is_closed


def test_a_redelivered_wrong_code_counts_once(wrong_codes: WrongCodes) -> None:
    for _ in range(2 * WRONG_CODES):
        wrong_codes.note("a", "event")

    assert not wrong_codes.are_too_many("a")


def test_wrong_codes_of_another_day_do_not_count(wrong_codes: WrongCodes, clock: FixedClock) -> None:
    for number in range(WRONG_CODES - 1):
        wrong_codes.note("a", f"event-{number}")
    clock.move(CLOSED_S)

    wrong_codes.note("a", "late")

    assert not wrong_codes.are_too_many("a")
