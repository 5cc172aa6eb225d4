"""Scripted answers of the stand-in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
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

    from simulator.gemini.request import GenerateContentRequest
    from simulator.gemini.script import Step
from tests.unit.simulator.gemini.paths import DEVELOPER, MODEL


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


def test_only_the_first_call_has_a_signature(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([calls(("a", {"x": 1}), ("b", {})), call("c", {}, has_id=False)])

    first, second = (post(body()).json()["candidates"][0]["content"]["parts"] for _ in range(2))

    assert ["thoughtSignature" in part for part in first] == [True, False]
    assert len({part["functionCall"]["id"] for part in first}) == 2
    assert "id" not in second[0]["functionCall"]


def test_an_answer_says_that_it_cost_as_much_as_a_test_wants(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([call("reply", {"message": "hi"}, tokens=5_000_000)])

    usage = post(body()).json()["usageMetadata"]

    assert usage["candidatesTokenCount"] == 5_000_000
    assert usage["totalTokenCount"] > 5_000_000


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


def test_a_grounded_text_has_sources(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([grounded("Spain", {"webSearchQueries": ["who won"]})])

    assert post(body()).json()["candidates"][0]["groundingMetadata"] == {"webSearchQueries": ["who won"]}


def test_a_step_can_depend_on_the_request(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    def shout(request: GenerateContentRequest) -> Step:
        return text(request.last_text.upper())

    stand_in.script([from_request(shout)])

    assert post(body("hello")).json()["candidates"][0]["content"]["parts"] == [{"text": "HELLO"}]


def test_a_step_waits_for_its_request(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([text("for Ken").when(lambda request: "Ken" in request.last_text), text("for anyone")])

    said = [
        post(body(words)).json()["candidates"][0]["content"]["parts"][0].get("text")
        for words in ("I am Yuki", "I am Ken", "I am late")
    ]

    assert said == ["for anyone", "for Ken", None]


def test_a_refused_request_takes_no_step(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([text("hi")])

    response = post(body(contents=[]))

    assert response.status_code == 400
    assert stand_in.pending_steps == 1
    assert stand_in.requests[0].kind == "refused"
    assert stand_in.requests[0].refusal == response.json()["error"]["message"]


def test_a_strict_stand_in_fails_without_a_step(body: Callable[..., dict[str, Any]]) -> None:
    stand_in = GeminiStandIn(strict=True)
    stand_in.script([text("hi")])
    client = TestClient(stand_in.app, headers={"x-goog-api-key": "k"})

    codes = [client.post(DEVELOPER, json=body("hello")).status_code for _ in range(2)]

    assert codes == [200, 500]
    assert stand_in.failures == ("nothing is scripted for 'hello'",)


def test_reset_clears_script_and_log(
    stand_in: GeminiStandIn, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    stand_in.script([text("a"), text("b")])
    post(body())

    stand_in.reset()

    assert (stand_in.requests, stand_in.pending_steps, stand_in.failures) == ((), 0, ())


def test_latency_is_measured_by_the_given_clock(body: Callable[..., dict[str, Any]]) -> None:
    ticks = iter([100.0, 105.0, 105.25])
    stand_in = GeminiStandIn(monotonic=lambda: next(ticks))

    TestClient(stand_in.app, headers={"x-goog-api-key": "k"}).post(DEVELOPER, json=body())

    assert (stand_in.requests[0].received_s, stand_in.requests[0].latency_ms) == (5.0, 250.0)
