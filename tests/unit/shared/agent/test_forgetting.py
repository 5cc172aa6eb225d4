"""What a proposal to withdraw messages shows of them: enough to know which, too little to be the secret."""

import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.agent.forgetting import Forgetting, masked_beginning, proposal_text, without_secrets
from shared.conversation.records import MessageRecord


def message(text: str) -> MessageRecord:
    return MessageRecord(
        line_message_id="m",
        webhook_event_id="e",
        timestamp_ms=1_795_392_000_000,
        type="text",
        addressed=True,
        text=text,
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("my PIN is 4711", "my P…"),
        ("4711", "•…"),
        ("12", "…"),
        ("hunter2", "hu…"),
        ("暗証番号は4711です", "暗証番…"),
        ("รหัสคือ 4711", "รหัส…"),
        ("password:\nhunter2", "passw…"),
        ("0123456789 is the long number", "••••••••…"),
        ("a long story about nothing in particular, told twice", "a long s…"),
        ("👨🏻\u200d👩🏻\u200d👧🏻" * 3, "👨🏻\u200d👩🏻\u200d👧🏻…"),
    ],
)
def test_a_masked_beginning_is_a_third_at_most_and_has_no_digit(text: str, shown: str) -> None:
    assert masked_beginning(text) == shown


@given(st.text(max_size=60))
def test_most_of_a_text_stays_hidden(text: str) -> None:
    shown = masked_beginning(text).removesuffix("…")

    assert not any(one.isdigit() and one.isdecimal() for one in shown)
    assert len(shown) <= max(len(text) // 3 * 4, 160)


def test_a_list_has_time_and_beginning_and_nothing_else() -> None:
    tokyo = zoneinfo.ZoneInfo("Asia/Tokyo")

    assert proposal_text([message("my PIN is 4711"), message("hi there")], tokyo) == (
        "1. 2026-11-23 09:00 my P…\n2. 2026-11-23 09:00 hi…"
    )


@pytest.mark.parametrize(
    ("words", "masked"),
    [
        ("I will forget 4711.", "I will forget •••."),
        ("暗証番号4711のことですね", "暗証番号•••のことですね"),
        ("“my PIN is 4711” goes", "“my P…” goes"),
        ("These go when you press the button.", "These go when you press the button."),
        ("47 of them", "47 of them"),
    ],
)
def test_the_models_words_lose_numbers_codes_and_whole_messages(words: str, masked: str) -> None:
    assert without_secrets(words, [message("my PIN is 4711")]) == masked


def test_a_code_of_letters_and_digits_is_masked_whole() -> None:
    assert (
        without_secrets("hunter2 and yuki@example.com1", [message("password hunter2")]) == "••• and yuki@example.com1"
    )


def test_a_tool_that_outlasts_its_turn_proposes_nothing_that_the_answer_does_not_list() -> None:
    forgetting = Forgetting()
    assert forgetting.propose([message("my PIN is 4711")]) == {"m"}
    forgetting.close()

    assert forgetting.propose([message("my PIN is 4711")]) == frozenset()
    assert [one.text for one in forgetting.proposed] == ["my PIN is 4711"]
