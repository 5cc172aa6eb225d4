from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini.answers import CallPart
from simulator.gemini.default_model import model as default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

QUERY = {"type": "object", "properties": {"query": {"type": "string"}}}
TOOLS: list[dict[str, Any]] = [
    {"name": "recall", "parametersJsonSchema": QUERY},
    {"name": "forget_messages", "parametersJsonSchema": QUERY},
    {"name": "reply", "parametersJsonSchema": {"type": "object", "properties": {"message": {"type": "string"}}}},
]


@pytest.fixture
def answers(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> Callable[..., tuple[str, dict[str, Any]]]:
    """Return the function that the model calls for these contents, and its arguments."""

    def answers(*said: Any) -> tuple[str, dict[str, Any]]:  # noqa: ANN401 - texts, or whole contents
        answer = default_model.answer(read(body(*said, tools=[{"functionDeclarations": TOOLS}])))
        (part,) = answer.parts
        assert isinstance(part, CallPart)
        return part.name, dict(part.args)

    return answers


@pytest.mark.parametrize(
    ("said", "name", "args"),
    [
        ("What did we decide about the hotel?", "recall", {"query": "hotel"}),
        ("ホテルについて何て言ってた？", "recall", {"query": "ホテル"}),
        ("what did I miss?", "recall", {}),
        ("何の話してた？", "recall", {}),
        ("Forget what I said about the PIN.", "forget_messages", {"query": "PIN"}),
        ("暗証番号について言ったことを忘れて", "forget_messages", {"query": "暗証番号"}),
    ],
)
def test_a_sentence_becomes_a_call(
    said: str, name: str, args: dict[str, str], answers: Callable[..., tuple[str, dict[str, Any]]]
) -> None:
    assert answers(said) == (name, args)


def test_a_catch_up_repeats_the_newest_lines(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    request = body("/catchup", tools=[{"functionDeclarations": TOOLS}])
    lines = [f"[Kenji | 2026-11-21 12:{minute:02}] line {minute}" for minute in range(9)]
    parts = [{"text": text} for text in ("[note] Somebody asks by /catchup what they missed since then. More.", *lines)]
    request["contents"].append({"role": "user", "parts": parts})

    (part,) = default_model.answer(read(request)).parts

    assert isinstance(part, CallPart)
    said = str(part.args["message"])
    assert said.startswith("What was said since 2026-11-21 12:00:\nKenji (2026-11-21 12:04): line 4")
    assert said.endswith("line 8")
