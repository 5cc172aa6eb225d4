"""A press whose reply token dies before the chat's turn is free changes nothing, and the chat's next answer says so, once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.line.phrases import Phrase
from tests.support.late_presses import presses_late
from tests.support.phrases import english, japanese
from tests.support.tainted_chat import REPLY, TaintedChat
from tests.unit.shared.handlers.test_press_table import BUTTONS


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


def _times_told(chat: TaintedChat) -> int:
    text = str(chat.worker.outcome(chat.person.asks("hello", REPLY))["text"])
    return sum(text.count(late) for late in (japanese(Phrase.LIST_PRESS_LATE), english(Phrase.LIST_PRESS_LATE)))


@pytest.mark.parametrize("button", ["tick", "listed reminder", "postpone a listed reminder"])
def test_a_late_press_of_a_list_is_told_of_once_and_can_be_pressed_again(pool: ThreadPoolExecutor, button: str) -> None:
    chat = TaintedChat(pool, is_in_group=True)
    shown = BUTTONS[button](chat)
    for _ in range(2):
        presses_late(chat.person, shown.data)

    assert [_times_told(chat), _times_told(chat)] == [1, 0]

    pressed = chat.person.presses(shown.data)
    (receipt,) = chat.worker.line.replied[pressed["replyToken"]]
    assert receipt.text is not None
    assert receipt.text.startswith("✓ ")


@pytest.mark.parametrize("button", ["tick", "listed reminder", "postpone a listed reminder"])
def test_a_late_press_of_what_was_carried_out_before_is_not_told_of(pool: ThreadPoolExecutor, button: str) -> None:
    chat = TaintedChat(pool, is_in_group=True)
    shown = BUTTONS[button](chat)
    chat.person.presses(shown.data)
    presses_late(chat.person, shown.data)

    assert _times_told(chat) == 0
