"""The examples of `/help` and of the greeting: the stand-in carries each out, in every language, and answers in the language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest

from shared.line.phrases import Phrase, phrase
from shared.locales import LOCALES
from simulator.gemini.answers import CallPart
from simulator.gemini.default_model import model as default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

NOW: Final = "[note] It is Fri 2026-11-27 10:00 here."
REMIND, FILE, LIST, RECALL = "create_reminder", "classify_and_capture", "list_entries", "recall"
TOOLS: Final = [
    {"functionDeclarations": [{"name": name, "parametersJsonSchema": {"type": "object"}} for name in names]}
    for names in [(REMIND, FILE, LIST, RECALL, "search_entries", "reply")]
]
EXAMPLES: Final = {
    Phrase.EXAMPLE_REMINDER: REMIND,
    Phrase.EXAMPLE_NOTE: FILE,
    Phrase.EXAMPLE_LIST: LIST,
    Phrase.EXAMPLE_DECIDED: RECALL,
    Phrase.EXAMPLE_MEETING: REMIND,
    Phrase.EXAMPLE_PAYER: FILE,
}
THAI, CHINESE = "[\u0e01-\u0e5b]", "[你的說有麼]"


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_stand_in_carries_out_each_example(
    locale: str, example: Phrase, body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    sentence = phrase(example, locale=locale, bot_name="")

    (part,) = default_model.answer(read(body(NOW, sentence, tools=TOOLS))).parts

    assert isinstance(part, CallPart)
    assert part.name == EXAMPLES[example]


@pytest.mark.parametrize(
    ("said", "args"),
    [
        ("明天9點提醒我吃藥", {"text": "吃藥", "at": "2026-11-28T09:00"}),
        ("提醒我明天早上9點吃藥", {"text": "吃藥", "at": "2026-11-28T09:00"}),
        ("พรุ่งนี้ 9 โมงช่วยเตือนผมให้กินยา", {"text": "กินยา", "at": "2026-11-28T09:00"}),
        ("星期五18點提醒大家集合", {"text": "集合", "at": "2026-11-27T18:00"}),
        ("9 โมงเตือนกินยา", {"text": "กินยา", "at": "2026-11-28T09:00"}),
        ("วันศุกร์ 18:00 เตือนนัดเจอ", {"text": "นัดเจอ", "at": "2026-11-27T18:00"}),
        ("พรุ่งนี้ 9:30 น. เตือนกินยา", {"text": "กินยา", "at": "2026-11-28T09:30"}),
        ("Remind us Fri 18:00: meet", {"text": "meet", "at": "2026-11-27T18:00"}),
    ],
)
def test_an_example_names_the_hour_of_its_reminder(
    said: str,
    args: dict[str, str],
    body: Callable[..., dict[str, Any]],
    read: Callable[..., GenerateContentRequest],
) -> None:
    (part,) = default_model.answer(read(body(NOW, said, tools=TOOLS))).parts

    assert isinstance(part, CallPart)
    assert part.args == args


@pytest.mark.parametrize(
    ("said", "script"),
    [("你好嗎", CHINESE), ("我們決定了什麼？", CHINESE), ("สวัสดีค่ะ", THAI), ("เราตกลงอะไรกัน", THAI)],
)
def test_chinese_and_thai_are_answered_in_their_language(
    said: str, script: str, ask: Callable[..., tuple[str, str]]
) -> None:
    kind, text = ask(NOW, said)

    assert kind == "reply"
    assert re.search(script, text)


@pytest.mark.parametrize("said", ["明日の天気予報", "東京都内", "給料明細", "個人記録"])
def test_japanese_in_han_characters_stays_japanese(said: str, ask: Callable[..., tuple[str, str]]) -> None:
    assert "ですね" in ask(NOW, said)[1]
