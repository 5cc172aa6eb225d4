from __future__ import annotations

import base64
import threading
from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini.script import Hold, text

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.testclient import TestClient

    from simulator.gemini.app import GeminiStandIn


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        ({"calls": [{"name": "reply", "args": {"message": "hi"}}, {"name": "b"}]}, "call reply b"),
        ({"text": "hi"}, "text"),
        ({"empty": True}, "empty"),
        ({"finish": "SAFETY"}, "SAFETY"),
        ({"finish": "MAX_TOKENS", "text": "so f", "finish_message": "m"}, "MAX_TOKENS"),
        ({"blocked": "SAFETY"}, "blocked"),
        ({"rate_limited": {"retry_delay_s": 2.5}}, "429"),
        ({"error": {"code": 503, "status": "UNAVAILABLE", "message": "m"}}, "503"),
        ({"raw": "malformed_json"}, "raw 200"),
        ({"raw": "empty_body"}, "raw 200"),
        ({"raw": "html"}, "raw 502"),
        ({"raw": "anything"}, "raw 200"),
        ({"dropped": True}, "dropped"),
        ({"text": "hi", "delay_s": 0.01, "if_text_contains": "hello"}, "text"),
        ({"text": "hi", "if_text_contains": "goodbye"}, "call reply"),
    ],
)
def test_a_step_can_be_scripted_over_http(
    client: TestClient,
    post: Callable[..., Any],
    body: Callable[..., dict[str, Any]],
    step: dict[str, object],
    kind: str,
) -> None:
    scripted = client.post("/control/script", json={"steps": [step]})
    if kind != "dropped":
        post(body("hello"))
        log = client.get("/control/requests").json()
        assert [record["kind"] for record in log["requests"]] == [kind]

    assert scripted.json() == {"pending_steps": 1}


def test_the_log_holds_the_whole_request(
    client: TestClient, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    post(body("hello"))

    (record,) = client.get("/control/requests").json()["requests"]

    assert record["body"] == body("hello")
    assert (record["last_text"], record["status_code"], record["number"]) == ("hello", 200, 1)


@pytest.mark.parametrize("steps", [[{}], [{"delay_s": 1}], ["text"], [{"text": 5}], [{"calls": "reply"}]])
def test_a_step_without_an_answer_is_refused(client: TestClient, steps: list[object]) -> None:
    response = client.post("/control/script", json={"steps": steps})

    assert response.status_code == 400
    assert client.get("/control/requests").json()["pending_steps"] == 0


def test_a_held_answer_waits_for_its_release(
    post: Callable[..., Any], body: Callable[..., dict[str, Any]], stand_in: GeminiStandIn
) -> None:
    hold = Hold()
    stand_in.script([text("late").held(hold)])
    answers: list[Any] = []
    asking = threading.Thread(target=lambda: answers.append(post(body())))
    asking.start()

    hold.wait_until_reached()
    assert stand_in.requests[0].kind == "pending"
    assert stand_in.requests[0].request is not None
    hold.release()
    asking.join()

    assert answers[0].json()["candidates"][0]["content"]["parts"] == [{"text": "late"}]


@pytest.mark.parametrize("way", ["release", "reset"])
def test_a_hold_is_released_over_http_by_name(
    client: TestClient, post: Callable[..., Any], body: Callable[..., dict[str, Any]], way: str
) -> None:
    client.post("/control/script", json={"steps": [{"text": "late", "hold": "first"}]})
    answers: list[Any] = []
    asking = threading.Thread(target=lambda: answers.append(post(body())))
    asking.start()

    released = client.post(f"/control/{way}", json={"hold": "first"})
    asking.join()

    assert released.status_code == 200
    assert answers[0].status_code == 200


def test_an_unknown_hold_is_not_found(client: TestClient) -> None:
    assert client.post("/control/release", json={"hold": "other"}).status_code == 404
    assert client.post("/control/release", content=b"?").status_code == 400


def test_waiting_for_a_request_times_out() -> None:
    with pytest.raises(TimeoutError, match="no request reached the hold"):
        Hold().wait_until_reached(timeout_s=0.01)


def test_a_blocked_word_and_a_broken_medium_are_refused_until_the_reset(
    client: TestClient, post: Callable[..., Any], body: Callable[..., dict[str, Any]]
) -> None:
    refusals = {"blocked_words": ["forbidden"], "broken_media": ["damaged"]}
    assert client.post("/control/refusals", json=refusals).json() == {}
    picture = body("look")
    data = base64.b64encode(b"a damaged picture").decode()
    picture["contents"][0]["parts"].append({"inlineData": {"mimeType": "image/jpeg", "data": data}})

    post(body("a forbidden word"))
    post(body("a kind word"))
    refused = post(picture)
    client.post("/control/reset")
    log = [record["kind"] for record in client.get("/control/requests").json()["requests"]]
    post(picture)

    assert log == []
    assert (refused.status_code, refused.json()["error"]["message"]) == (400, "Provided image is not valid.")
    assert [one["kind"] for one in client.get("/control/requests").json()["requests"]] == ["call reply"]


def test_refusals_of_another_shape_are_refused(client: TestClient) -> None:
    assert client.post("/control/refusals", json={"blocked_words": "forbidden"}).status_code == 400
