from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini.default_model import model as default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("category", "confidence", "name", "value")},
}


@pytest.mark.parametrize(
    ("thought", "told"),
    [
        ("the gate code is 4711", {"category": "details", "name": "gate code", "value": "4711"}),
        (
            "My wifi password at home is blue-fish-42",
            {"category": "details", "name": "wifi password at home", "value": "blue-fish-42"},
        ),
        ("鍵の暗証番号は0000です", {"category": "details", "name": "鍵の暗証番号", "value": "0000"}),
        ("鍵の暗証番号0000", {"category": "details", "name": "鍵の暗証番号0000", "value": "鍵の暗証番号0000"}),
        ("buy milk", {"category": "admin", "name": "buy milk"}),
        ("the fence is green", {"category": "ideas", "confidence": 0.4, "name": "the fence is green"}),
    ],
)
def test_a_thought_is_classified_by_its_typical_words(
    thought: str,
    told: dict[str, object],
    body: Callable[..., dict[str, Any]],
    read: Callable[..., GenerateContentRequest],
) -> None:
    asked = body(f"# Text\n{thought}", tools=[])
    asked["generationConfig"] = {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}

    (part,) = default_model.answer(read(asked)).parts

    assert isinstance(part, str)
    assert json.loads(part).items() >= told.items()
