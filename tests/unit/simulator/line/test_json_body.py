import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.line.harness import LineHarness
from simulator.line.json_body import DEPTH, MalformedJsonError, parse_json
from tests.unit.simulator.line.page.requests import act, state

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@given(JSON)
def test_json_of_utf8_is_read_as_it_is(value: Any) -> None:  # noqa: ANN401 - any JSON
    assert parse_json(json.dumps(value).encode()) == value


@given(st.text(st.characters(categories=("Cs", "L")), min_size=1))
def test_what_was_read_can_always_be_written(text: str) -> None:
    read = parse_json(json.dumps({text: [text]}).encode())

    assert parse_json(json.dumps(read, ensure_ascii=False).encode()) == read


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b"NaN",
        b"[Infinity]",
        b"1e999",
        b"9" * 5_000,
        b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1),
        b"[" * 100_000,
    ],
)
def test_other_bodies_are_malformed(body: bytes) -> None:
    with pytest.raises(MalformedJsonError):
        parse_json(body)


def test_half_a_surrogate_pair_does_not_poison_the_page(line: LineHarness) -> None:
    body = f'{{"user_id":"{line.user_id}","chat_id":"{line.user_id}","text":"\\ud83d!"}}'
    line.call(
        "POST",
        "/v2/bot/message/push",
        content=f'{{"to":"{line.user_id}","messages":[{{"type":"text","text":"\\ud83d"}}]}}',
        headers={"Content-Type": "application/json"},
    )
    assert act(line, "say", text="still here").status_code == 200

    texts = [entry["content"]["text"] for entry in state(line)["chats"][0]["entries"]]
    assert texts == ["\ufffd", "still here"]
    assert parse_json(body.encode())["text"] == "\ufffd!"
