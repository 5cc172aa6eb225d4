"""Who presses a button of another member's reminder is answered in the own language; who has said nothing, in that of the reminder."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from tests.support.tainted_chat import TaintedChat
from tests.unit.shared.handlers.test_press_table import BUTTONS

KEN: Final = "U" + "2" * 32
THAI: Final = re.compile("[\u0e00-\u0e7f]")
OF_REMINDERS: Final = ("reminder", "snooze", "listed reminder", "postpone a listed reminder")


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.mark.parametrize("has_written_thai", [True, False])
@pytest.mark.parametrize("button", OF_REMINDERS)
def test_a_press_of_a_reminder_is_answered_in_the_language_of_who_presses(
    pool: ThreadPoolExecutor, button: str, *, has_written_thai: bool
) -> None:
    chat = TaintedChat(pool, is_in_group=True)
    shown = BUTTONS[button](chat)
    if has_written_thai:
        chat.person.sends(chat.events.text("พรุ่งนี้ไปกี่โมงกันดี", by=KEN))

    chat.person.sends(chat.events.event("postback", postback={"data": shown.data}, by=KEN))

    assert (THAI.search(chat.worker.said[-1]) is not None) is has_written_thai
