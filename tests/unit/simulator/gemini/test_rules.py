from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.gemini import rules
from simulator.gemini.errors import RefusedError
from simulator.gemini.signatures import VALIDATOR_SKIP, Signer
from simulator.gemini.wire import FunctionCall, read_request

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from simulator.gemini.wire import GenerateContentRequest

SIGNER = Signer(seed=0)


def _call(name: str = "reply", call_id: str | None = "c1", *, signed: bool = True, **args: object) -> dict[str, Any]:
    call = {"name": name, "args": args, **({"id": call_id} if call_id else {})}
    signature = SIGNER.sign(FunctionCall(id=call_id, name=name, args=args))
    return {"functionCall": call, **({"thoughtSignature": signature} if signed else {})}


def _response(name: str = "reply", call_id: str | None = "c1") -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": 1}, **({"id": call_id} if call_id else {})}}


def _user(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def _model(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


ASKED = _user({"text": "hello"})


@pytest.fixture
def check(body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]) -> Callable[..., None]:
    def check(*, model: str = "gemini-3.5-flash-lite", backend: str = "developer", **changes: object) -> None:
        rules.refuse_bad_request(read(body(**changes), model=model, backend=backend), SIGNER)

    return check


@pytest.mark.parametrize(
    "contents",
    [
        pytest.param([ASKED], id="one question"),
        pytest.param([{"parts": [{"text": "hello"}]}], id="no role"),
        pytest.param([ASKED, ASKED, _user({"text": "a"}, {"text": "b"})], id="several user contents"),
        pytest.param([_model({"text": "hi"}), ASKED], id="history that begins with the model"),
        pytest.param([ASKED, _model(_call()), _user(_response())], id="an answered call"),
        pytest.param([ASKED, _model(_call(call_id=None)), _user(_response(call_id=None))], id="a call without id"),
        pytest.param(
            [ASKED, _model(_call(), _call("skip", "c2", signed=False)), _user(_response("skip", "c2"), _response())],
            id="parallel calls answered in another order",
        ),
        pytest.param(
            [ASKED, _model({"text": "hm", "thought": True}, _call()), _user(_response()), _model(_call("a", "c2")),
             _user(_response("a", "c2"), {"text": "and quickly"})],
            id="two rounds",
        ),
        pytest.param(
            [ASKED, _model(_call(signed=False)), _user(_response()), _model({"text": "done"}), ASKED],
            id="an unsigned call of an earlier turn",
        ),
        pytest.param(
            [ASKED, _model({**_call(signed=False), "thoughtSignature": VALIDATOR_SKIP}), _user(_response())],
            id="the documented way round",
        ),
    ],
)  # fmt: skip
def test_a_sound_conversation_is_accepted(check: Callable[..., None], contents: list[dict[str, Any]]) -> None:
    check(contents=contents)


@pytest.mark.parametrize(
    ("contents", "complaint"),
    [
        ([], "contents is not specified"),
        ([{"role": "tool", "parts": [{"text": "a"}]}], "valid role: user, model"),
        ([{"role": "system", "parts": [{"text": "a"}]}], "valid role: user, model"),
        ([{"role": "user", "parts": []}], "parts must not be empty"),
        ([ASKED, _model({"text": "hi"})], "last content has role 'user'"),
        ([_user(_call())], "only role 'model' can have function calls"),
        ([ASKED, _model(_response()), ASKED], "only role 'user' can have function responses"),
        ([_model(_call()), _user(_response())], "function call turn comes immediately after a user turn"),
        ([ASKED, _model({"text": "hm"}), _model(_call()), _user(_response())], "immediately after a user turn"),
        ([ASKED, _user(_response())], "response turn comes immediately after a function call turn"),
        ([ASKED, _model({"text": "hi"}), _user(_response())], "immediately after a function call turn"),
        ([ASKED, _model(_call()), ASKED], "number of function response parts is equal"),
        ([ASKED, _model(_call(), _call("skip", "c2")), _user(_response())], "parts is equal"),
        ([ASKED, _model(_call()), _user(_response(), _response("skip", "c2"))], "parts is equal"),
        ([ASKED, _model(_call()), _user(_response("skip"))], "does not match the name"),
        ([ASKED, _model(_call()), _user(_response(call_id="c9"))], "No function response has the id"),
        ([ASKED, _model(_call()), _user(_response(call_id=None))], "No function response has the id"),
        (
            [ASKED, _model(_call(), _call("skip", "c2")), _user(_response(), _response("skip", "c1"))],
            "No function response has the id|does not match",
        ),
        ([ASKED, _model(_call(call_id=None)), _user(_response("skip", None))], "does not match the name"),
        ([ASKED, _model(_call(signed=False)), _user(_response())], "missing a thought_signature .*position 2"),
        (
            [ASKED, _model(_call("skip", "c2", signed=False), _call()), _user(_response(), _response("skip", "c2"))],
            "missing a thought_signature",
        ),
        (
            [ASKED, _model({**_call(), "thoughtSignature": "Zm9yZWlnbg=="}), _user(_response())],
            "signature is not valid",
        ),
        (
            [ASKED, _model({**_call(message="b"), "thoughtSignature": _call(message="a")["thoughtSignature"]}),
             _user(_response())],
            "signature is not valid",
        ),
        (
            [ASKED, _model(_call()), _user(_response()), _model(_call("a", "c2", signed=False)),
             _user(_response("a", "c2"))],
            "missing a thought_signature .*position 4",
        ),
    ],
)  # fmt: skip
def test_a_broken_conversation_is_refused(
    check: Callable[..., None], contents: list[dict[str, Any]], complaint: str
) -> None:
    with pytest.raises(RefusedError, match=complaint) as refused:
        check(contents=contents)

    assert (refused.value.error.code, refused.value.error.status) == (400, "INVALID_ARGUMENT")


def test_gemini_2_does_not_insist_on_signatures(check: Callable[..., None]) -> None:
    contents = [ASKED, _model(_call(signed=False)), _user(_response())]

    check(model="gemini-2.5-flash", contents=contents, generationConfig={})


@pytest.mark.parametrize(
    ("model", "level", "is_known"),
    [
        ("gemini-3.5-flash-lite", "MINIMAL", True),
        ("gemini-3.1-flash-lite", "MINIMAL", True),
        ("gemini-3.6-flash", "MINIMAL", True),
        ("gemini-3.5-flash", "HIGH", True),
        ("gemini-3.8-flash", "LOW", True),
        ("gemini-3.8-flash", "low", True),
        ("gemini-4-argon", "MEDIUM", True),
        ("gemini-3.8-flash", "MINIMAL", False),
        ("gemini-3.7-flash", "minimal", False),
        ("gemini-4-argon", "MINIMAL", False),
        ("gemini-3.5-flash-lite", "XHIGH", False),
        ("gemini-3.5-flash-lite", "HUGE", False),
        ("gemini-2.5-flash", "LOW", False),
    ],
)
def test_thinking_levels_are_those_of_the_model(
    check: Callable[..., None], model: str, level: str, *, is_known: bool
) -> None:
    settings = {"thinkingConfig": {"thinking_level": level}}

    if is_known:
        check(model=model, generationConfig=settings)
        return
    with pytest.raises(RefusedError, match="not supported for this model"):
        check(model=model, generationConfig=settings)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"thinkingConfig": {"thinkingLevel": "LOW", "thinkingBudget": 0}}, "thinking budget and thinking level"),
        ({"frequencyPenalty": 0.5}, "Penalty is not enabled"),
        ({"presence_penalty": -1}, "Penalty is not enabled"),
        ({"responseJsonSchema": {"type": "object"}}, "response_mime_type"),
        (
            {"responseMimeType": "application/json", "responseJsonSchema": {"type": "string", "pattern": "a"}},
            "'pattern' is not supported",
        ),
        (
            {"responseMimeType": "application/json", "responseSchema": {"type": "OBJECT", "const": 1}},
            'Unknown name "const"',
        ),
        (
            {"responseMimeType": "application/json", "responseSchema": {}, "responseJsonSchema": {}},
            "Only one of response_schema",
        ),
    ],
)
def test_settings_that_gemini_refuses_are_refused(
    check: Callable[..., None], settings: dict[str, object], complaint: str
) -> None:
    with pytest.raises(RefusedError, match=complaint):
        check(generationConfig=settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"frequencyPenalty": 0.0, "presencePenalty": 0},
        {"thinkingConfig": {"thinkingBudget": -1}},
        {"maxOutputTokens": 1024, "temperature": 1, "topP": 0.9, "somethingNew": True},
    ],
)
def test_settings_that_gemini_takes_are_taken(check: Callable[..., None], settings: dict[str, object]) -> None:
    check(generationConfig=settings)


@pytest.mark.parametrize("server_timeout", [None, "10", "10.0", "600"])
def test_a_deadline_of_ten_seconds_and_more_is_taken(server_timeout: str | None) -> None:
    rules.refuse_short_deadline(server_timeout)


@pytest.mark.parametrize("server_timeout", ["9", "0", "-1", "nan"])
def test_a_shorter_deadline_is_refused(server_timeout: str) -> None:
    with pytest.raises(RefusedError, match=r"Manually set deadline .*s is too short. Minimum allowed deadline is 10s."):
        rules.refuse_short_deadline(server_timeout)


def test_a_deadline_that_is_no_number_is_refused() -> None:
    with pytest.raises(RefusedError, match="X-Server-Timeout"):
        rules.refuse_short_deadline("soon")


def test_a_body_over_twenty_megabytes_is_refused() -> None:
    rules.refuse_large_body(100 * 1024 * 1024)

    with pytest.raises(RefusedError, match="payload size exceeds the limit"):
        rules.refuse_large_body(100 * 1024 * 1024 + 1)


def test_the_latest_aliases_live_on_v1beta_only() -> None:
    rules.refuse_unknown_model("gemini-flash-latest", api_version="v1beta")

    with pytest.raises(RefusedError, match="not found for API version v1,"):
        rules.refuse_unknown_model("gemini-flash-latest", api_version="v1")


calls = st.lists(
    st.tuples(
        st.sampled_from(["reply", "skip", "search_entries"]),
        st.dictionaries(
            st.text(max_size=5),
            st.text(max_size=5) | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
            max_size=2,
        ),
    ),
    min_size=1,
    max_size=3,
)


@given(
    texts=st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=4),
    rounds=st.lists(calls, max_size=3),
    with_ids=st.booleans(),
    chance=st.randoms(use_true_random=False),
)
def test_any_conversation_put_together_by_the_rules_is_accepted(
    *, texts: list[str], rounds: list[list[tuple[str, dict[str, object]]]], with_ids: bool, chance: Random
) -> None:
    contents = [_user(*({"text": text} for text in texts))]
    for number, called in enumerate(rounds):
        ids = [f"c{number}-{index}" if with_ids else None for index in range(len(called))]
        parts = []
        for index, (name, args) in enumerate(called):
            call = FunctionCall(id=ids[index], name=name, args=args)
            wire = {"name": name, "args": args, **({"id": ids[index]} if with_ids else {})}
            parts.append({"functionCall": wire, **({} if index else {"thoughtSignature": SIGNER.sign(call)})})
        answers = [_response(name, call_id) for (name, _), call_id in zip(called, ids, strict=True)]
        if with_ids:
            chance.shuffle(answers)
        contents += [_model(*parts), _user(*answers)]

    request = read_request(json.dumps({"contents": contents}).encode(), model="gemini-3.8-flash", backend="developer")

    rules.refuse_bad_request(request, SIGNER)


def _media(**fields: object) -> dict[str, Any]:
    return _user({"text": "look"}, {next(iter(fields)): next(iter(fields.values()))})


@pytest.mark.parametrize(
    ("part", "backend"),
    [
        ({"inlineData": {"mimeType": "image/jpeg", "data": "_-8="}}, "developer"),
        ({"inlineData": {"mimeType": "audio/mp4", "data": "AAA"}}, "vertex"),
        ({"fileData": {"mimeType": "video/mp4", "fileUri": "gs://b/o"}}, "vertex"),
        ({"fileData": {"mimeType": "video/mp4", "fileUri": "https://a.b/c"}}, "developer"),
    ],
)
def test_media_are_taken(check: Callable[..., None], part: dict[str, Any], backend: str) -> None:
    check(contents=[_media(**part)], backend=backend)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"inlineData": {"mimeType": "application/zip", "data": "AA=="}}, "Unsupported MIME type"),
        ({"inlineData": {"data": "AA=="}}, "Unsupported MIME type"),
        ({"inlineData": {"mimeType": "image/png", "data": ""}}, "empty"),
        ({"inlineData": {"mimeType": "image/png", "data": "?"}}, "Base64"),
        ({"fileData": {"mimeType": "image/png", "fileUri": "gs://b/o"}}, "Invalid or unsupported file uri"),
    ],
)
def test_media_that_it_cannot_read_are_refused(check: Callable[..., None], part: dict[str, Any], message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        check(contents=[_media(**part)])
