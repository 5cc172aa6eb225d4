"""The settle window: how long a message waits for what follows at once."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.turns.settle_window import IMAGE_SET_S, SettleWindow
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
def window(clock: ArrivingClock) -> SettleWindow:
    return SettleWindow(seconds=2, reader=reader(), clock=clock)


def image(number: int, *, of: int, image_set_id: str = "set-1") -> MessageRecord:
    return replace(message(number), type="image", image_set_id=image_set_id, image_set_size=of)


def test_a_message_waits_a_moment(chat: Conversation, clock: ArrivingClock, window: SettleWindow) -> None:
    window.wait(chat, message(1))

    assert clock.monotonic_s() == 2


def test_a_press_does_not_wait(chat: Conversation, clock: ArrivingClock, window: SettleWindow) -> None:
    window.wait(chat, replace(message(1), presses="e1"))

    assert clock.monotonic_s() == 0


def test_an_image_waits_for_its_set_and_no_longer(
    chat: Conversation, clock: ArrivingClock, window: SettleWindow
) -> None:
    others = (image(2, of=3), image(9, of=3, image_set_id="set-2"), image(3, of=3))
    clock.arrivals = [lambda one=one: chat.journal.keep(one) for one in others]  # type: ignore[misc]
    chat.journal.keep(image(1, of=3))

    window.wait(chat, image(1, of=3))

    assert clock.monotonic_s() == 3  # the moment, and a look every half second


def test_an_image_of_an_incomplete_set_waits_for_six_seconds(
    chat: Conversation, clock: ArrivingClock, window: SettleWindow
) -> None:
    clock.arrivals = [lambda: None, lambda: clock.move(0.3)]
    chat.journal.keep(image(1, of=2))

    window.wait(chat, image(1, of=2))

    assert clock.monotonic_s() == pytest.approx(2 + IMAGE_SET_S)


def test_a_single_image_waits_for_no_other(chat: Conversation, clock: ArrivingClock, window: SettleWindow) -> None:
    window.wait(chat, image(1, of=1))

    assert clock.monotonic_s() == 2
