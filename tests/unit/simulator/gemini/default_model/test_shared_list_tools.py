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
    for name in ("add_to_list", "show_list", "clear_list", "reply")
]


@pytest.mark.parametrize(
    ("said", "name", "args"),
    [
        ("パーティーリストに牛乳と卵", "add_to_list", {"list": "パーティー", "items": ["牛乳", "卵"]}),
        ("パーティーリストに牛乳を追加して", "add_to_list", {"list": "パーティー", "items": ["牛乳"]}),
        ("Add milk and eggs to the party list", "add_to_list", {"list": "party", "items": ["milk", "eggs"]}),
        ("パーティーリストを見せて", "show_list", {"list": "パーティー"}),
        ("show me the party list", "show_list", {"list": "party"}),
        ("Show the party list", "show_list", {"list": "party"}),
        ("what is on our party list?", "show_list", {"list": "party"}),
        ("パーティーリストには何がある？", "show_list", {"list": "パーティー"}),
        ("パーティーリストの済みを消して", "clear_list", {"list": "パーティー"}),
        ("Clear the party list", "clear_list", {"list": "party"}),
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
    (part,) = default_model.answer(
        read(body("Clear the party list", tools=[{"functionDeclarations": TOOLS[-1:]}]))
    ).parts

    assert isinstance(part, CallPart)
    assert part.name == "reply"
