from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini.answers import CallPart
from simulator.gemini.default_model import model as default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

NOTE = "[note] This is a 1:1 chat. It is Sun 2026-11-22 10:00 (Asia/Tokyo, UTC+09:00). To be answered:"
TOOLS: list[dict[str, Any]] = [
    *(
        {
            "name": f"{name}_reminder",
            "parametersJsonSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
        }
        for name in ("create", "change", "cancel")
    ),
    {
        "name": "list_reminders",
        "parametersJsonSchema": {"type": "object", "properties": {"limit": {"type": "integer"}}},
    },
    {"name": "reply", "parametersJsonSchema": {"type": "object", "properties": {"message": {"type": "string"}}}},
]


@pytest.fixture
def calls(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> Callable[..., tuple[str, dict[str, Any]]]:
    """Return the function that the model calls for a sentence, and its arguments."""

    def calls(said: str, *results: dict[str, Any], note: str = NOTE) -> tuple[str, dict[str, Any]]:
        asked = body(note, said, tools=[{"functionDeclarations": TOOLS}])
        for result in results:
            call = {"functionCall": {"name": result["name"], "args": {}}, "thoughtSignature": "c2lnbmF0dXJl"}
            asked["contents"] += [
                {"role": "model", "parts": [call]},
                {"role": "user", "parts": [{"functionResponse": result}]},
            ]
        (part,) = default_model.answer(read(asked)).parts
        assert isinstance(part, CallPart)
        return part.name, dict(part.args)

    return calls


@pytest.mark.parametrize(
    ("said", "digest"),
    [
        ("毎朝8時に昨日のまとめを送って", "chat"),
        ("Every day at 9 send us a summary of yesterday.", "chat"),
        ("毎朝8時に今日のまとめを送って", "daily"),
    ],
)
def test_in_a_group_a_summary_of_yesterday_is_one_of_the_chat(
    calls: Callable[..., tuple[str, dict[str, Any]]], said: str, digest: str
) -> None:
    _, in_group = calls(said, note=NOTE.replace("1:1 chat", "group chat"))
    _, alone = calls(said)

    assert in_group["digest"] == digest
    assert alone.get("digest") != "chat"


@pytest.mark.parametrize("said", ["まとめて、私だけに", "Sum up, for me alone!"])
def test_a_summary_for_one_person_is_asked_for_now_in_a_group(
    calls: Callable[..., tuple[str, dict[str, Any]]], said: str
) -> None:
    _, in_group = calls(said, note=NOTE.replace("1:1 chat", "group chat"))
    name, _ = calls(said)

    assert (in_group["at"], in_group["digest"], in_group["private"]) == ("2026-11-22T10:00", "chat", True)
    assert name == "reply"


@pytest.mark.parametrize(
    ("said", "args"),
    [
        ("明日の9時に薬って言って", {"text": "薬", "at": "2026-11-23T09:00"}),
        ("明日の朝9時15分に「薬」って言って。", {"text": "薬", "at": "2026-11-23T09:15"}),
        ("10分後にお湯って教えてください", {"text": "お湯", "at": "2026-11-22T10:10"}),
        ("2時間後に電話って知らせて", {"text": "電話", "at": "2026-11-22T12:00"}),
        ("毎日21時に日記って言って", {"text": "日記", "at": "2026-11-22T21:00", "rule": "FREQ=DAILY"}),
        (
            "毎朝8時に今日のまとめを送って",
            {"text": "今日のまとめ", "at": "2026-11-23T08:00", "rule": "FREQ=DAILY", "digest": "daily"},
        ),
        ("Remind me to call Sato tomorrow at 9:30", {"text": "call Sato", "at": "2026-11-23T09:30"}),
        ("Remind me tomorrow at 9: Pills", {"text": "Pills", "at": "2026-11-23T09:00"}),
        ("remind me tomorrow at 9 to call the dentist", {"text": "call the dentist", "at": "2026-11-23T09:00"}),
        ("Remind me to call the dentist at 9 tomorrow", {"text": "call the dentist", "at": "2026-11-23T09:00"}),
        ("remind us on Friday at 6pm about the report", {"text": "the report", "at": "2026-11-27T18:00"}),
        ("Remind me to stretch at 3pm!", {"text": "stretch", "at": "2026-11-22T15:00"}),
        ("remind me in 10 minutes to stir", {"text": "stir", "at": "2026-11-22T10:10"}),
        ("Every day at 15 remind me to stretch", {"text": "stretch", "at": "2026-11-22T15:00", "rule": "FREQ=DAILY"}),
        (
            "remind me every monday at 8am to take out the trash",
            {"text": "take out the trash", "at": "2026-11-23T08:00", "rule": "FREQ=WEEKLY;BYDAY=MO"},
        ),
        ("明日9時に歯医者に電話するようにリマインドして", {"text": "歯医者に電話する", "at": "2026-11-23T09:00"}),
        ("明日の9時に歯医者をリマインドしてください", {"text": "歯医者", "at": "2026-11-23T09:00"}),
        ("Remind me at 9: tea", {"text": "tea", "at": "2026-11-23T09:00"}),
        ("remind us Friday at 6pm: report", {"text": "report", "at": "2026-11-27T18:00"}),
        ("金曜の18時に集合って言って", {"text": "集合", "at": "2026-11-27T18:00"}),
        (
            "Every Friday at 6pm remind us of the report",
            {"text": "the report", "at": "2026-11-27T18:00", "rule": "FREQ=WEEKLY;BYDAY=FR"},
        ),
        (
            "毎週金曜の18時に報告って知らせて",
            {"text": "報告", "at": "2026-11-27T18:00", "rule": "FREQ=WEEKLY;BYDAY=FR"},
        ),
        (
            "毎月末の9時に家賃って言って",
            {"text": "家賃", "at": "2026-11-23T09:00", "rule": "FREQ=MONTHLY;BYMONTHDAY=-1"},
        ),
        (
            "毎月第2月曜の8時に資源ごみって言って",
            {"text": "資源ごみ", "at": "2026-11-23T08:00", "rule": "FREQ=MONTHLY;BYDAY=2MO"},
        ),
        (
            "毎月最終金曜日の17時に精算って知らせて",
            {"text": "精算", "at": "2026-11-22T17:00", "rule": "FREQ=MONTHLY;BYDAY=-1FR"},
        ),
        ("毎年3月3日の8時に誕生日って言って", {"text": "誕生日", "at": "2027-03-03T08:00", "rule": "FREQ=YEARLY"}),
        ("毎年12月1日の8時に検診って言って", {"text": "検診", "at": "2026-12-01T08:00", "rule": "FREQ=YEARLY"}),
        (
            "2週間ごとの火曜の7時に古紙って言って",
            {"text": "古紙", "at": "2026-11-24T07:00", "rule": "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"},
        ),
        (
            "毎日9時から12時まで1時間ごとに水って言って",
            {"text": "水", "at": "2026-11-23T09:00", "rule": "FREQ=DAILY;BYHOUR=9,10,11,12"},
        ),
        (
            "Every second Monday of the month at 8 remind us of the recycling",
            {"text": "the recycling", "at": "2026-11-23T08:00", "rule": "FREQ=MONTHLY;BYDAY=2MO"},
        ),
        (
            "Every month on the last day at 9 remind me to pay",
            {"text": "pay", "at": "2026-11-23T09:00", "rule": "FREQ=MONTHLY;BYMONTHDAY=-1"},
        ),
        (
            "Every 2 weeks on Tuesday at 7am remind me about the paper",
            {"text": "the paper", "at": "2026-11-24T07:00", "rule": "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"},
        ),
        (
            "Every hour from 11 to 13 remind us to drink",
            {"text": "drink", "at": "2026-11-22T11:00", "rule": "FREQ=DAILY;BYHOUR=11,12,13"},
        ),
        ("remind me about the oven in 10 minutes", {"text": "the oven", "at": "2026-11-22T10:10"}),
        ("remind me to stretch every day at 15", {"text": "stretch", "at": "2026-11-22T15:00", "rule": "FREQ=DAILY"}),
    ],
)
def test_a_sentence_becomes_a_reminder(
    said: str, args: dict[str, str], calls: Callable[..., tuple[str, dict[str, Any]]]
) -> None:
    assert calls(said) == ("create_reminder", args)


@pytest.mark.parametrize(
    "said",
    ["リマインダーを見せて", "リマインダーは？", "What reminders do I have?", "list my reminders", "what's due?"],
)
def test_reminders_are_listed(said: str, calls: Callable[..., tuple[str, dict[str, Any]]]) -> None:
    assert calls(said) == ("list_reminders", {})


@pytest.mark.parametrize("said", ["明日の99時に薬って言って", "明日の9時に薬", "毎年2月30日の9時に薬って言って"])
def test_what_names_no_hour_or_asks_for_nothing_becomes_none(
    said: str, calls: Callable[..., tuple[str, dict[str, Any]]]
) -> None:
    assert calls(said)[0] == "reply"


def test_without_the_time_nothing_is_resolved(calls: Callable[..., tuple[str, dict[str, Any]]]) -> None:
    assert calls("明日の9時に薬って言って", note="[note] hello")[0] == "reply"


def test_the_result_is_said_with_its_cost(calls: Callable[..., tuple[str, dict[str, Any]]]) -> None:
    made = {"id": "r1", "text": "薬", "next": "2026-11-23T09:00 Mon", "messages_each_time": 4}

    said = calls("明日の9時に薬って言って", {"name": "create_reminder", "response": {"output": made}})

    assert said == (
        "reply",
        {"message": "わかりました。時間になったら「薬」とお知らせします。グループなので、1回ごとに4通分になります。"},
    )


def test_a_reminder_is_cancelled_by_its_name(calls: Callable[..., tuple[str, dict[str, Any]]]) -> None:
    found = [{"id": "r1", "text": "水", "next": "2026-11-26T09:00 Thu"}, {"id": "r2", "text": "薬を飲む", "next": "x"}]
    listed = {"name": "list_reminders", "response": {"output": {"reminders": found, "total": 2}}}

    assert calls("薬のリマインダーを取り消して") == ("list_reminders", {})
    assert calls("薬のリマインダーを取り消して", listed) == ("cancel_reminder", {"id": "r2"})
    assert calls("cancel 水", listed) == calls("cancel my 水 reminder", listed) == ("cancel_reminder", {"id": "r1"})
    assert calls("本のリマインダーを取り消して", listed)[0] == "reply"
    assert calls("リマインダーを見せて", listed)[1] == {
        "message": "2件あります：水 (2026-11-26 09:00 Thu)、薬を飲む (x)"
    }
