from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from simulator.gemini.app import GeminiStandIn

if TYPE_CHECKING:
    from collections.abc import Callable

from tests.unit.simulator.gemini.paths import DEVELOPER, MODEL

VERTEX = f"/v1beta1/projects/p/locations/global/publishers/google/models/{MODEL}:generateContent"


@pytest.mark.parametrize("path", [DEVELOPER, DEVELOPER.replace("v1", "v1beta"), VERTEX])
def test_every_path_of_gemini_is_served(
    post: Callable[..., Any], body: Callable[..., dict[str, Any]], path: str
) -> None:
    response = post(body(), path=path, headers={"authorization": "Bearer t"})

    assert response.status_code == 200
    answer = response.json()
    (part,) = answer["candidates"][0]["content"]["parts"]
    assert part["functionCall"]["name"] == "reply"
    assert part["functionCall"]["id"]
    assert part["thoughtSignature"]
    assert answer["candidates"][0]["finishReason"] == "STOP"
    assert answer["modelVersion"] == MODEL
    assert answer["responseId"]
    usage = answer["usageMetadata"]
    assert usage["totalTokenCount"] == sum(
        usage[name] for name in ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
    )


def test_a_longer_prompt_counts_more_tokens(post: Callable[..., Any], body: Callable[..., dict[str, Any]]) -> None:
    short, long = (post(body(words)).json()["usageMetadata"]["promptTokenCount"] for words in ("a" * 40, "a" * 400))

    assert long == short + 90


def test_equal_requests_get_equal_answers(body: Callable[..., dict[str, Any]]) -> None:
    def ask(seed: int) -> bytes:
        client = TestClient(GeminiStandIn(seed=seed).app, headers={"x-goog-api-key": "k"})
        return bytes(client.post(DEVELOPER, json=body()).content)

    assert ask(1) == ask(1)
    assert ask(1) != ask(2)


@pytest.mark.parametrize(
    ("path", "headers", "code", "status"),
    [
        (DEVELOPER, {}, 403, "PERMISSION_DENIED"),
        (DEVELOPER, {"x-goog-api-key": "wrong"}, 400, "INVALID_ARGUMENT"),
        (VERTEX, {}, 401, "UNAUTHENTICATED"),
        (DEVELOPER.replace("gemini-3.5", "gpt-5"), {"x-goog-api-key": "right"}, 404, "NOT_FOUND"),
        (VERTEX.replace("gemini-3.5", "gpt-5"), {"authorization": "Bearer t"}, 404, "NOT_FOUND"),
        (DEVELOPER.replace("/v1/", "/v9/"), {"x-goog-api-key": "right"}, 404, "NOT_FOUND"),
        (DEVELOPER.replace("generate", "destroy"), {"x-goog-api-key": "right"}, 404, "NOT_FOUND"),
        (DEVELOPER.replace("generate", "streamGenerate"), {"x-goog-api-key": "right"}, 501, "UNIMPLEMENTED"),
        (DEVELOPER, {"x-goog-api-key": "right", "x-server-timeout": "3"}, 400, "INVALID_ARGUMENT"),
    ],
)
def test_an_unauthorised_or_unknown_call_is_refused(
    body: Callable[..., dict[str, Any]], path: str, headers: dict[str, str], code: int, status: str
) -> None:
    client = TestClient(GeminiStandIn(api_key="right").app)

    response = client.post(path, json=body(), headers=headers)

    error = response.json()["error"]
    assert (response.status_code, error["code"], error["status"]) == (code, code, status)
    assert error["message"]


def test_a_wrong_key_is_named_in_the_details(body: Callable[..., dict[str, Any]]) -> None:
    client = TestClient(GeminiStandIn(api_key="right").app)

    error = client.post(DEVELOPER, json=body(), headers={"x-goog-api-key": "wrong"}).json()["error"]

    assert error["details"][0]["reason"] == "API_KEY_INVALID"


def test_a_body_other_than_json_is_refused(client: TestClient) -> None:
    response = client.post(DEVELOPER, content=b"{")

    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith("Invalid JSON payload received.")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inside: st.lists(inside, max_size=2)
    | st.dictionaries(
        st.sampled_from([
            "role", "parts", "text", "functionCall", "function_response", "name", "args", "response", "type", "items",
            "functionDeclarations", "parametersJsonSchema", "properties", "mode", "required", "$ref", "enum", "anyOf",
        ]),
        inside,
        max_size=3,
    ),
    max_leaves=10,
)  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    contents=st.just([{"parts": [{"text": "hi"}]}]) | json_values,
    others=st.dictionaries(st.sampled_from(["tools", "toolConfig", "generationConfig", "x"]), json_values),
)
def test_no_json_causes_a_server_error(client: TestClient, contents: object, others: dict[str, object]) -> None:
    response = client.post(DEVELOPER, content=json.dumps({"contents": contents, **others}).encode())

    assert response.status_code in {200, 400}
