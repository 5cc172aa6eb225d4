from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini.answers import CallPart
from simulator.gemini.default_model import model as default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

NOTE = "[note] This is a 1:1 chat. It is Sun 2026-11-22 10:00 (Asia/Tokyo, UTC+09:00). To be answered:"
SCHEMA = {"type": "object", "properties": {"url": {"type": "string"}, "message": {"type": "string"}}}
TOOLS = [
    {
        "functionDeclarations": [
            {"name": name, "parametersJsonSchema": SCHEMA} for name in ("read_link", "watch_video", "reply")
        ]
    }
]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("https://a.example/x を要約して", "read_link"),
        ("read https://a.example/x", "read_link"),
        ("watch https://youtu.be/9hE5-98ZeCg", "watch_video"),
        ("https://www.youtube.com/watch?v=9hE5-98ZeCg を見て", "watch_video"),
        ("https://youtu.be/9hE5-98ZeCg", "reply"),
        ("https://a.example/x", "reply"),
        ("read the news", "reply"),
        ("https://read.example/x", "reply"),
    ],
)
def test_a_link_is_read_when_somebody_asks_for_it(
    words: str, name: str, body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    (part,) = default_model.answer(read(body(NOTE, words, tools=TOOLS))).parts

    assert isinstance(part, CallPart)
    assert part.name == name
    assert name != "read_link" or part.args["url"] == "https://a.example/x"
