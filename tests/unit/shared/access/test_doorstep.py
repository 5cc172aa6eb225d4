import pytest

from shared.access.doorstep import CLOSED_S, TOLD_EVERY_S, WRONG_CODES, Doorstep
from shared.adapters.memory import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    """The clock of an instance that has been up for some days."""
    clock = FixedClock()
    clock.move(3 * CLOSED_S)
    return clock


@pytest.fixture
def doorstep(clock: FixedClock) -> Doorstep:
    return Doorstep(clock=clock)


def test_a_chat_is_told_once_an_hour(doorstep: Doorstep, clock: FixedClock) -> None:
    assert [doorstep.may_tell("a") for _ in range(3)] == [True, False, False]
    assert doorstep.may_tell("b")
    clock.move(TOLD_EVERY_S)
    assert doorstep.may_tell("a")


def test_five_wrong_codes_close_the_door_for_a_day(doorstep: Doorstep, clock: FixedClock) -> None:
    for number in range(WRONG_CODES):
        assert not doorstep.is_closed_to("a")
        doorstep.note_wrong_code("a", f"event-{number}")

    assert doorstep.is_closed_to("a")
    assert not doorstep.is_closed_to("b")
    clock.move(CLOSED_S)
    assert not doorstep.is_closed_to("a")


@pytest.mark.parametrize(("event_id", "is_closed"), [("event-0", False), ("another event", True)])
def test_the_day_begins_with_the_last_wrong_code(
    doorstep: Doorstep, clock: FixedClock, event_id: str, *, is_closed: bool
) -> None:
    for number in range(WRONG_CODES):
        doorstep.note_wrong_code("a", f"event-{number}")
    clock.move(CLOSED_S / 2)

    doorstep.note_wrong_code("a", event_id)

    clock.move(CLOSED_S / 2)
    assert doorstep.is_closed_to("a") == is_closed


def test_a_redelivered_wrong_code_counts_once(doorstep: Doorstep) -> None:
    for _ in range(2 * WRONG_CODES):
        doorstep.note_wrong_code("a", "event")

    assert not doorstep.is_closed_to("a")


def test_wrong_codes_of_another_day_do_not_count(doorstep: Doorstep, clock: FixedClock) -> None:
    for number in range(WRONG_CODES - 1):
        doorstep.note_wrong_code("a", f"event-{number}")
    clock.move(CLOSED_S)

    doorstep.note_wrong_code("a", "late")

    assert not doorstep.is_closed_to("a")
