from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini.answers import CallPart
from simulator.gemini.default_model import model as default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

TOOLS = [{"name": name, "parametersJsonSchema": {"type": "object"}} for name in ("propose_translation", "reply")]


@pytest.mark.parametrize(
    ("said", "args"),
    [
        ("このグループは日本語とタイ語で", {"change": "begin", "languages": ["ja", "th"]}),
        ("Translate Thai and English here", {"change": "begin", "languages": ["th", "en"]}),
        ("訳さないで\uff1aMomo", {"change": "keep_word", "word": "Momo"}),
        ("Do not translate: Momo", {"change": "keep_word", "word": "Momo"}),
        ("翻訳をやめて", {"change": "end"}),
        ("Stop translating.", {"change": "end"}),
    ],
)
def test_a_sentence_becomes_a_call(
    said: str, args: dict[str, object], body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    (part,) = default_model.answer(read(body(said, tools=[{"functionDeclarations": TOOLS}]))).parts

    assert isinstance(part, CallPart)
    assert (part.name, dict(part.args)) == ("propose_translation", args)


def test_without_the_tool_a_sentence_is_answered_in_words(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    asked = body("このグループは日本語とタイ語で", tools=[{"functionDeclarations": TOOLS[-1:]}])
    (part,) = default_model.answer(read(asked)).parts

    assert isinstance(part, CallPart)
    assert part.name == "reply"
