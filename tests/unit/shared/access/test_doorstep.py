from shared.access.doorstep import CLOSED_S, TOLD_EVERY_S, WRONG_CODES, Doorstep
from shared.adapters.memory import FixedClock


def test_a_chat_is_told_once_an_hour() -> None:
    clock = FixedClock()
    doorstep = Doorstep(clock=clock)

    assert [doorstep.may_tell("a") for _ in range(3)] == [True, False, False]
    assert doorstep.may_tell("b")
    clock.move(TOLD_EVERY_S)
    assert doorstep.may_tell("a")


def test_five_wrong_codes_close_the_door_for_a_day() -> None:
    clock = FixedClock()
    doorstep = Doorstep(clock=clock)
    for number in range(WRONG_CODES):
        assert not doorstep.is_closed_to("a")
        doorstep.note_wrong_code("a", f"event-{number}")

    assert doorstep.is_closed_to("a")
    assert not doorstep.is_closed_to("b")
    clock.move(CLOSED_S)
    assert not doorstep.is_closed_to("a")


def test_a_redelivered_wrong_code_counts_once() -> None:
    doorstep = Doorstep(clock=FixedClock())
    for _ in range(2 * WRONG_CODES):
        doorstep.note_wrong_code("a", "event")

    assert not doorstep.is_closed_to("a")


def test_wrong_codes_of_another_day_do_not_count() -> None:
    clock = FixedClock()
    doorstep = Doorstep(clock=clock)
    for number in range(WRONG_CODES - 1):
        doorstep.note_wrong_code("a", f"event-{number}")
    clock.move(CLOSED_S)

    doorstep.note_wrong_code("a", "late")

    assert not doorstep.is_closed_to("a")
