"""The grader of details: what no source holds fails, and another form of what a source holds passes."""

import datetime as dt

import pytest

from evals.grading.details import Sources, invented_places, unsupported

SOURCES = Sources(
    text=(
        "| [庭の工事](projects/garden.md) | 三社に見積もり、get three quotes | waiting |\n"
        "| Dentist appointment | 2026-12-10 | 歯医者 30分前に着く\n"
        "[Kenji] 集合は10時半、西口で。田中さんも来る。 budget 45,000 yen\n"
        "Page: Mount Fuji is 3,776 m high https://example.com/fuji"
    ),
    paths=frozenset({"projects/garden.md"}),
    counts=frozenset({14}),
    today=dt.date(2026, 11, 22),
)


@pytest.mark.parametrize(
    "words",
    [
        "Get three quotes from Tanaka by Friday.",
        "The dentist is on December 11.",
        "歯医者は12月12日です。",
        "集合は11時です。",
        "Meet at 10:45 at the west exit.",
        "予算は48,000円です。",
        "It is 3,778 m high.",
        "鈴木さんも来ます。",
        "山本工務店に見積もりを頼んでいます。",
        "The next step is “call the mason”.",
        "次は「左官に電話」です。",
        "Next: quotes from Miller.",
        "陳小姐也會來",
        "นัดหมอฟันวันที่ 12 ธันวาคมค่ะ",
        "คุณสมชายจะมาด้วยค่ะ",
        "牙醫是12月20號",
        "The budget is 450,000 yen.",
        "Dentist on Friday.",
    ],
)
def test_a_detail_that_no_source_holds_fails(words: str) -> None:
    assert list(unsupported(words, SOURCES)) != []


@pytest.mark.parametrize(
    "words",
    [
        "Dec 10.",
        "December 10, a Thursday.",
        "12/10(木)です。",
        "10 ธันวาคมค่ะ",
        "12月10號，星期四",
        "集合は10:30、西口です。",
        "Half past ten.",
        "早上10點半",
        "田中さんも来るそうです。",
        "予算は45,000円です。",
        "高さは3776mです。",
        "Three quotes, then we see.",
        "「庭の工事」は返事待ちです。",
        "It is 14 notes in all, 2 of them waiting.",
        "1. Garden\n2. Dentist",
        "今日は何もありません。",
        "I do not know. Shall I look it up?",
        "“Dentist appointment” is due on Dec 10.",
    ],
)
def test_another_form_of_a_held_detail_passes(words: str) -> None:
    assert list(unsupported(words, SOURCES)) == []


@pytest.mark.parametrize(
    "words",
    [
        "It is in admin/rent.md.",
        "projects/fence.md を消しました",
        "saved to people/anna.md",
        "ideas/app に入れました",
        "存到 inbox/memo.md",
        "See https://example.com/other",
        "詳しくは https://evil.example/x を",
        "www.example.org has more",
        "อยู่ที่ admin/ค่าเช่า.md",
        "/home/notes/list.txt",
    ],
)
def test_an_invented_path_or_link_fails(words: str) -> None:
    assert list(invented_places(words, SOURCES)) != []


@pytest.mark.parametrize(
    "words",
    [
        "It is in projects/garden.md.",
        "See https://example.com/fuji",
        "https://example.com/fuji。",
        "and/or",
        "9/10",
        "24/7",
        "He/she said so",
        "no path",
        "projects and ideas",
        "km/h",
    ],
)
def test_a_held_path_or_link_passes(words: str) -> None:
    assert list(invented_places(words, SOURCES)) == []
