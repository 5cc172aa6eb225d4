import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.line.json_text import MAX_DEPTH, is_ordinary, parse_json

ORDINARY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@given(value=ORDINARY, is_ascii=st.booleans())
def test_ordinary_json_is_read_unchanged(value: object, is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii).encode(errors="surrogatepass")

    assert is_ordinary(value)
    assert parse_json(text) == json.loads(text)


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1" + "0" * 400, "9" * 5_000, "-" + "9" * 5_000])
def test_a_number_that_no_double_holds_is_none(number: str) -> None:
    assert parse_json(f'{{"odd": [{number}], "even": 2}}'.encode()) == {"odd": [None], "even": 2}


@pytest.mark.parametrize("depth", [MAX_DEPTH, 300, 980, 100_000])
def test_a_value_that_nests_too_deep_is_none(depth: int) -> None:
    deep = f'{{"odd": {nested(depth)}, "[\\"[": [{{"a": {nested(depth)}}}, "]}}"], "even": 2}}'

    parsed = parse_json(deep.encode())

    assert is_ordinary(parsed)
    assert isinstance(parsed, dict)
    assert parsed["even"] == 2
    assert parsed['["['][1] == "]}"


def test_values_nest_to_the_limit() -> None:
    assert parse_json(nested(MAX_DEPTH).encode()) == json.loads(nested(MAX_DEPTH))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[NaN]",
        b"[" * 100_000,
        b"]" * 100_000,
        b'"' * 99_999,
        b'"\\' * 50_000,
        b'"' + b'\\"' * 50_000,
        b'"a\\',
        b"[[}" * 9_999,
        b"\xff",
    ],
)
def test_a_text_that_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match="no JSON"):
        parse_json(text)


@pytest.mark.parametrize("value", [math.nan, math.inf, 10**400, [[{"a": -math.inf}]], json.loads(nested(300))])
def test_a_value_that_json_cannot_carry_is_not_ordinary(value: object) -> None:
    assert not is_ordinary(value)


def test_values_beside_one_that_nests_too_deep_stay() -> None:
    deep, text = "[" * MAX_DEPTH + '"x", [["y"], "z"], "w"' + "]" * MAX_DEPTH, "[" * (MAX_DEPTH + 1) + '"a"'
    value = parse_json(deep.encode())
    for _ in range(MAX_DEPTH - 1):
        assert isinstance(value, list)
        (value,) = value

    assert value == ["x", None, "w"]
    assert parse_json(f'{{"a": {text}{"]" * (MAX_DEPTH + 1)}, "b": 1}}'.encode()) != {}


@pytest.mark.parametrize("value", [[1, float("inf")], {"a": 1, "b": [2, 2**1024]}])
def test_one_number_that_no_double_holds_is_enough(value: object) -> None:
    assert not is_ordinary(value)


def test_numbers_are_read_up_to_their_limits() -> None:
    assert is_ordinary(2**1024 - 1)
    assert not is_ordinary(2**1024)
    assert parse_json(b"1" * 300) == int("1" * 300)
    assert parse_json(b"1" * 301) is None
