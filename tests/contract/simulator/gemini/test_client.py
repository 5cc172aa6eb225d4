from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from google.genai import errors, types

from simulator.gemini import script
from simulator.gemini.script import FINISH_REASONS, Hold

if TYPE_CHECKING:
    from collections.abc import Callable

    from google import genai

    from simulator.gemini.app import GeminiStandIn

MODEL = "gemini-3.5-flash-lite"


def _declaration(name: str, parameter: str) -> types.FunctionDeclaration:
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return types.FunctionDeclaration(name=name, description=name, parameters_json_schema=schema)


CONFIG = types.GenerateContentConfig(
    system_instruction="You are kind.",
    tools=[types.Tool(function_declarations=[_declaration("reply", "message"), _declaration("skip", "reason")])],
    tool_config=types.ToolConfig(
        function_calling_config=types.FunctionCallingConfig(mode=types.FunctionCallingConfigMode.ANY)
    ),
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    thinking_config=types.ThinkingConfig(thinking_level=types.ThinkingLevel.LOW),
    automatic_continuation=False,
)


def _said(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def _ask(client: genai.Client, *contents: types.Content) -> types.GenerateContentResponse:
    return client.models.generate_content(model=MODEL, contents=list(contents or [_said("hello")]), config=CONFIG)


def _content(response: types.GenerateContentResponse) -> types.Content:
    assert response.candidates
    content = response.candidates[0].content
    assert content is not None
    return content


def _answered(content: types.Content, response: dict[str, Any]) -> types.Content:
    calls = [part.function_call for part in content.parts or [] if part.function_call]
    answers = [types.FunctionResponse(id=call.id, name=call.name, response=response) for call in calls]
    return types.Content(role="user", parts=[types.Part(function_response=answer) for answer in answers])


def test_the_brain_calls_reply(client: genai.Client) -> None:
    response = _ask(client, _said("[Yuki | 22:46]\nこんにちは"))

    assert response.function_calls
    (call,) = response.function_calls
    assert call.name == "reply"
    assert call.args is not None
    assert call.args["message"].startswith("こんにちは")
    assert response.model_version == MODEL
    assert response.usage_metadata is not None
    assert response.usage_metadata.prompt_token_count
    assert response.usage_metadata.thoughts_token_count


def test_thoughts_go_round_twice(client: genai.Client, stand_in: GeminiStandIn) -> None:
    stand_in.script([script.calls(("reply", {"message": "a"}), ("skip", {"reason": "b"})), script.call("reply", {})])
    asked = _said("hello")

    first = _content(_ask(client, asked))
    first_answers = _answered(first, {"error": "too long"})
    second = _content(_ask(client, asked, first, first_answers))
    third = _ask(client, asked, first, first_answers, second, _answered(second, {"status": "sent"}))

    assert [record.kind for record in stand_in.requests] == ["call reply skip", "call reply", "call skip"]
    assert third.function_calls is not None


def test_stored_contents_still_carry_their_thoughts(client: genai.Client) -> None:
    asked = _said("hello")
    stored = _content(_ask(client, asked)).model_dump_json()

    content = types.Content.model_validate_json(stored)

    assert _ask(client, asked, content, _answered(content, {"status": "sent"})).function_calls


def test_lost_thoughts_are_a_client_error(client: genai.Client) -> None:
    asked = _said("hello")
    content = _content(_ask(client, asked))
    assert content.parts
    forgetful = types.Content(role="model", parts=[types.Part(function_call=content.parts[0].function_call)])

    with pytest.raises(errors.ClientError, match="missing a thought_signature"):
        _ask(client, asked, forgetful, _answered(forgetful, {"status": "sent"}))


def test_an_unanswered_call_is_a_client_error(client: genai.Client) -> None:
    asked = _said("hello")

    with pytest.raises(errors.ClientError, match="number of function response parts is equal"):
        _ask(client, asked, _content(_ask(client, asked)), _said("are you there?"))


@pytest.mark.parametrize("reason", FINISH_REASONS)
def test_every_finish_reason_arrives_as_the_clients_own(
    client: genai.Client, stand_in: GeminiStandIn, reason: str
) -> None:
    stand_in.script([script.finish(reason, message="why")])

    response = _ask(client)

    assert response.candidates
    candidate = response.candidates[0]
    assert candidate.finish_reason is types.FinishReason(reason)
    assert candidate.finish_message in {"why", None}  # the client drops it on the Developer API
    assert candidate.content is None or candidate.content.parts is None
    assert response.function_calls is None


def test_a_blocked_prompt_has_feedback_and_no_candidates(client: genai.Client, stand_in: GeminiStandIn) -> None:
    stand_in.script([script.blocked("SAFETY")])

    response = _ask(client)

    assert response.candidates is None
    assert response.prompt_feedback is not None
    assert response.prompt_feedback.block_reason is types.BlockedReason.SAFETY


def test_a_rate_limit_says_when_to_come_back(client: genai.Client, stand_in: GeminiStandIn) -> None:
    stand_in.script([script.rate_limited(retry_delay_s=17)])

    with pytest.raises(errors.ClientError, match="RESOURCE_EXHAUSTED") as limited:
        _ask(client)

    (retry,) = limited.value.details["error"]["details"]
    assert limited.value.code == 429
    assert retry["@type"].endswith("google.rpc.RetryInfo")
    assert retry["retryDelay"] == "17s"


@pytest.mark.parametrize(
    ("step", "code"), [(script.internal_error(), 500), (script.unavailable(), 503), (script.html_error(502), 502)]
)
def test_a_failing_server_is_a_server_error(
    client: genai.Client, stand_in: GeminiStandIn, step: script.Step, code: int
) -> None:
    stand_in.script([step])

    with pytest.raises(errors.ServerError) as failed:
        _ask(client)

    assert failed.value.code == code


def test_broken_json_is_a_decode_error(client: genai.Client, stand_in: GeminiStandIn) -> None:
    stand_in.script([script.malformed_json()])

    with pytest.raises(json.JSONDecodeError):
        _ask(client)


def test_an_empty_body_is_a_response_without_candidates(client: genai.Client, stand_in: GeminiStandIn) -> None:
    stand_in.script([script.empty_body()])

    assert _ask(client).candidates is None


def test_a_dropped_connection_is_a_transport_error(client: genai.Client, stand_in: GeminiStandIn) -> None:
    stand_in.script([script.dropped()])

    with pytest.raises(httpx2.RemoteProtocolError):
        _ask(client)

    assert _ask(client).function_calls


def test_a_slow_answer_is_a_timeout(make_client: Callable[..., genai.Client], stand_in: GeminiStandIn) -> None:
    client = make_client(timeout_ms=100, headers={"X-Server-Timeout": "10"})
    stand_in.script([script.text("late").slow(0.3)])

    with pytest.raises(httpx2.ReadTimeout):
        _ask(client)


def test_a_short_timeout_becomes_a_deadline_that_is_refused(make_client: Callable[..., genai.Client]) -> None:
    with pytest.raises(errors.ClientError, match="Manually set deadline 3s is too short"):
        _ask(make_client(timeout_ms=3000))


def test_an_answer_can_be_held_while_something_else_happens(client: genai.Client, stand_in: GeminiStandIn) -> None:
    hold = Hold()
    stand_in.script([script.call("reply", {"message": "late"}).held(hold)])
    answers: list[types.GenerateContentResponse] = []
    asking = threading.Thread(target=lambda: answers.append(_ask(client)))
    asking.start()

    hold.wait_until_reached()
    assert stand_in.requests[-1].kind == "pending"
    hold.release()
    asking.join()

    assert answers[0].function_calls


def test_json_by_schema_is_parsed_by_the_client(client: genai.Client) -> None:
    schema = {"type": "object", "properties": {"topics": {"type": "array", "items": {}}}, "required": ["topics"]}
    config = types.GenerateContentConfig(response_mime_type="application/json", response_json_schema=schema)

    response = client.models.generate_content(model=MODEL, contents="sum it up", config=config)

    assert response.parsed == {"topics": []}


def test_a_search_alone_is_grounded(client: genai.Client) -> None:
    config = types.GenerateContentConfig(tools=[types.Tool(google_search=types.GoogleSearch())])

    response = client.models.generate_content(model=MODEL, contents="who won?", config=config)

    assert response.text
    assert response.candidates
    grounding = response.candidates[0].grounding_metadata
    assert grounding is not None
    assert grounding.grounding_chunks
    assert grounding.grounding_chunks[0].web is not None
    assert grounding.grounding_chunks[0].web.uri == "https://example.com/stand-in"


def test_an_openapi_schema_of_the_clients_is_understood(client: genai.Client, stand_in: GeminiStandIn) -> None:
    parameters = types.Schema(
        type=types.Type.OBJECT,
        properties={
            "ids": types.Schema(type=types.Type.ARRAY, min_items=1, items=types.Schema(type=types.Type.STRING))
        },
        required=["ids"],
        property_ordering=["ids"],
    )
    declaration = types.FunctionDeclaration(name="find", description="d", parameters=parameters)
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declaration])])

    response = client.models.generate_content(model=MODEL, contents="hello", config=config)

    assert response.function_calls
    assert response.function_calls[0].args == {"ids": ["stand-in"]}
    assert stand_in.requests[-1].kind == "call find"


def test_streams_are_not_offered(client: genai.Client) -> None:
    with pytest.raises(errors.ServerError, match="UNIMPLEMENTED"):
        list(client.models.generate_content_stream(model=MODEL, contents="hello"))


def test_what_was_logged_fits_the_clients_types(client: genai.Client, stand_in: GeminiStandIn) -> None:
    asked = _said("hello")
    first = _content(_ask(client, asked))
    _ask(client, asked, first, _answered(first, {"status": "sent"}))

    request = stand_in.requests[-1].request
    assert request is not None
    contents = request.body["contents"]
    tools = request.body["tools"]
    assert isinstance(contents, list)
    assert isinstance(tools, list)
    assert [types.Content.model_validate(content).role for content in contents] == ["user", "model", "user"]
    assert types.Tool.model_validate(tools[0]).function_declarations


@pytest.mark.parametrize(
    "step",
    [
        script.call("reply", {"message": "hi"}),
        script.finish("SAFETY", message="why"),
        script.blocked("SAFETY"),
        script.grounded("Spain", {"webSearchQueries": ["who won"]}),
    ],
)
def test_every_answer_fits_the_clients_types_without_a_stray_field(
    server: tuple[GeminiStandIn, str], stand_in: GeminiStandIn, step: script.Step
) -> None:
    stand_in.script([step])
    body = {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}

    raw = httpx2.post(f"{server[1]}/v1/models/{MODEL}:generateContent", json=body, headers={"x-goog-api-key": "k"})

    types.GenerateContentResponse.model_validate_json(raw.content)
