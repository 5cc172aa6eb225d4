"""The default model in a chat: greetings, acknowledgements, facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("hello", "Hello! What can I do for you?"),
        ("Good morning!", "Good morning! I hope your day starts well."),
        ("hey there", "Hello! What can I do for you?"),
        ("こんにちは", "こんにちは！何かお手伝いできることはありますか？"),
        ("おはよう！", "おはようございます！今日もよろしくお願いします。"),
        ("hello there, ケン", "Hello! What can I do for you?"),
        ("こんにちはBenです", "こんにちは！何かお手伝いできることはありますか？"),
    ],
)
def test_a_greeting_is_answered_in_its_language(ask: Callable[..., tuple[str, str]], said: str, answer: str) -> None:
    assert ask(said) == ("reply", answer)


@pytest.mark.parametrize(
    "header",
    [
        "[2026-11-21 22:46]\n",
        "[Yuki | 22:46]\n",
        "[Yuki | 2026-11-21 22:46 JST] ",
        "[Yuki]\n",
        "[22:46] @Aizuchi ",
    ],
)
def test_a_header_is_not_part_of_the_words(ask: Callable[..., tuple[str, str]], header: str) -> None:
    assert ask(header + "I lost my keys") == ("reply", "I see: “I lost my keys”. Tell me more if you like.")


def test_a_note_is_no_message_of_a_person(ask: Callable[..., tuple[str, str]]) -> None:
    notes = ("[note] The conversation so far.", "[22:40] I lost my keys", "[note] It is 22:46 now.\nTo be answered:")

    assert ask(*notes, "[22:46] what did I say?") == ("reply", "You said: “I lost my keys”.")
    assert ask("[note] It is 22:46 now.") == ("skip", "There is no message.")


def test_brackets_after_the_header_are_words(ask: Callable[..., tuple[str, str]]) -> None:
    assert "[urgent] call me" in ask("[22:46] [urgent] call me")[1]


@pytest.mark.parametrize(
    "said",
    ["thanks", "Thank you!", "ok", "OK, got it. Thanks", "👍", "😊😊", "ありがとう", "ありがとうございます！",
     "了解です！ありがとう😊", "はい。", "わかりました", "[Yuki | 22:46]\n👍"],
)  # fmt: skip
def test_a_bare_acknowledgement_needs_no_answer(ask: Callable[..., tuple[str, str]], said: str) -> None:
    assert ask(said) == ("skip", "The message only acknowledges.")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("ありがとう！", "どういたしまして。"),
        ("OK, thanks", "You're welcome."),
        ("了解です", "The message only acknowledges."),
    ],
)
def test_thanks_in_a_direct_chat_get_a_short_answer(
    ask: Callable[..., tuple[str, str]], said: str, answer: str
) -> None:
    assert ask("[note] This is a 1:1 chat. It is 22:46 now.\nTo be answered:", f"[22:46] {said}")[1] == answer
    assert ask("[note] This is a group chat: all read it.\nTo be answered:", f"[22:46] {said}")[0] == "skip"


@pytest.mark.parametrize("word", ["了解", "ok ", "ありがとう", "!", "? ", "👍"])
def test_a_thousand_acknowledgements_are_matched_quickly(ask: Callable[..., tuple[str, str]], word: str) -> None:
    assert ask(word * 1000 + "x")[0] == "reply"


@pytest.mark.parametrize("said", ["ok?", "thanks, but where is it?", "はいじゃない", "okra is tasty"])
def test_more_than_an_acknowledgement_is_answered(ask: Callable[..., tuple[str, str]], said: str) -> None:
    assert ask(said)[0] == "reply"


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("My name is Yuki.", "what is my name?", "Your name is Yuki."),
        (
            "My favorite color is green, and I like tea",
            "what's my favorite color?",
            "Your favorite color is green.",
        ),
        ("私の名前は田中です", "私の名前は？", "名前は田中ですね。"),
        ("名前は花子だよ", "私の名前は何ですか？", "名前は花子ですね。"),
        ("やあ。好きな色は緑です。よろしく", "好きな色は？", "好きな色は緑ですね。"),
    ],
)
def test_a_stated_fact_is_recalled(ask: Callable[..., tuple[str, str]], told: str, asked: str, answer: str) -> None:
    assert ask(told, "model:I see.", asked) == ("reply", answer)


def test_the_latest_statement_counts(ask: Callable[..., tuple[str, str]]) -> None:
    assert ask("my name is Yuki", "my name is Aoi", "what is my name?") == ("reply", "Your name is Aoi.")


def test_in_a_group_facts_belong_to_their_speaker(ask: Callable[..., tuple[str, str]]) -> None:
    told = ("[Yuki | 22:40]\nmy dog is Rex", "[Ken | 22:41]\nmy dog is Bo")

    assert ask(*told, "[Yuki | 22:46]\nwhat is my dog?") == ("reply", "Your dog is Rex.")
    assert ask(*told, "[Ken | 22:46]\nwhat is my dog?") == ("reply", "Your dog is Bo.")


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("what is my name?", "You have not told me your name yet."),
        ("私の名前は？", "名前については、まだ伺っていません。"),
        ("what did I say?", "You have not told me anything yet."),
        (
            "how tall is Mount Fuji?",
            "You ask: “how tall is Mount Fuji?”. I am only a stand-in and cannot tell. /help shows what I can do.",
        ),
        (
            "明日は晴れますか？",
            "「明日は晴れますか？」ですか。シミュレーターなので、わかりません。できることは /help でご覧ください。",
        ),
    ],
)
def test_an_unknown_answer_is_admitted_and_names_the_help(
    ask: Callable[..., tuple[str, str]], asked: str, answer: str
) -> None:
    assert ask(asked) == ("reply", answer)


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("[22:40]\nI lost my keys", "[22:46]\nwhat did I just say?", "You said: “I lost my keys”."),
        ("鍵をなくした", "私はさっき何て言った？", "「鍵をなくした」とおっしゃいました。"),
    ],
)
def test_the_last_words_of_the_asker_are_repeated(
    ask: Callable[..., tuple[str, str]], told: str, asked: str, answer: str
) -> None:
    assert ask(told, "model:Oh.", asked, "model:You said it.", asked) == ("reply", answer)


@pytest.mark.parametrize(
    "asked",
    [
        "What can you do?",
        "Hello, what can you do?",
        "how do I use this",
        "help",
        "何ができますか？",
        "使い方を教えて",
        "你會做什麼？",
        "ทำอะไรได้บ้าง",
    ],
)
def test_who_asks_what_the_bot_can_do_is_told_and_led_to_the_help(
    ask: Callable[..., tuple[str, str]], asked: str
) -> None:
    name, text = ask(asked)

    assert name == "reply"
    assert "/help" in text
    assert f"“{asked}”" not in text
    assert f"「{asked}」" not in text
