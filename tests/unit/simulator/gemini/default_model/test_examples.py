"""The sentences that the page of the local stack offers to tap: the stand-in understands each, in both languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import simulator.panels.stack_panel as panel
from simulator.gemini.answers import CallPart
from simulator.gemini.default_model import model as default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

EXAMPLES: Final[list[dict[str, Any]]] = json.loads(
    (Path(panel.__file__).parent / "static" / "examples.json").read_text(encoding="utf-8")
)
SENTENCES: Final = [
    (sentence["tool"], sentence[lang]) for group in EXAMPLES for sentence in group["sentences"] for lang in ("ja", "en")
]
TOOLS: Final = sorted({tool for tool, _ in SENTENCES} | {"update_entry", "update_page", "cancel_reminder"})
NOTE: Final = "[note] This is a 1:1 chat. It is Sun 2026-11-22 10:00 (Asia/Tokyo, UTC+09:00). To be answered:"
DATABASES: Final = {"type": "string", "enum": ["shopping_list", "todo_list"]}


@pytest.mark.parametrize(("tool", "sentence"), SENTENCES)
def test_the_stand_in_carries_out_every_example(
    tool: str,
    sentence: str,
    body: Callable[..., dict[str, Any]],
    read: Callable[..., GenerateContentRequest],
) -> None:
    schema = {"type": "object", "properties": {"database_name": DATABASES}}
    declared = [{"name": name, "parametersJsonSchema": schema} for name in (*TOOLS, "reply")]
    asked = body(NOTE, sentence, tools=[{"functionDeclarations": declared}])

    (part,) = default_model.answer(read(asked)).parts

    assert isinstance(part, CallPart)
    assert part.name == tool


def test_there_are_examples_for_each_ability_in_both_languages() -> None:
    assert len(EXAMPLES) >= 7
    for group in EXAMPLES:
        assert group["ability"]["ja"] != group["ability"]["en"]
        assert all(one["ja"] != one["en"] for one in group["sentences"])
