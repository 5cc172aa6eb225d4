import dataclasses
import itertools
import re
import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import MemoryLineApi
from shared.agent.prompt import PromptBuilder
from shared.conversation.history import History, IndexView
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.line.bot_name import BotName
from shared.locales.language_file import LOCALES

MOMO = BotName(account=MemoryLineApi(), configured="Momo")
TOKYO = PromptBuilder(bot_name=MOMO, time_zone=zoneinfo.ZoneInfo("Asia/Tokyo"))
NOON_MS = 1_763_694_000_000  # 2025-11-21 12:00 in Tokyo


def message(number: int, text: str, *, at_ms: int | None = None) -> MessageRecord:
    return MessageRecord(
        line_message_id=f"m{number}",
        webhook_event_id=f"e{number}",
        timestamp_ms=NOON_MS + number if at_ms is None else at_ms,
        type="text",
        addressed=True,
        text=text,
        user_id="U" + "7" * 32,
    )


def answer(number: int, text: str | None, kind: OutcomeKind = OutcomeKind.REPLIED) -> OutcomeRecord:
    return OutcomeRecord(
        webhook_event_id=f"e{number}", timestamp_ms=NOON_MS + number, kind=kind, covers=(f"m{number}",), text=text
    )


def test_the_system_instruction_says_when_to_reply_and_when_to_skip() -> None:
    instruction = PromptBuilder(bot_name=MOMO).system_instruction()

    assert "You are Momo" in instruction
    assert "Use `reply` when the person expects an answer" in instruction
    assert "Use `skip` when an answer would only be noise" in instruction
    assert "One reply is all there is" in instruction


def test_a_persona_replaces_the_first_section_only() -> None:
    mine = PromptBuilder(bot_name=MOMO, persona="You are {bot}, a cat.").system_instruction()
    plain = PromptBuilder(bot_name=MOMO).system_instruction()

    assert mine.startswith("# Who you are\nYou are Momo, a cat.\n")
    assert mine.split("# How you speak")[1] == plain.split("# How you speak")[1]


def test_contents_are_in_order_with_local_times_and_the_question_last() -> None:
    history = History(
        messages=(message(1, "私は田中です"), message(3, "名前は？")), outcomes=(answer(1, "はじめまして"),)
    )

    contents = TOKYO.contents(history, pending=(message(3, "名前は？"),), now_ms=NOON_MS + 60_000)

    assert [content.role for content in contents] == ["user", "model", "user"]
    assert contents[0].texts[1] == "[someone …7777 | 2025-11-21 12:00] 私は田中です"
    assert contents[1].texts == ("はじめまして",)
    assert contents[2].texts == (
        "[note] It is 2025-11-21 12:01 now. To be answered:",
        "[someone …7777 | 2025-11-21 12:00] 名前は？",
    )


@pytest.mark.parametrize(
    ("kind", "note"),
    [(OutcomeKind.UNKNOWN, "may not have arrived"), (OutcomeKind.UNDELIVERED, "did not reach anybody")],
)
def test_an_answer_that_may_be_lost_has_a_note(kind: OutcomeKind, note: str) -> None:
    history = History(messages=(message(1, "hi"),), outcomes=(answer(1, "hello", kind),))

    contents = TOKYO.contents(history, pending=(message(2, "?"),), now_ms=NOON_MS)

    assert note in contents[2].texts[0]


def test_a_skipped_turn_is_not_in_the_prompt() -> None:
    history = History(messages=(message(1, "thanks"),), outcomes=(answer(1, None, OutcomeKind.SKIPPED),))

    assert [content.role for content in TOKYO.contents(history, pending=(message(2, "hi"),), now_ms=NOON_MS)] == [
        "user"
    ]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.text(max_size=5)), max_size=8))
def test_roles_of_contents_alternate_and_end_with_the_user(steps: list[tuple[bool, int, str]]) -> None:
    history = History(
        messages=tuple(message(index, text, at_ms=at) for index, (said, at, text) in enumerate(steps) if said),
        outcomes=tuple(answer(index, text) for index, (said, _, text) in enumerate(steps) if not said),
    )

    roles = [content.role for content in TOKYO.contents(history, pending=(message(99, "now"),), now_ms=NOON_MS)]

    assert roles[0] == roles[-1] == "user"
    assert all(one != other for one, other in itertools.pairwise(roles))


def test_no_users_id_is_in_the_prompt() -> None:
    contents = TOKYO.contents(History(messages=(message(1, "hi"),)), pending=(message(2, "ho"),), now_ms=NOON_MS)

    assert "7" * 32 not in str(contents)


def test_the_index_comes_first_and_a_filed_entry_follows_its_answer() -> None:
    filed = dataclasses.replace(answer(1, "しまいました"), filed_entry_path="projects/庭.md")
    view = IndexView(text="# Index")
    history = History(messages=(message(1, "庭の工事"),), outcomes=(filed,), index=view)

    contents = TOKYO.contents(history, pending=(message(2, "?"),), now_ms=NOON_MS)

    assert contents[0].texts[0].startswith("[note] What was filed in this chat.")
    assert contents[0].texts[0].endswith("\n# Index")
    assert contents[2].texts[0] == "[note] Filed then: projects/庭.md"


def test_the_guide_of_a_toolset_stays_beside_a_persona() -> None:
    builder = PromptBuilder(bot_name=MOMO, persona="You are a cat.", guides=("# What you keep\nfiles",))

    instruction = builder.system_instruction()

    assert "\n\n# What you keep\nfiles\n\n# How you speak" in instruction


QUOTES = {
    "ja": ('引用メッセージ: "at ten"\n質問: where?', "引用メッセージ: 見つかりません\n質問: where?"),
    "en": ('Quoted message: "at ten"\nMessage: where?', "Quoted message: (it is not known any more)\nMessage: where?"),
    "zh-TW": ('引用訊息: "at ten"\n訊息: where?', "引用訊息: （已經找不到）\n訊息: where?"),
    "th": ('ข้อความที่อ้างถึง: "at ten"\nข้อความ: where?', "ข้อความที่อ้างถึง: (หาไม่พบแล้ว)\nข้อความ: where?"),
}


@pytest.mark.parametrize("locale", LOCALES)
def test_a_quote_is_introduced_in_the_language_of_the_locale(locale: str) -> None:
    known, unknown = QUOTES[locale]
    asking = [
        dataclasses.replace(message(number, "where?"), quoted_message_id=quoted)
        for number, quoted in [(2, "m1"), (3, "m0")]
    ]
    history = History(messages=(message(1, "at ten"), *asking))

    (content,) = PromptBuilder(bot_name=MOMO, locale=locale).contents(history, pending=asking, now_ms=NOON_MS)

    assert [re.sub(r"^\[.*?\] ", "", text) for text in content.texts[-2:]] == [known, unknown]
