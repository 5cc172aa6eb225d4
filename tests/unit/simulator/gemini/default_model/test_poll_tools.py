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
    for name in ("create_poll", "create_meeting", "vote", "show_polls", "close_poll", "call_off_meeting", "reply")
]
NOW = "[note] It is Fri 2026-11-27 10:00 here."


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
        (
            "明日の18時までにカレーと寿司で投票",
            "create_poll",
            {"question": "どちらにしますか", "options": ["カレー", "寿司"], "closes": "2026-11-28T18:00"},
        ),
        (
            "Vote until Monday at 6pm: curry or sushi",
            "create_poll",
            {"question": "Which one?", "options": ["curry", "sushi"], "closes": "2026-11-30T18:00"},
        ),
        ("โหวตมื้อเย็น: แกงกะหรี่หรือซูชิ", "create_poll", {"question": "มื้อเย็น", "options": ["แกงกะหรี่", "ซูชิ"]}),
        (
            "โหวตมื้อเย็น ถึงพรุ่งนี้ 18:00: แกงกะหรี่หรือซูชิ",
            "create_poll",
            {"question": "มื้อเย็น", "options": ["แกงกะหรี่", "ซูชิ"], "closes": "2026-11-28T18:00"},
        ),
        (
            "28日19時から渋谷で飲み会、8人まで、来る人？",
            "create_meeting",
            {"what": "飲み会", "at": "2026-11-28T19:00", "place": "渋谷", "capacity": 8},
        ),
        ("5日19時から飲み会、来る人は？", "create_meeting", {"what": "飲み会", "at": "2026-12-05T19:00"}),
        (
            "明日の20時から読書会、60分前にリマインド、来る人？",
            "create_meeting",
            {"what": "読書会", "at": "2026-11-28T20:00", "remind_minutes_before": 60},
        ),
        (
            "Dinner tomorrow at 19:00 in Shibuya, 8 people at most, remind us 60 minutes before: who is in?",
            "create_meeting",
            {
                "what": "Dinner",
                "at": "2026-11-28T19:00",
                "place": "Shibuya",
                "capacity": 8,
                "remind_minutes_before": 60,
            },
        ),
        ("Dinner on Monday at 7pm: who's in?", "create_meeting", {"what": "Dinner", "at": "2026-11-30T19:00"}),
        (
            "พรุ่งนี้ 19:00 กินข้าวที่สยาม รับ 8 คน ใครไปบ้าง",
            "create_meeting",
            {"what": "กินข้าว", "at": "2026-11-28T19:00", "place": "สยาม", "capacity": 8},
        ),
        (
            "วันนี้ 19:00 น. ดูหนัง เตือนก่อน 30 นาที ใครไปบ้าง",
            "create_meeting",
            {"what": "ดูหนัง", "at": "2026-11-27T19:00", "remind_minutes_before": 30},
        ),
        ("寿司に一票", "vote", {"option": "寿司"}),
        ("私は参加に投票", "vote", {"option": "参加"}),
        ("I vote for sushi!", "vote", {"option": "sushi"}),
        ("ฉันโหวตซูชิ", "vote", {"option": "ซูชิ"}),
        ("「夕食は？」は「寿司」で（ケン）", "vote", {"option": "寿司", "name": "ケン"}),
        ("“Dinner?”: “sushi” (Ken)", "vote", {"option": "sushi", "name": "Ken"}),
        ("“มื้อเย็น?” เลือก “ซูชิ” (เคน)", "vote", {"option": "ซูชิ", "name": "เคน"}),
        ("ผลโหวตเป็นยังไงบ้าง", "show_polls", {}),
        ("ปิดโหวต", "close_poll", {}),
        ("飲み会は中止になりました", "call_off_meeting", {}),
        ("The dinner is off.", "call_off_meeting", {}),
        ("Call off the dinner", "call_off_meeting", {}),
        ("ยกเลิกนัดกินข้าว", "call_off_meeting", {}),
    ],
)
def test_a_sentence_becomes_a_call(
    said: str,
    name: str,
    args: dict[str, object],
    body: Callable[..., dict[str, Any]],
    read: Callable[..., GenerateContentRequest],
) -> None:
    (part,) = default_model.answer(read(body(NOW, said, tools=[{"functionDeclarations": TOOLS}]))).parts

    assert isinstance(part, CallPart)
    assert (part.name, dict(part.args)) == (name, args)


def test_without_the_tools_a_sentence_is_answered_in_words(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    (part,) = default_model.answer(read(body("カレーと寿司で投票", tools=[{"functionDeclarations": TOOLS[-1:]}]))).parts

    assert isinstance(part, CallPart)
    assert part.name == "reply"


def test_of_several_open_polls_the_newest_is_closed(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    error = "Several are open: p0123456789 (夕食), pabcdef0123 (飲み会). Give the id of the one that is meant."
    asked = body("投票を締め切って", tools=[{"functionDeclarations": TOOLS}])
    asked["contents"] += [
        {"role": "model", "parts": [{"functionCall": {"name": "close_poll", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "close_poll", "response": {"error": error}}}]},
    ]

    (part,) = default_model.answer(read(asked)).parts

    assert part == CallPart(name="close_poll", args={"id": "pabcdef0123"})
