"""A press whose thing is taken back between its reading and its writing, at any call of the bucket: it is answered, once."""

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final

import pytest

from shared.adapters.memory.scripted_model import calling
from tests.support.hooks import hook_port
from tests.support.pushed import nothing
from tests.support.tainted_chat import REPLY, TaintedChat
from tests.unit.shared.handlers.test_press_table import BUTTONS, Button


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


def _button(chat: TaintedChat, asked: dict[str, Any], number: int) -> Button:
    """Return a button of the card that came last after a message."""
    card = [one.card for one in chat.worker.line.replied[asked["replyToken"]] if one.card is not None][-1]
    buttons = [*(button for row in card.rows for button in row.buttons), *card.buttons]
    return Button(data=buttons[number].value, asked_id=asked["message"]["id"], shown_ms=asked["timestamp"])


def _votes(chat: TaintedChat) -> Button:
    polls = calling(("create_poll", {"question": "7?", "options": ["1", "2"]}))
    return _button(chat, chat.person.asks("a vote", polls, REPLY), 0)


def _lists(chat: TaintedChat, item: str) -> Button:
    """An item is put on a list, and the list is shown; return the last button of its card."""
    asked = chat.person.asks(item, calling(("add_to_list", {"list": "shop", "items": [item]})), REPLY)
    shown = chat.person.asks("what to buy?", calling(("show_list", {"list": "shop"})), REPLY)
    return replace(_button(chat, shown, -1), asked_id=asked["message"]["id"])


def _ticks_item(chat: TaintedChat) -> Button:
    return _lists(chat, "milk")


def _clears(chat: TaintedChat) -> Button:
    """An item of a list is ticked, and the card of the list offers to clear it."""
    milk = _lists(chat, "milk")
    chat.person.presses(milk.data)
    return replace(_lists(chat, "eggs"), asked_id=milk.asked_id)


def _revokes(chat: TaintedChat) -> Button:
    asked = chat.person.says("/hook new Backup")
    chat.person.presses(chat.person.newest_button)
    listed = chat.person.says("/hook")
    return replace(_button(chat, listed, 0), asked_id=asked["message"]["id"])


_OF_FEATURES: Final[dict[str, Callable[[TaintedChat], Button]]] = {
    **{
        name: BUTTONS[name]
        for name in (
            "carry out a proposal",
            "decline a proposal",
            "reminder",
            "snooze",
            "listed reminder",
            "postpone a listed reminder",
            "tick",
        )
    },
    "vote": _votes,
    "tick of a shared list": _ticks_item,
    "clear a shared list": _clears,
    "revoke a hook": _revokes,
}


def _is_answered(pool: ThreadPoolExecutor, button: str, *, before_call: int) -> bool:
    """Have the message behind a button unsent before a call of the bucket by its press; return whether the press made that call."""
    chat = TaintedChat(pool, is_in_group=True, has_polls=True, has_lists=True, hooks=hook_port())
    shown = _OF_FEATURES[button](chat)
    pressed = chat.events.event("postback", postback={"data": shown.data})
    calls = itertools.count()

    def takes_back(_: str, __: str) -> None:
        if next(calls) == before_call:
            chat.worker.store.before = nothing
            chat.worker.withdraw(chat.chat_id, str(shown.asked_id))

    chat.worker.store.before = takes_back
    assert chat.worker.deliver(pressed) == 204
    assert len(chat.worker.line.replied[pressed["replyToken"]]) == 1, f"unsent before call {before_call} of the bucket"
    return next(calls) > before_call


@pytest.mark.parametrize("button", _OF_FEATURES)
def test_a_press_is_answered_whose_thing_is_taken_back_at_any_moment(pool: ThreadPoolExecutor, button: str) -> None:
    moments = itertools.takewhile(lambda call: _is_answered(pool, button, before_call=call), itertools.count())
    assert len(list(moments)) > 1
