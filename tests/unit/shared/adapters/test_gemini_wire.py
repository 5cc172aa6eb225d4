"""Bodies that are made and read without the SDK's types: the same requests as with them, and no shape of an answer is trusted."""

import base64
import json
import re
from typing import Any, Final

import pytest
from google.genai import models, types
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.gemini_wire import ANSWER_LIMIT_CHARACTERS, json_request_body, read_answer, request_body
from shared.adapters.inline_media import InlineMedia
from shared.agent.model import (
    FilePart,
    FunctionCall,
    FunctionDeclaration,
    FunctionResponse,
    FunctionResponses,
    JsonRequest,
    MediaPart,
    MixedContent,
    ModelContent,
    ModelRequest,
    TextContent,
)

SIGNATURE: Final = "aGVsbG8tX2hlbGxv"
CALL: Final = {"id": "c1", "name": "look", "args": {"word": "あ"}}
WIRE: Final = {
    "role": "model",
    "parts": [{"functionCall": CALL, "thoughtSignature": SIGNATURE}, {"text": "hm", "thought": True}],
}
SCHEMA: Final = {"$schema": "x", "type": "object", "properties": {"word": {"type": "string", "minLength": 1}}}
DOCUMENTED: Final = {"type": "object", "properties": {"word": {"type": "string"}}}


def model_request(**changes: Any) -> ModelRequest:  # noqa: ANN401 - fields of the request
    call = FunctionCall(name="look", args={"word": "あ"}, id="c1")
    answers = (
        FunctionResponse(call=call, response={"output": 1}),
        FunctionResponse(call=FunctionCall(name="other", args={}), response={"error": "e"}),
    )
    fields: dict[str, Any] = {
        "system_instruction": "be kind",
        "declarations": (FunctionDeclaration(name="look", description="d", parameters=SCHEMA),),
        "contents": (
            TextContent(role="user", texts=("a", "b")),
            MixedContent(
                parts=(
                    "see",
                    FilePart(text="1: a | b"),
                    MediaPart(content_type="image/jpeg", source=b"\xff\xfb\xfe"),
                    MediaPart(content_type="video/mp4", source="gs://bucket/media/U0/1"),
                )
            ),
            ModelContent(wire=WIRE, model_name="m"),
            FunctionResponses(responses=answers),
        ),
        "max_output_tokens": 5,
        "timeout_s": 20.0,
    }
    return ModelRequest(**{**fields, **changes})


def sent(request: ModelRequest) -> dict[str, Any]:
    """Return the body of the request as it is sent, with its media."""
    media = InlineMedia()
    body = request_body(request, model_name="m", thinking="LOW", media=media)
    return dict(json.loads(b"".join(media.body(json.dumps(body).encode()))))


def by_the_sdk(contents: list[types.Content], config: types.GenerateContentConfig) -> object:
    """Return the body that google-genai makes of its own types."""
    parameters = types._GenerateContentParameters(model="m", contents=contents, config=config)  # noqa: SLF001
    made = models._GenerateContentParameters_to_mldev(Developer(), parameters, None, parameters)  # type: ignore[arg-type]  # noqa: SLF001
    made = models._common.encode_unserializable_types(models._common.convert_to_dict(made))  # type: ignore[attr-defined]  # noqa: SLF001
    return in_camel_case({name: value for name, value in made.items() if not name.startswith("_") and name != "config"})


class Developer:
    """What the SDK asks of its client while it makes a body."""

    vertexai = False


def in_camel_case(value: object) -> object:
    """Return the JSON with the names of fields that protobuf takes as the same."""
    if isinstance(value, dict):
        return {
            re.sub(r"_([a-z])", lambda found: found[1].upper(), one): in_camel_case(it) for one, it in value.items()
        }
    return [in_camel_case(one) for one in value] if isinstance(value, list) else value


def thinks(level: types.ThinkingLevel) -> types.ThinkingConfig:
    return types.ThinkingConfig(thinking_level=level)


@pytest.mark.parametrize(("validated", "allowed"), [(False, ()), (False, ("look",)), (True, ())])
def test_a_request_is_the_one_that_the_sdk_makes(validated: bool, allowed: tuple[str, ...]) -> None:
    mode = types.FunctionCallingConfigMode.VALIDATED if validated else types.FunctionCallingConfigMode.ANY
    contents = [
        types.Content(role="user", parts=[types.Part(text="a"), types.Part(text="b")]),
        types.Content(
            role="user",
            parts=[
                types.Part(text="see"),
                types.Part(text="1: a | b"),
                types.Part.from_bytes(data=b"\xff\xfb\xfe", mime_type="image/jpeg"),
                types.Part.from_uri(file_uri="gs://bucket/media/U0/1", mime_type="video/mp4"),
            ],
        ),
        types.Content.model_validate(WIRE),
        types.Content(
            role="user",
            parts=[
                types.Part(function_response=types.FunctionResponse(id="c1", name="look", response={"output": 1})),
                types.Part(function_response=types.FunctionResponse(name="other", response={"error": "e"})),
            ],
        ),
    ]
    calling = types.FunctionCallingConfig(mode=mode, allowed_function_names=list(allowed) or None)
    declared = types.FunctionDeclaration(name="look", description="d", parameters_json_schema=DOCUMENTED)
    config = types.GenerateContentConfig(
        system_instruction="be kind",
        tools=[types.Tool(function_declarations=[declared])],
        tool_config=types.ToolConfig(function_calling_config=calling),
        thinking_config=thinks(types.ThinkingLevel.LOW),
        max_output_tokens=5,
    )

    body = sent(model_request(validated=validated, allowed=allowed))

    assert body == by_the_sdk(contents, config)


def test_a_request_for_an_object_is_the_one_that_the_sdk_makes() -> None:
    config = types.GenerateContentConfig(
        system_instruction="s",
        response_mime_type="application/json",
        response_json_schema=DOCUMENTED,
        thinking_config=thinks(types.ThinkingLevel.HIGH),
        max_output_tokens=7,
    )
    request = JsonRequest(system_instruction="s", prompt="p", schema=SCHEMA, max_output_tokens=7, timeout_s=3.0)

    body = json_request_body(request, thinking="HIGH")

    assert body == by_the_sdk([types.Content(role="user", parts=[types.Part(text="p")])], config)


def test_a_content_of_another_model_has_signatures_that_are_not_checked() -> None:
    content = types.Content.model_validate(WIRE)
    assert content.parts is not None
    content.parts[0].thought_signature = b"skip_thought_signature_validator"

    body = sent(model_request(contents=(ModelContent(wire=WIRE, model_name="other"),)))

    made = by_the_sdk([content], types.GenerateContentConfig())
    assert isinstance(made, dict)
    assert body["contents"] == made["contents"]


def test_a_content_is_sent_back_as_it_came() -> None:
    parts = [{"functionCall": CALL, "thoughtSignature": "+/8=", "partMetadata": {"new": 1}}, {"text": "", "x": None}]
    answer = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}

    read = read_answer(json.dumps(answer), model_name="m").response

    assert read.content is not None
    assert read.content.wire == {"role": "model", "parts": parts}


def test_arguments_that_json_cannot_carry_are_not_sent_back() -> None:
    body = (
        '{"candidates": [{"content": {"parts": [{"functionCall": {"name": "a", "args": {"n": 1e400}},'
        ' "thoughtSignature": "aGk="}]}, "finishReason": "STOP"}]}'
    )

    read = read_answer(body, model_name="m").response

    assert read.calls[0].args == {"n": float("inf")}
    assert read.content is not None
    sent_back = json.dumps(read.content.wire)
    assert '"functionCall": {"name": "a", "args": {}}' in sent_back
    assert "aGk=" not in sent_back


def test_texts_calls_and_usage_are_read() -> None:
    answer = {
        "candidates": [{"content": {"parts": [{"text": "a"}, {"text": "hm", "thought": True}, {"text": "b"}]}}],
        "usageMetadata": {
            "promptTokenCount": 5,
            "cachedContentTokenCount": 4,
            "candidatesTokenCount": 3,
            "thoughtsTokenCount": 2,
            "trafficType": "ON_DEMAND",
        },
        "modelVersion": "m-1",
    }

    read = read_answer(json.dumps(answer), model_name="m")

    usage = read.response.usage
    assert (read.text, read.response.text, read.response.model_version) == ("ab", "ab", "m-1")
    counted = (usage.prompt_tokens, usage.cached_tokens, usage.output_tokens, usage.thought_tokens)
    assert counted == (5, 4, 3, 2)


def test_a_call_that_is_written_as_text_is_sent_back_as_a_call() -> None:
    text = 'print(default_api.reply(message="hi"))'
    answer = {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]}

    read = read_answer(json.dumps(answer), model_name="m", functions={"reply"}).response

    assert [(one.name, one.args) for one in read.calls] == [("reply", {"message": "hi"})]
    assert read.content is not None
    parts = read.content.wire["parts"]
    assert isinstance(parts, list)
    (part,) = parts
    assert part["functionCall"] == {"name": "reply", "args": {"message": "hi"}}
    assert base64.urlsafe_b64decode(part["thoughtSignature"]) == b"skip_thought_signature_validator"


def test_a_text_that_calls_no_function_of_the_request_stays_text() -> None:
    answer = {"candidates": [{"content": {"parts": [{"text": "fly(to='the moon')"}]}, "finishReason": "STOP"}]}

    read = read_answer(json.dumps(answer), model_name="m", functions={"reply"}).response

    assert (read.calls, read.text) == ((), "fly(to='the moon')")


def test_a_blocked_prompt_says_why() -> None:
    read = read_answer('{"promptFeedback": {"blockReason": "SAFETY"}}', model_name="m").response

    assert (read.finish_reason, read.block_reason) == ("", "SAFETY")


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {"candidates": {}},
        {"candidates": ["x"]},
        {"candidates": [{"content": []}]},
        {"candidates": [{"content": {"parts": "x"}}]},
        {"candidates": [{"content": {"parts": [{"text": 1}]}}]},
        {"candidates": [{"content": {"parts": [{"thought": "yes"}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": "x"}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {"args": []}}]}}]},
        {"candidates": [{"finishReason": 1}]},
        {"usageMetadata": {"promptTokenCount": "5"}},
        {"usageMetadata": {"promptTokenCount": True}},
        {"usageMetadata": {"promptTokenCount": -1}},
        {"usageMetadata": {"promptTokenCount": 2**63}},
    ],
)
def test_what_has_not_the_shape_of_an_answer_is_unreadable(answer: object) -> None:
    with pytest.raises(ValueError, match=r"answer|thought|tokens"):
        read_answer(json.dumps(answer), model_name="m")


def test_an_answer_without_end_is_unreadable() -> None:
    with pytest.raises(ValueError, match="too long"):
        read_answer(" " * (ANSWER_LIMIT_CHARACTERS + 1), model_name="m")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["candidates", "content", "parts", "text", "thought", "functionCall", "args", "name", "usageMetadata"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_an_answer_or_unreadable(value: object) -> None:
    try:
        read = read_answer(json.dumps(value), model_name="m").response
    except ValueError:
        return
    assert all(isinstance(call.args, dict) for call in read.calls)
