from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini.answers import CallPart
from simulator.gemini.default_model import model as default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

TOOLS = [
    {"name": name, "parametersJsonSchema": {"type": "object"}}
    for name in ("create_poll", "show_polls", "close_poll", "reply")
]


@pytest.mark.parametrize(
    ("said", "name", "args"),
    [
        ("カレーと寿司で投票", "create_poll", {"question": "どちらにしますか", "options": ["カレー", "寿司"]}),
        ("夕食はカレーか寿司で投票して", "create_poll", {"question": "夕食", "options": ["カレー", "寿司"]}),
        ("Vote: curry or sushi", "create_poll", {"question": "Which one?", "options": ["curry", "sushi"]}),
        ("Vote on dinner: curry or sushi", "create_poll", {"question": "dinner", "options": ["curry", "sushi"]}),
        ("投票どうなってる？", "show_polls", {}),
        ("How does the vote stand?", "show_polls", {}),
        ("投票を締め切って", "close_poll", {}),
        ("Close the vote.", "close_poll", {}),
    ],
)
def test_a_sentence_becomes_a_call(
    said: str,
    name: str,
    args: dict[str, object],
    body: Callable[..., dict[str, Any]],
    read: Callable[..., GenerateContentRequest],
) -> None:
    (part,) = default_model.answer(read(body(said, tools=[{"functionDeclarations": TOOLS}]))).parts

    assert isinstance(part, CallPart)
    assert (part.name, dict(part.args)) == (name, args)


def test_without_the_tools_a_sentence_is_answered_in_words(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    (part,) = default_model.answer(read(body("カレーと寿司で投票", tools=[{"functionDeclarations": TOOLS[-1:]}]))).parts

    assert isinstance(part, CallPart)
    assert part.name == "reply"
