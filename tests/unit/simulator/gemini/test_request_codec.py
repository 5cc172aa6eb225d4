from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.gemini.errors import RefusedError
from simulator.gemini.request import FunctionCall, FunctionResponse, Media
from simulator.gemini.request_codec import read_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

FULL: dict[str, Any] = {
    "contents": [
        {"role": "user", "parts": [{"text": "look"}, {"inlineData": {"mimeType": "image/png", "data": "AA=="}}]},
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True},
                {"functionCall": {"id": "c1", "name": "find", "args": {"keyOne": 1}}, "thoughtSignature": "c2ln"},
            ],
        },
        {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "find", "response": {"error": "no"}}}]},
    ],
    "systemInstruction": {"parts": [{"text": "be kind"}]},
    "tools": [
        {"functionDeclarations": [{"name": "find", "parametersJsonSchema": {"properties": {"keyOne": {}}}}]},
        {"googleSearch": {}},
    ],
    "toolConfig": {
        "functionCallingConfig": {"mode": "any", "allowedFunctionNames": ["find"]},
        "includeServerSideToolInvocations": True,
    },
    "generationConfig": {
        "thinkingConfig": {"thinkingLevel": "low", "thinkingBudget": 5},
        "frequencyPenalty": 1,
        "presencePenalty": 2,
        "responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object"},
    },
}


def _in_snake_case(value: object) -> object:
    """Return the field names in the other spelling; free objects (args, responses, schemas) keep their names."""
    if isinstance(value, list):
        return [_in_snake_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    free = {"args", "response", "parametersJsonSchema", "responseJsonSchema"}
    return {
        re.sub(r"[A-Z]", lambda found: "_" + found[0].lower(), name): item if name in free else _in_snake_case(item)
        for name, item in value.items()
    }


def test_both_spellings_give_the_same_request(read: Callable[..., GenerateContentRequest]) -> None:
    assert read(FULL) == read(_in_snake_case(FULL))


def test_every_field_is_read(read: Callable[..., GenerateContentRequest]) -> None:
    request = read(FULL)

    asked, called, answered = request.contents
    assert asked.parts[1].media == Media(media_type="image/png", size_bytes=1)
    assert called.function_calls == (FunctionCall(id="c1", name="find", args={"keyOne": 1}),)
    assert called.texts == ()
    assert called.parts[1].thought_signature == "c2ln"
    assert answered.function_responses == (FunctionResponse(id="c1", name="find", response={"error": "no"}),)
    assert answered.function_responses[0].error == "no"
    assert request.system_text == "be kind"
    assert [function.name for function in request.callable_functions] == ["find"]
    assert request.built_in_tools == ("googleSearch",)
    assert (request.mode, request.must_call, request.allowed_function_names) == ("ANY", True, ("find",))
    assert (request.thinking_level, request.thinking_budget) == ("LOW", 5)
    assert (request.frequency_penalty, request.presence_penalty) == (1, 2)
    assert request.last_text == "look"


def test_null_counts_as_absent(read: Callable[..., GenerateContentRequest]) -> None:
    request = read({"contents": [{"role": None, "parts": [{"text": "a", "thought": None}]}], "tools": None})

    assert request.contents[0].role == "user"
    assert request.functions == ()


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"contents": "hello"}, r"contents\[0\]"),
        ({"contents": ["hello"]}, r"contents\[0\]"),
        ({"contents": [{"parts": [{}]}]}, "required oneof field 'data'"),
        ({"contents": [{"parts": [{"thoughtSignature": "c2ln"}]}]}, "required oneof field 'data'"),
        ({"contents": [{"parts": [{"text": "a", "functionCall": {"name": "b"}}]}]}, "already set"),
        ({"contents": [{"parts": [{"text": 5}]}]}, r"contents\[0\].parts\[0\].text"),
        ({"contents": [{"parts": [{"functionCall": {}}]}]}, "Name cannot be empty"),
        ({"contents": [{"parts": [{"functionCall": {"name": "a", "args": []}}]}]}, "args"),
        ({"contents": [{"parts": [{"functionResponse": {"name": "a", "response": "b"}}]}]}, "response"),
        ({"tools": [{"functionDeclarations": [{"name": "a", "parameters": "b"}]}]}, "parameters"),
        ({"toolConfig": {"functionCallingConfig": {"allowedFunctionNames": "a"}}}, "allowed_function_names"),
        ({"toolConfig": {"includeServerSideToolInvocations": "yes"}}, "include_server_side"),
        ({"generationConfig": {"thinkingConfig": {"thinkingBudget": True}}}, "thinking_budget"),
        ({"generationConfig": []}, "generation_config"),
    ],
)
def test_a_field_of_the_wrong_type_is_refused_by_name(
    read: Callable[..., GenerateContentRequest], body: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(RefusedError, match=complaint):
        read(body)


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"{", b"[]", b"null", b'"text"', b"\xff", b'{"a": NaN}', b'{"a": 1e999}', b'{"a": "\\ud800"}',
        b"[" * 100_000, b'{"a":' * 150 + b"1" + b"}" * 150, b'{"a": ' + b"1" * 5000 + b"}",
    ],
)  # fmt: skip
def test_a_body_other_than_an_object_is_refused(raw: bytes) -> None:
    with pytest.raises(RefusedError, match="Invalid JSON payload received"):
        read_request(raw, model="gemini-3.5-flash-lite", backend="developer")


def test_a_pair_of_surrogates_is_a_character() -> None:
    raw = b'{"contents": [{"parts": [{"text": "\\ud83d\\udc4d"}]}]}'

    assert read_request(raw, model="m", backend="vertex").last_text == "\N{THUMBS UP SIGN}"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=8), inside, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*FULL, "other"]), json_values, max_size=4))
def test_any_json_is_read_or_refused(body: dict[str, object]) -> None:
    raw = json.dumps(body).encode()

    try:
        kept = read_request(raw, model="gemini-3.5-flash-lite", backend="developer").body
        code = 200
    except RefusedError as refused:
        kept = body
        code = refused.error.code

    assert code in {200, 400}
    assert kept is body or kept == body
