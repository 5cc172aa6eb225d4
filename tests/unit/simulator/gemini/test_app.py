from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from simulator.gemini.app import GeminiStandIn
from simulator.gemini.script import (
    FINISH_REASONS,
    blocked,
    call,
    calls,
    empty,
    empty_body,
    failure,
    finish,
    from_request,
    grounded,
    html_error,
    internal_error,
    malformed_json,
    rate_limited,
    text,
    unavailable,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.script import Step
    from simulator.gemini.wire import GenerateContentRequest

MODEL = "gemini-3.5-flash-lite"
DEVELOPER = f"/v1/models/{MODEL}:generateContent"
VERTEX = f"/v1beta1/projects/p/locations/global/publishers/google/models/{MODEL}:generateContent"


@pytest.mark.parametrize("path", [DEVELOPER, DEVELOPER.replace("v1", "v1beta"), VERTEX])
def test_every_path_of_gemini_answers(post: Callable[..., Any], body: Callable[..., dict[str, Any]], path: str) -> None:
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
def test_a_call_that_google_would_turn_away_is_turned_away(
    body: Callable[..., dict[str, Any]], path: str, headers: dict[str, str], code: int, status: str
) -> None:
    client = TestClient(GeminiStandIn(api_key="right").app)

    response = client.post(path, json=body(), headers=headers)

    error = response.json()["error"]
    assert (response.status_code, error["code"], error["status"]) == (code, code, status)
    assert error["message"]


def test_a_wrong_key_says_so_in_the_details(body: Callable[..., dict[str, Any]]) -> None:
    client = TestClient(GeminiStandIn(api_key="right").app)

    error = client.post(DEVELOPER, json=body(), headers={"x-goog-api-key": "wrong"}).json()["error"]

    assert error["details"][0]["reason"] == "API_KEY_INVALID"


def test_a_body_that_is_no_json_is_refused(client: TestClient) -> None:
    response = client.post(DEVELOPER, content=b"{")

    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith("Invalid JSON payload received.")


@pytest.mark.parametrize(
    ("step", "kind", "status_code"),
    [
        (call("reply", {"message": "hi"}), "call reply", 200),
        (calls(("a", {}), ("b", {})), "call a b", 200),
        (text("hi"), "text", 200),
        (empty(), "empty", 200),
        (finish("SAFETY"), "SAFETY", 200),
        (blocked("SAFETY"), "blocked", 200),
        (rate_limited(retry_delay_s=17), "429", 429),
        (internal_error(), "500", 500),
        (unavailable(), "503", 503),
        (failure(504, "DEADLINE_EXCEEDED", "late"), "504", 504),
        (malformed_json(), "raw 200", 200),
        (empty_body(), "raw 200", 200),
        (html_error(502), "raw 502", 502),
    ],
)
def test_a_scripted_step_is_answered_and_logged(
    body: Callable[..., dict[str, Any]], step: Step, kind: str, status_code: int
) -> None:
    stand_in = GeminiStandIn()
    stand_in.script([step])

    client = TestClient(stand_in.app, headers={"x-goog-api-key": "k"})
    response = client.post(DEVELOPER, json=body("hello"))

    (record,) = stand_in.requests
    assert (response.status_code, record.status_code, record.kind) == (status_code, status_code, kind)
    assert (record.number, record.model, record.path) == (1, MODEL, DEVELOPER)
    assert record.request is not None
    assert record.request.last_text == "hello"
    assert record.request_bytes > 100
    assert record.headers["content-type"] == "application/json"
    assert "x-goog-api-key" not in record.headers
    assert record.response_bytes == len(response.content)
    assert record.latency_ms >= 0
    assert stand_in.pending_steps == 0


def test_only_the_first_of_several_calls_is_signed(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([calls(("a", {"x": 1}), ("b", {})), call("c", {}, has_id=False)])

    first, second = (post(body()).json()["candidates"][0]["content"]["parts"] for _ in range(2))

    assert ["thoughtSignature" in part for part in first] == [True, False]
    assert len({part["functionCall"]["id"] for part in first}) == 2
    assert "id" not in second[0]["functionCall"]


@pytest.mark.parametrize("reason", [reason for reason in FINISH_REASONS if reason != "STOP"])
def test_other_finish_reasons_come_without_content(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]], reason: str
) -> None:
    stand_in.script([finish(reason, message="why"), finish(reason, "so far")])

    bare, cut = (post(body()).json()["candidates"][0] for _ in range(2))

    assert bare == {"index": 0, "finishReason": reason, "finishMessage": "why"}
    assert cut["content"]["parts"] == [{"text": "so far"}]


def test_an_empty_stop_has_a_content_without_parts(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([empty()])

    assert post(body()).json()["candidates"] == [{"index": 0, "finishReason": "STOP", "content": {"role": "model"}}]


def test_a_blocked_prompt_has_no_candidates(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([blocked("SAFETY")])

    answer = post(body()).json()

    assert "candidates" not in answer
    assert answer["promptFeedback"] == {"blockReason": "SAFETY"}


def test_sources_go_with_a_grounded_text(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([grounded("Spain", {"webSearchQueries": ["who won"]})])

    assert post(body()).json()["candidates"][0]["groundingMetadata"] == {"webSearchQueries": ["who won"]}


def test_a_step_may_be_made_from_the_request(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    def shout(request: GenerateContentRequest) -> Step:
        return text(request.last_text.upper())

    stand_in.script([from_request(shout)])

    assert post(body("hello")).json()["candidates"][0]["content"]["parts"] == [{"text": "HELLO"}]


def test_a_step_waits_for_the_request_that_it_is_meant_for(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([text("for Ken").when(lambda request: "Ken" in request.last_text), text("for anyone")])

    said = [
        post(body(words)).json()["candidates"][0]["content"]["parts"][0].get("text")
        for words in ("I am Yuki", "I am Ken", "I am late")
    ]

    assert said == ["for anyone", "for Ken", None]


def test_a_refused_request_uses_up_no_step(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([text("hi")])

    response = post(body(contents=[]))

    assert response.status_code == 400
    assert stand_in.pending_steps == 1
    assert stand_in.requests[0].kind == "refused"
    assert stand_in.requests[0].refusal == response.json()["error"]["message"]


def test_a_strict_stand_in_fails_when_its_script_is_used_up(body: Callable[..., dict[str, Any]]) -> None:
    stand_in = GeminiStandIn(strict=True)
    stand_in.script([text("hi")])
    client = TestClient(stand_in.app, headers={"x-goog-api-key": "k"})

    codes = [client.post(DEVELOPER, json=body("hello")).status_code for _ in range(2)]

    assert codes == [200, 500]
    assert stand_in.failures == ("nothing is scripted for 'hello'",)


def test_reset_forgets_everything(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([text("a"), text("b")])
    post(body())

    stand_in.reset()

    assert (stand_in.requests, stand_in.pending_steps, stand_in.failures) == ((), 0, ())


def test_latency_counts_by_the_clock_that_was_given(body: Callable[..., dict[str, Any]]) -> None:
    ticks = iter([100.0, 105.0, 105.25])
    stand_in = GeminiStandIn(monotonic=lambda: next(ticks))

    TestClient(stand_in.app, headers={"x-goog-api-key": "k"}).post(DEVELOPER, json=body())

    assert (stand_in.requests[0].received_s, stand_in.requests[0].latency_ms) == (5.0, 250.0)


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
def test_no_json_makes_the_server_fail(client: TestClient, contents: object, others: dict[str, object]) -> None:
    response = client.post(DEVELOPER, content=json.dumps({"contents": contents, **others}).encode())

    assert response.status_code in {200, 400}
