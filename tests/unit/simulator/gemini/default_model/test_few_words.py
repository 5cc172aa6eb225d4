from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini.answers import CallPart
from simulator.gemini.default_model import model as default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest


@pytest.mark.parametrize("name", ["add_expense", "settle", "create_poll", "create_meeting", "vote", "clear_list"])
@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ("投票を締め切って", "わかりました。"),
        ("Close the vote", "All right."),
        ("ปิดโหวต", "ได้เลย"),
        ("ฉันโหวตsushi", "ได้เลย"),
        ("夕食6000円、แนนは抜きで", "わかりました。"),
    ],
)
def test_a_call_whose_card_says_everything_ends_in_a_few_words(
    name: str,
    said: str,
    answered: str,
    body: Callable[..., dict[str, Any]],
    read: Callable[..., GenerateContentRequest],
) -> None:
    asked = body(said, tools=[{"functionDeclarations": [{"name": one} for one in (name, "reply")]}])
    asked["contents"] += [
        {"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {"output": {}}}}]},
    ]

    (part,) = default_model.answer(read(asked)).parts

    assert isinstance(part, CallPart)
    assert (part.name, part.args["message"]) == ("reply", answered)


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ("投票どうなってる", "受付中の投票はありません。"),
        ("How does the vote stand?", "No poll is open."),
        ("ผลโหวตเป็นไงบ้าง", "ไม่มีโพลที่เปิดอยู่"),
    ],
)
def test_where_no_poll_is_open_the_stand_in_says_so(
    said: str, answered: str, body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    asked = body(said, tools=[{"functionDeclarations": [{"name": one} for one in ("show_polls", "reply")]}])
    asked["contents"] += [
        {"role": "model", "parts": [{"functionCall": {"name": "show_polls", "args": {}}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "show_polls", "response": {"output": {"polls": []}}}}],
        },
    ]

    (part,) = default_model.answer(read(asked)).parts

    assert isinstance(part, CallPart)
    assert part.args["message"] == answered
