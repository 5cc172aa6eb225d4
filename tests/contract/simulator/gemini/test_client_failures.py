"""Failures of the stand-in, as the real client sees them."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import httpx2
import pytest
from google.genai import errors, types

from simulator.gemini import script
from simulator.gemini.script import FINISH_REASONS, Hold

if TYPE_CHECKING:
    from collections.abc import Callable

    from google import genai

    from simulator.gemini.app import GeminiStandIn
from tests.contract.simulator.gemini.requests import ask


@pytest.mark.parametrize("reason", FINISH_REASONS)
def test_every_finish_reason_is_the_clients_enum(client: genai.Client, stand_in: GeminiStandIn, reason: str) -> None:
    stand_in.script([script.finish(reason, message="why")])

    response = ask(client)

    assert response.candidates
    candidate = response.candidates[0]
    assert candidate.finish_reason is types.FinishReason(reason)
    assert candidate.finish_message in {"why", None}  # the client drops it on the Developer API
    assert candidate.content is None or candidate.content.parts is None
    assert response.function_calls is None


def test_a_blocked_prompt_has_feedback_and_no_candidates(client: genai.Client, stand_in: GeminiStandIn) -> None:
    stand_in.script([script.blocked("SAFETY")])

    response = ask(client)

    assert response.candidates is None
    assert response.prompt_feedback is not None
    assert response.prompt_feedback.block_reason is types.BlockedReason.SAFETY


def test_a_rate_limit_has_a_retry_delay(client: genai.Client, stand_in: GeminiStandIn) -> None:
    stand_in.script([script.rate_limited(retry_delay_s=17)])

    with pytest.raises(errors.ClientError, match="RESOURCE_EXHAUSTED") as limited:
        ask(client)

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
        ask(client)

    assert failed.value.code == code


def test_broken_json_is_a_decode_error(client: genai.Client, stand_in: GeminiStandIn) -> None:
    stand_in.script([script.malformed_json()])

    with pytest.raises(json.JSONDecodeError):
        ask(client)


def test_an_empty_body_is_a_response_without_candidates(client: genai.Client, stand_in: GeminiStandIn) -> None:
    stand_in.script([script.empty_body()])

    assert ask(client).candidates is None


def test_a_dropped_connection_is_a_transport_error(client: genai.Client, stand_in: GeminiStandIn) -> None:
    stand_in.script([script.dropped()])

    with pytest.raises(httpx2.RemoteProtocolError):
        ask(client)

    assert ask(client).function_calls


def test_a_slow_answer_is_a_timeout(make_client: Callable[..., genai.Client], stand_in: GeminiStandIn) -> None:
    client = make_client(timeout_ms=100, headers={"X-Server-Timeout": "10"})
    stand_in.script([script.text("late").slow(0.3)])

    with pytest.raises(httpx2.ReadTimeout):
        ask(client)


def test_a_short_timeout_becomes_a_deadline_that_is_refused(make_client: Callable[..., genai.Client]) -> None:
    with pytest.raises(errors.ClientError, match="Manually set deadline 3s is too short"):
        ask(make_client(timeout_ms=3000))


def test_an_answer_can_be_held_while_something_else_happens(client: genai.Client, stand_in: GeminiStandIn) -> None:
    hold = Hold()
    stand_in.script([script.call("reply", {"message": "late"}).held(hold)])
    answers: list[types.GenerateContentResponse] = []
    asking = threading.Thread(target=lambda: answers.append(ask(client)))
    asking.start()

    hold.wait_until_reached()
    assert stand_in.requests[-1].kind == "pending"
    hold.release()
    asking.join()

    assert answers[0].function_calls
