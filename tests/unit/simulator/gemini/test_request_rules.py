from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.gemini import request_rules
from simulator.gemini.errors import RefusedError
from simulator.gemini.request import FunctionCall
from simulator.gemini.request_codec import read_request
from simulator.gemini.signatures import VALIDATOR_SKIP

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

from tests.unit.simulator.gemini.contents import SIGNER, user_content


def _call(name: str = "reply", call_id: str | None = "c1", *, signed: bool = True, **args: object) -> dict[str, Any]:
    call = {"name": name, "args": args, **({"id": call_id} if call_id else {})}
    signature = SIGNER.sign(FunctionCall(id=call_id, name=name, args=args))
    return {"functionCall": call, **({"thoughtSignature": signature} if signed else {})}


def _response(name: str = "reply", call_id: str | None = "c1") -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": 1}, **({"id": call_id} if call_id else {})}}


def _model(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


ASKED = user_content({"text": "hello"})


@pytest.mark.parametrize(
    "contents",
    [
        pytest.param([ASKED], id="one question"),
        pytest.param([{"parts": [{"text": "hello"}]}], id="no role"),
        pytest.param([ASKED, ASKED, user_content({"text": "a"}, {"text": "b"})], id="several user contents"),
        pytest.param([_model({"text": "hi"}), ASKED], id="history that begins with the model"),
        pytest.param([ASKED, _model(_call()), user_content(_response())], id="an answered call"),
        pytest.param([ASKED, _model(_call(call_id=None)), user_content(_response(call_id=None))], id="a call without id"),
        pytest.param(
            [ASKED, _model(_call(), _call("skip", "c2", signed=False)), user_content(_response("skip", "c2"), _response())],
            id="parallel calls answered in another order",
        ),
        pytest.param(
            [ASKED, _model({"text": "hm", "thought": True}, _call()), user_content(_response()), _model(_call("a", "c2")),
             user_content(_response("a", "c2"), {"text": "and quickly"})],
            id="two rounds",
        ),
        pytest.param(
            [ASKED, _model(_call(signed=False)), user_content(_response()), _model({"text": "done"}), ASKED],
            id="an unsigned call of an earlier turn",
        ),
        pytest.param(
            [ASKED, _model({**_call(signed=False), "thoughtSignature": VALIDATOR_SKIP}), user_content(_response())],
            id="the documented way round",
        ),
    ],
)  # fmt: skip
def test_a_valid_conversation_is_accepted(check: Callable[..., None], contents: list[dict[str, Any]]) -> None:
    check(contents=contents)


@pytest.mark.parametrize(
    ("contents", "complaint"),
    [
        ([], "contents is not specified"),
        ([{"role": "tool", "parts": [{"text": "a"}]}], "valid role: user, model"),
        ([{"role": "system", "parts": [{"text": "a"}]}], "valid role: user, model"),
        ([{"role": "user", "parts": []}], "parts must not be empty"),
        ([ASKED, _model({"text": "hi"})], "last content has role 'user'"),
        ([user_content(_call())], "only role 'model' can have function calls"),
        ([ASKED, _model(_response()), ASKED], "only role 'user' can have function responses"),
        ([_model(_call()), user_content(_response())], "function call turn comes immediately after a user turn"),
        ([ASKED, _model({"text": "hm"}), _model(_call()), user_content(_response())], "immediately after a user turn"),
        ([ASKED, user_content(_response())], "response turn comes immediately after a function call turn"),
        ([ASKED, _model({"text": "hi"}), user_content(_response())], "immediately after a function call turn"),
        ([ASKED, _model(_call()), ASKED], "number of function response parts is equal"),
        ([ASKED, _model(_call(), _call("skip", "c2")), user_content(_response())], "parts is equal"),
        ([ASKED, _model(_call()), user_content(_response(), _response("skip", "c2"))], "parts is equal"),
        ([ASKED, _model(_call()), user_content(_response("skip"))], "does not match the name"),
        ([ASKED, _model(_call()), user_content(_response(call_id="c9"))], "No function response has the id"),
        ([ASKED, _model(_call()), user_content(_response(call_id=None))], "No function response has the id"),
        (
            [ASKED, _model(_call(), _call("skip", "c2")), user_content(_response(), _response("skip", "c1"))],
            "No function response has the id|does not match",
        ),
        ([ASKED, _model(_call(call_id=None)), user_content(_response("skip", None))], "does not match the name"),
        ([ASKED, _model(_call(signed=False)), user_content(_response())], "missing a thought_signature .*position 2"),
        (
            [ASKED, _model(_call("skip", "c2", signed=False), _call()), user_content(_response(), _response("skip", "c2"))],
            "missing a thought_signature",
        ),
        (
            [ASKED, _model({**_call(), "thoughtSignature": "Zm9yZWlnbg=="}), user_content(_response())],
            "signature is not valid",
        ),
        (
            [ASKED, _model({**_call(message="b"), "thoughtSignature": _call(message="a")["thoughtSignature"]}),
             user_content(_response())],
            "signature is not valid",
        ),
        (
            [ASKED, _model(_call()), user_content(_response()), _model(_call("a", "c2", signed=False)),
             user_content(_response("a", "c2"))],
            "missing a thought_signature .*position 4",
        ),
    ],
)  # fmt: skip
def test_an_invalid_conversation_is_refused(
    check: Callable[..., None], contents: list[dict[str, Any]], complaint: str
) -> None:
    with pytest.raises(RefusedError, match=complaint) as refused:
        check(contents=contents)

    assert (refused.value.error.code, refused.value.error.status) == (400, "INVALID_ARGUMENT")


def test_gemini_2_does_not_require_signatures(check: Callable[..., None]) -> None:
    contents = [ASKED, _model(_call(signed=False)), user_content(_response())]

    check(model="gemini-2.5-flash", contents=contents, generationConfig={})


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
def test_any_conversation_by_the_rules_is_accepted(
    *, texts: list[str], rounds: list[list[tuple[str, dict[str, object]]]], with_ids: bool, chance: Random
) -> None:
    contents = [user_content(*({"text": text} for text in texts))]
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
        contents += [_model(*parts), user_content(*answers)]

    request = read_request(json.dumps({"contents": contents}).encode(), model="gemini-3.8-flash", backend="developer")

    request_rules.refuse_bad_request(request, SIGNER)
