from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.gemini import brain
from simulator.gemini.answers import CallPart, Candidate
from simulator.gemini.wire import Content, FunctionDeclaration, GenerateContentRequest, Part

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def ask(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> Callable[..., tuple[str, str]]:
    """What the brain calls and with which text, after the given texts."""

    def ask(*texts: str, **changes: object) -> tuple[str, str]:
        answer = brain.answer(read(body(*texts, **changes)))
        (part,) = answer.parts
        if isinstance(part, str):
            return "text", part
        (value,) = part.args.values()
        return part.name, str(value)

    return ask


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("hello", "Hello! What can I do for you?"),
        ("Good morning!", "Good morning! I hope your day starts well."),
        ("hey there", "Hello! What can I do for you?"),
        ("こんにちは", "こんにちは！何かお手伝いできることはありますか？"),
        ("おはよう！", "おはようございます！今日もよろしくお願いします。"),
        ("こんばんは〜", "こんばんは！今日はどんな一日でしたか？"),
        ("你好", "你好！有什麼我可以幫忙的嗎？"),
        ("สวัสดีครับ", "สวัสดี! มีอะไรให้ช่วยไหม"),
        ("안녕하세요", "안녕하세요! 무엇을 도와드릴까요?"),
    ],
)
def test_a_greeting_is_returned_in_its_language(ask: Callable[..., tuple[str, str]], said: str, answer: str) -> None:
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


def test_a_note_is_nobodys_message(ask: Callable[..., tuple[str, str]]) -> None:
    notes = ("[note] The conversation so far.", "[22:40] I lost my keys", "[note] It is 22:46 now.\nTo be answered:")

    assert ask(*notes, "[22:46] what did I say?") == ("reply", "You said: “I lost my keys”.")
    assert ask("[note] It is 22:46 now.") == ("skip", "Nobody said anything.")


def test_brackets_behind_the_header_are_words(ask: Callable[..., tuple[str, str]]) -> None:
    assert "[urgent] call me" in ask("[22:46] [urgent] call me")[1]


@pytest.mark.parametrize(
    "said",
    ["thanks", "Thank you so much!", "ok", "OK, got it. Thanks a lot", "👍", "😊😊", "ありがとう", "ありがとうございます！",
     "了解です！ありがとう😊", "はい。", "わかりました", "謝謝", "好的", "ขอบคุณครับ", "감사합니다", "[Yuki | 22:46]\n👍"],
)  # fmt: skip
def test_a_bare_acknowledgement_needs_no_answer(ask: Callable[..., tuple[str, str]], said: str) -> None:
    assert ask(said) == ("skip", "The message only acknowledges.")


@pytest.mark.parametrize("word", ["感謝", "了解", "ok ", "ありがとう", "!", "? ", "👍"])
def test_a_thousand_thanks_are_read_in_a_moment(ask: Callable[..., tuple[str, str]], word: str) -> None:
    assert ask(word * 1000 + "x")[0] == "reply"


@pytest.mark.parametrize("said", ["ok?", "thanks, but where is it?", "はいじゃない", "okra is tasty"])
def test_more_than_an_acknowledgement_is_answered(ask: Callable[..., tuple[str, str]], said: str) -> None:
    assert ask(said)[0] == "reply"


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("My name is Yuki.", "what is my name?", "Your name is Yuki."),
        ("please call me Ken", "What's my name?", "Your name is Ken."),
        (
            "My favorite color is green, and I like tea",
            "what's my favourite colour?",
            "Your favourite colour is green.",
        ),
        ("do not forget, my car is at the station.", "where is my car?", "Your car is at the station."),
        ("my pin is 4711", "do you remember my pin?", "Your pin is 4711."),
        ("私の名前は田中です", "私の名前は？", "名前は田中ですね。"),
        ("名前は花子だよ", "私の名前は何ですか？", "名前は花子ですね。"),
        ("名前は花子だよ", "名前覚えてる？", "名前は花子ですね。"),
        ("やあ。好きな色は緑です。よろしく", "好きな色は？", "好きな色は緑ですね。"),
        ("好きな色は緑です", "好きな色って何だっけ？", "好きな色は緑ですね。"),
    ],
)
def test_a_fact_that_was_told_is_recalled(
    ask: Callable[..., tuple[str, str]], told: str, asked: str, answer: str
) -> None:
    assert ask(told, "model:I see.", asked) == ("reply", answer)


def test_the_latest_statement_counts(ask: Callable[..., tuple[str, str]]) -> None:
    assert ask("my name is Yuki", "my name is Aoi", "what is my name?") == ("reply", "Your name is Aoi.")


def test_in_a_group_everyone_has_facts_of_their_own(ask: Callable[..., tuple[str, str]]) -> None:
    told = ("[Yuki | 22:40]\nmy dog is Rex", "[Ken | 22:41]\nmy dog is Bo")

    assert ask(*told, "[Yuki | 22:46]\nwhat is my dog?") == ("reply", "Your dog is Rex.")
    assert ask(*told, "[Ken | 22:46]\nwhat is my name?") == ("reply", "Your name is Ken.")


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("what is my name?", "You have not told me your name yet."),
        ("私の名前は？", "名前については、まだ伺っていません。"),
        ("what did I say?", "You have not told me anything yet."),
        ("how tall is Mount Fuji?", "You ask: “how tall is Mount Fuji?”. I am only a stand-in and cannot tell, sorry."),
        ("明日は晴れますか？", "「明日は晴れますか？」ですか。代役の私にはわかりません。ごめんなさい。"),
    ],
)
def test_nothing_is_made_up(ask: Callable[..., tuple[str, str]], asked: str, answer: str) -> None:
    assert ask(asked) == ("reply", answer)


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("[22:40]\nI lost my keys", "[22:46]\nwhat did I just say?", "You said: “I lost my keys”."),
        ("鍵をなくした", "私はさっき何て言った？", "「鍵をなくした」とおっしゃいました。"),
    ],
)
def test_the_last_words_are_repeated(ask: Callable[..., tuple[str, str]], told: str, asked: str, answer: str) -> None:
    assert ask(told, "model:Oh.", asked, "model:You said it.", asked) == ("reply", answer)


@pytest.mark.parametrize("asked", ["help", "what can you do?", "何ができる？", "ヘルプ", "你會做什麼？"])
def test_help_admits_to_being_a_stand_in(ask: Callable[..., tuple[str, str]], asked: str) -> None:
    name, text = ask(asked)

    assert name == "reply"
    assert "Gemini" in text


@pytest.mark.parametrize(
    ("before", "said", "answer"),
    [
        ("hello", "[sticker: happy, wave]", "Nice sticker!"),
        ("こんにちは", "[Yuki | 22:46]\n[sticker]", "スタンプ、いいですね！"),
        ("hello", "[image]", "Thanks for the picture. As a stand-in I cannot see what it shows."),
        ("hello", "[写真]", "Thanks for the picture. As a stand-in I cannot see what it shows."),
        ("こんにちは", "[location: 東京駅, 東京都千代田区]", "東京駅ですね。気をつけて行ってらっしゃい。"),
        ("こんにちは", "[file: menu.pdf]", "ファイルを受け取りました。"),
        ("hello", "[22:46] [voice message: 3 s]", "Thanks for the voice message. As a stand-in I cannot hear it."),
        ("hello", "[22:46] [unsupported message: poll]", "I received something that I cannot read as a stand-in."),
    ],
)
def test_what_has_no_words_gets_a_fitting_line(
    ask: Callable[..., tuple[str, str]], before: str, said: str, answer: str
) -> None:
    assert ask(before, "model:.", said) == ("reply", answer)


def test_an_image_without_any_text_is_seen(ask: Callable[..., tuple[str, str]]) -> None:
    image = {"role": "user", "parts": [{"inlineData": {"mime_type": "image/png", "data": "AA=="}}]}

    said = ask(contents=[image])

    assert said == ("reply", "画像を受け取りました。代役の私には中身が見えません。 (image/png, 1 bytes)")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("I lost my keys", "I see: “I lost my keys”. Tell me more if you like."),
        ("今日は疲れた", "「今日は疲れた」ですね。よければ、もう少し聞かせてください。"),
        ("今天好累喔", "你說的是「今天好累喔」。願意的話，可以多告訴我一些。"),
        ("วันนี้ร้อนมาก", "คุณพูดว่า “วันนี้ร้อนมาก” เล่าต่อได้นะ"),
        ("오늘 너무 피곤해", "“오늘 너무 피곤해”라고 하셨네요. 더 들려주세요."),
    ],
)
def test_anything_else_is_listened_to(ask: Callable[..., tuple[str, str]], said: str, answer: str) -> None:
    assert ask(said) == ("reply", answer)


def test_braces_in_the_words_are_words(ask: Callable[..., tuple[str, str]]) -> None:
    assert "{key} {0}" in ask("{key} {0} is odd")[1]


def test_allowed_names_are_kept_to(
    ask: Callable[..., tuple[str, str]],
) -> None:
    def only(name: str) -> dict[str, Any]:
        return {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}}

    assert ask("hello", toolConfig=only("skip"))[0] == "skip"
    assert ask("thanks", toolConfig=only("reply")) == ("reply", "You're welcome.")


def test_without_functions_the_answer_is_text(ask: Callable[..., tuple[str, str]]) -> None:
    assert ask("hello", tools=None, toolConfig=None) == ("text", "Hello! What can I do for you?")
    assert ask("hello", toolConfig={"functionCallingConfig": {"mode": "NONE"}})[0] == "text"


def test_a_search_leaves_its_sources(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    answer = brain.answer(read(body("who won?", tools=[{"googleSearch": {}}], toolConfig=None)))

    assert answer.grounding is not None
    assert answer.grounding["webSearchQueries"] == ["who won?"]


def test_a_schema_without_functions_gets_the_smallest_json(ask: Callable[..., tuple[str, str]]) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}, "b": {}}, "required": ["a"]}
    settings = {"responseMimeType": "application/json", "responseJsonSchema": schema}

    name, text = ask("hello", tools=None, toolConfig=None, generationConfig=settings)

    assert (name, json.loads(text)) == ("text", {"a": 3})


def test_another_function_is_called_with_the_smallest_arguments(
    ask: Callable[..., tuple[str, str]], function: Callable[[str, str], dict[str, Any]]
) -> None:
    tools = [{"functionDeclarations": [function("search", "query")]}]

    assert ask("hello", tools=tools) == ("search", "stand-in")


def test_another_name_for_the_text_is_found(
    ask: Callable[..., tuple[str, str]], function: Callable[[str, str], dict[str, Any]]
) -> None:
    tools = [{"functionDeclarations": [function("reply", "text"), function("skip", "why")]}]

    assert ask("hello", tools=tools) == ("reply", "Hello! What can I do for you?")


def _round(name: str, args: dict[str, object], response: dict[str, object]) -> list[dict[str, Any]]:
    return [
        {"role": "user", "parts": [{"text": "hello"}]},
        {"role": "model", "parts": [{"functionCall": {"name": name, "args": args}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": name, "response": response}}]},
    ]


def test_a_refused_reply_is_shortened(ask: Callable[..., tuple[str, str]]) -> None:
    contents = _round("reply", {"message": "word " * 2000}, {"error": "message is longer than 5000 characters"})

    name, text = ask(contents=contents)

    assert name == "reply"
    assert len(text) <= 5001
    assert text.endswith("…")


def test_a_short_reply_that_is_refused_becomes_a_stock_phrase(ask: Callable[..., tuple[str, str]]) -> None:
    contents = _round("reply", {"message": ""}, {"error": "message is empty"})

    assert ask(contents=contents) == ("reply", "I could not put that into words. Could you say it again?")


def test_after_the_answer_nothing_follows(ask: Callable[..., tuple[str, str]]) -> None:
    contents = _round("reply", {"message": "hi"}, {"status": "sent"})

    assert ask(contents=contents) == ("skip", "The answer is on its way already.")


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ({"output": ["a"]}, 'Here is what I found: ["a"]'),
        ({"found": 2}, 'Here is what I found: {"found": 2}'),
        ({"error": "no entry"}, "That did not work: no entry"),
    ],
)
def test_the_result_of_another_function_is_told(
    ask: Callable[..., tuple[str, str]], response: dict[str, object], answer: str
) -> None:
    assert ask(contents=_round("search", {}, response)) == ("reply", answer)


REPLY = FunctionDeclaration(
    path="", name="reply", description="", parameters_json_schema={"properties": {"message": {}}}
)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_any_words_get_exactly_one_call_and_the_same_one_again(texts: list[str]) -> None:
    contents = tuple(Content(role="user", parts=(Part(text=text),)) for text in texts)
    request = GenerateContentRequest(
        backend="developer", model="gemini-3.8-flash", contents=contents, functions=(REPLY,), mode="ANY"
    )

    answer = brain.answer(request)

    assert isinstance(answer, Candidate)
    assert [part.name for part in answer.parts if isinstance(part, CallPart)] == ["reply"]
    assert brain.answer(request) == answer


@pytest.mark.parametrize(
    "quoted",
    [
        '引用メッセージ: "ありがとう"\n質問: こんにちは',
        "Quoted message: (it was taken back)\nMessage: こんにちは",
        "引用訊息: （已收回）\n訊息: こんにちは",
        'ข้อความที่อ้างถึง: "ขอบคุณ"\nข้อความ: こんにちは',
    ],
)
def test_what_somebody_quotes_is_not_what_they_say(ask: Callable[..., tuple[str, str]], quoted: str) -> None:
    assert ask(f"[ゆき | 2026-11-22 03:35] {quoted}") == ask("[ゆき | 2026-11-22 03:35] こんにちは")
