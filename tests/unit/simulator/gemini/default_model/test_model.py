from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.gemini.answers import CallPart, Candidate
from simulator.gemini.default_model import model as default_model
from simulator.gemini.request import Content, FunctionDeclaration, GenerateContentRequest, Part

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("before", "said", "answer"),
    [
        ("hello", "[sticker: happy, wave]", "Nice sticker!"),
        ("こんにちは", "[Yuki | 22:46]\n[sticker]", "スタンプ、いいですね！"),
        ("hello", "[image]", "Thanks for the picture. As a stand-in I cannot see what it shows."),
        ("こんにちは", "[location: 東京駅, 東京都千代田区]", "東京駅ですね。気をつけて行ってらっしゃい。"),
        ("こんにちは", "[file: menu.pdf]", "シミュレーターには読めないものを受け取りました。"),
        ("hello", "[22:46] [voice message: 3 s]", "I received something that I cannot read as a stand-in."),
        ("hello", "[22:46] [unsupported message: poll]", "I received something that I cannot read as a stand-in."),
    ],
)
def test_a_medium_is_answered_by_its_kind(
    ask: Callable[..., tuple[str, str]], before: str, said: str, answer: str
) -> None:
    assert ask(before, "model:.", said) == ("reply", answer)


def test_inline_image_data_is_described_by_type_and_size(ask: Callable[..., tuple[str, str]]) -> None:
    image = {"role": "user", "parts": [{"inlineData": {"mime_type": "image/png", "data": "AA=="}}]}

    said = ask(contents=[image])

    assert said == ("reply", "画像を受け取りました。シミュレーターなので、中身は見えません。 (image/png, 1 bytes)")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("I lost my keys", "I see: “I lost my keys”. Tell me more if you like."),
        ("今日は疲れた", "「今日は疲れた」ですね。よければ、もう少し聞かせてください。"),
    ],
)
def test_any_other_message_is_echoed(ask: Callable[..., tuple[str, str]], said: str, answer: str) -> None:
    assert ask(said) == ("reply", answer)


def test_braces_in_the_words_are_words(ask: Callable[..., tuple[str, str]]) -> None:
    assert "{key} {0}" in ask("{key} {0} is odd")[1]


def test_only_allowed_functions_are_called(
    ask: Callable[..., tuple[str, str]],
) -> None:
    def only(name: str) -> dict[str, Any]:
        return {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}}

    assert ask("hello", toolConfig=only("skip"))[0] == "skip"
    assert ask("thanks", toolConfig=only("reply")) == ("reply", "You're welcome.")


def test_without_functions_the_answer_is_text(ask: Callable[..., tuple[str, str]]) -> None:
    assert ask("hello", tools=None, toolConfig=None) == ("text", "Hello! What can I do for you?")
    assert ask("hello", toolConfig={"functionCallingConfig": {"mode": "NONE"}})[0] == "text"


def test_a_search_has_grounding_metadata(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    answer = default_model.answer(read(body("who won?", tools=[{"googleSearch": {}}], toolConfig=None)))

    assert answer.grounding is not None
    assert answer.grounding["webSearchQueries"] == ["who won?"]


def test_a_response_schema_gets_a_minimal_value(ask: Callable[..., tuple[str, str]]) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}, "b": {}}, "required": ["a"]}
    settings = {"responseMimeType": "application/json", "responseJsonSchema": schema}

    name, text = ask("hello", tools=None, toolConfig=None, generationConfig=settings)

    assert (name, json.loads(text)) == ("text", {"a": 3})


def test_a_function_without_a_rule_gets_minimal_arguments(
    ask: Callable[..., tuple[str, str]], function: Callable[[str, str], dict[str, Any]]
) -> None:
    tools = [{"functionDeclarations": [function("search", "query")]}]

    assert ask("hello", tools=tools) == ("search", "stand-in")


def _round(name: str, args: dict[str, object], response: dict[str, object]) -> list[dict[str, Any]]:
    return [
        {"role": "user", "parts": [{"text": "hello"}]},
        {"role": "model", "parts": [{"functionCall": {"name": name, "args": args}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": name, "response": response}}]},
    ]


def test_after_a_reply_the_model_stays_silent(ask: Callable[..., tuple[str, str]]) -> None:
    contents = _round("reply", {"message": "hi"}, {"status": "sent"})

    assert ask(contents=contents) == ("skip", "The answer is on its way already.")


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ({"output": ["a"]}, "Here is what I found: a"),
        ({"found": 2}, "Here is what I found: found: 2"),
        ({"error": "no entry"}, "Sorry, that did not work."),
        ({"error": {"message": "no entry", "may_retry": True}}, "Sorry, that did not work."),
        (
            {"error": "No answer came, so it may have been done or not."},
            "I cannot tell whether that was done. Please have a look.",
        ),
        ({"error": {"message": "Not done yet: a button asks."}}, "Please confirm it with the button below."),
    ],
)
def test_the_result_of_a_function_without_a_rule_is_said(
    ask: Callable[..., tuple[str, str]], response: dict[str, object], answer: str
) -> None:
    assert ask(contents=_round("search", {}, response)) == ("reply", answer)


REPLY = FunctionDeclaration(
    path="", name="reply", description="", parameters_json_schema={"properties": {"message": {}}}
)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_any_words_get_one_call_and_the_same_one_again(texts: list[str]) -> None:
    contents = tuple(Content(role="user", parts=(Part(text=text),)) for text in texts)
    request = GenerateContentRequest(
        backend="developer", model="gemini-3.8-flash", contents=contents, functions=(REPLY,), mode="ANY"
    )

    answer = default_model.answer(request)

    assert isinstance(answer, Candidate)
    assert [part.name for part in answer.parts if isinstance(part, CallPart)] == ["reply"]
    assert default_model.answer(request) == answer


@pytest.mark.parametrize(
    "quoted",
    [
        '引用メッセージ: "ありがとう"\n質問: こんにちは',
        "Quoted message: (it was taken back)\nMessage: こんにちは",
        "引用訊息: （已收回）\n訊息: こんにちは",
        'ข้อความที่อ้างถึง: "ขอบคุณ"\nข้อความ: こんにちは',
    ],
)
def test_a_quote_is_not_part_of_the_words(ask: Callable[..., tuple[str, str]], quoted: str) -> None:
    assert ask(f"[ゆき | 2026-11-22 03:35] {quoted}") == ask("[ゆき | 2026-11-22 03:35] こんにちは")


def test_a_summary_for_a_group_has_a_line_for_each_message(
    ask: Callable[..., tuple[str, str]], function: Callable[[str, str], dict[str, Any]]
) -> None:
    tools = [{"functionDeclarations": [function("write_recap", "text")]}]
    asked = {"parts": [{"text": 'Write at most ten short lines, each beginning with "- ".'}]}

    told = ask("[Ken | 22:46]\nat ten", "[Mali | 22:47]\nOK", tools=tools, systemInstruction=asked)

    assert told == ("write_recap", "- Ken: at ten\n- Mali: OK")
