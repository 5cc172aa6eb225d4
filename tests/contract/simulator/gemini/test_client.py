from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from google.genai import errors, types

from simulator.gemini import script

if TYPE_CHECKING:
    from google import genai

    from simulator.gemini.app import GeminiStandIn
from tests.contract.simulator.gemini.requests import MODEL, ask, user_content


def _content(response: types.GenerateContentResponse) -> types.Content:
    assert response.candidates
    content = response.candidates[0].content
    assert content is not None
    return content


def _with_response(content: types.Content, response: dict[str, Any]) -> types.Content:
    calls = [part.function_call for part in content.parts or [] if part.function_call]
    answers = [types.FunctionResponse(id=call.id, name=call.name, response=response) for call in calls]
    return types.Content(role="user", parts=[types.Part(function_response=answer) for answer in answers])


def test_the_default_model_calls_reply(client: genai.Client) -> None:
    response = ask(client, user_content("[Yuki | 22:46]\nこんにちは"))

    assert response.function_calls
    (call,) = response.function_calls
    assert call.name == "reply"
    assert call.args is not None
    assert call.args["message"].startswith("こんにちは")
    assert response.model_version == MODEL
    assert response.usage_metadata is not None
    assert response.usage_metadata.prompt_token_count
    assert response.usage_metadata.thoughts_token_count


def test_thought_signatures_are_returned_in_two_rounds(client: genai.Client, stand_in: GeminiStandIn) -> None:
    stand_in.script([script.calls(("reply", {"message": "a"}), ("skip", {"reason": "b"})), script.call("reply", {})])
    asked = user_content("hello")

    first = _content(ask(client, asked))
    first_answers = _with_response(first, {"error": "too long"})
    second = _content(ask(client, asked, first, first_answers))
    third = ask(client, asked, first, first_answers, second, _with_response(second, {"status": "sent"}))

    assert [record.kind for record in stand_in.requests] == ["call reply skip", "call reply", "call skip"]
    assert third.function_calls is not None


def test_stored_contents_keep_their_thought_signatures(client: genai.Client) -> None:
    asked = user_content("hello")
    stored = _content(ask(client, asked)).model_dump_json()

    content = types.Content.model_validate_json(stored)

    assert ask(client, asked, content, _with_response(content, {"status": "sent"})).function_calls


def test_a_missing_thought_signature_is_a_client_error(client: genai.Client) -> None:
    asked = user_content("hello")
    content = _content(ask(client, asked))
    assert content.parts
    forgetful = types.Content(role="model", parts=[types.Part(function_call=content.parts[0].function_call)])

    with pytest.raises(errors.ClientError, match="missing a thought_signature"):
        ask(client, asked, forgetful, _with_response(forgetful, {"status": "sent"}))


def test_an_unanswered_call_is_a_client_error(client: genai.Client) -> None:
    asked = user_content("hello")

    with pytest.raises(errors.ClientError, match="number of function response parts is equal"):
        ask(client, asked, _content(ask(client, asked)), user_content("are you there?"))


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


def test_an_openapi_schema_of_the_client_is_read(client: genai.Client, stand_in: GeminiStandIn) -> None:
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


def test_streaming_is_unimplemented(client: genai.Client) -> None:
    with pytest.raises(errors.ServerError, match="UNIMPLEMENTED"):
        list(client.models.generate_content_stream(model=MODEL, contents="hello"))


def test_logged_requests_fit_the_clients_types(client: genai.Client, stand_in: GeminiStandIn) -> None:
    asked = user_content("hello")
    first = _content(ask(client, asked))
    ask(client, asked, first, _with_response(first, {"status": "sent"}))

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
