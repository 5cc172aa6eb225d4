"""Image sets: how long an image waits for the others of its set."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.turns.image_sets import IMAGE_SET_S, ImageSets
from tests.support.chats import message, reader


class ArrivingClock(FixedClock):
    """Lets a message arrive at the end of each sleep."""

    arrivals: list[Callable[[], object]]

    def __init__(self) -> None:
        super().__init__()
        self.arrivals = []

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if self.arrivals:
            self.arrivals.pop(0)()


@pytest.fixture
def clock() -> ArrivingClock:
    return ArrivingClock()


@pytest.fixture
def sets(clock: ArrivingClock) -> ImageSets:
    return ImageSets(reader=reader(), clock=clock)


def image(number: int, *, of: int, image_set_id: str = "set-1") -> MessageRecord:
    return replace(message(number), type="image", image_set_id=image_set_id, image_set_size=of)


def test_a_message_does_not_wait(chat: Conversation, clock: ArrivingClock, sets: ImageSets) -> None:
    sets.wait(chat, message(1))

    assert clock.monotonic_s() == 0


def test_a_press_does_not_wait(chat: Conversation, clock: ArrivingClock, sets: ImageSets) -> None:
    sets.wait(chat, replace(message(1), presses="e1"))

    assert clock.monotonic_s() == 0


def test_an_image_waits_for_its_set_and_no_longer(chat: Conversation, clock: ArrivingClock, sets: ImageSets) -> None:
    others = (image(2, of=3), image(9, of=3, image_set_id="set-2"), image(3, of=3))
    clock.arrivals = [lambda image_message=image_message: chat.journal.keep(image_message) for image_message in others]  # type: ignore[misc]
    chat.journal.keep(image(1, of=3))

    sets.wait(chat, image(1, of=3))

    assert clock.monotonic_s() == 1.5  # a look every half second


def test_an_image_of_an_incomplete_set_waits_for_six_seconds(
    chat: Conversation, clock: ArrivingClock, sets: ImageSets
) -> None:
    clock.arrivals = [lambda: None, lambda: clock.move(0.3)]
    chat.journal.keep(image(1, of=2))

    sets.wait(chat, image(1, of=2))

    assert clock.monotonic_s() == pytest.approx(IMAGE_SET_S)


def test_a_single_image_waits_for_no_other(chat: Conversation, clock: ArrivingClock, sets: ImageSets) -> None:
    sets.wait(chat, image(1, of=1))

    assert clock.monotonic_s() == 0
