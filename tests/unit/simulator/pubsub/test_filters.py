"""The filter language: the matches of each form, the positions of errors, and the laws of the operators."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.pubsub.errors import InvalidArgumentError
from simulator.pubsub.expressions import And, Equals, Expression, Has, HasPrefix, Not, Or
from simulator.pubsub.filters import MAX_FILTER_BYTES, parse_filter

COM = {"name": "com"}
ORG = {"name": "org"}
NAMELESS = {"other": "com"}

KEYS = st.sampled_from(["a", "b", "a-b", "iana.org/tag", "みんな", "NOT", 'q"\\'])
VALUES = st.text(st.characters(codec="utf-8"), max_size=4)
ATTRIBUTES = st.dictionaries(KEYS, VALUES, max_size=4)
CONDITIONS = st.one_of(
    st.builds(Has, key=KEYS),
    st.builds(Equals, key=KEYS, value=VALUES),
    st.builds(HasPrefix, key=KEYS, prefix=VALUES),
)


def _operands(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[tuple[Expression, ...]]:
    return st.lists(inner, min_size=2, max_size=3).map(tuple)


EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(
    CONDITIONS,
    lambda inner: st.one_of(
        st.builds(Not, operand=inner),
        st.builds(And, operands=_operands(inner)),
        st.builds(Or, operands=_operands(inner)),
    ),
    max_leaves=4,
)


@pytest.mark.parametrize(
    ("text", "matching", "failing"),
    [
        ("attributes:name", [COM, ORG], [NAMELESS]),
        ("NOT attributes:name", [NAMELESS], [COM, ORG]),
        ("-attributes:name", [NAMELESS, {}], [COM]),
        ('attributes.name = "com"', [COM], [ORG, NAMELESS]),
        ('attributes.name != "com"', [ORG, NAMELESS, {}], [COM]),
        ('hasPrefix(attributes.name, "co")', [COM], [ORG, NAMELESS]),
        ('NOT hasPrefix(attributes.name, "co")', [ORG, NAMELESS], [COM]),
        ('attributes."iana.org/tag" = "en"', [{"iana.org/tag": "en"}], [{"iana.org/tag": "EN"}]),
        (r'attributes:"\u307F\u3093\u306A"', [{"みんな": ""}], [COM]),
        (r'attributes.a = "\x41\102\"\\\n\U0001F600"', [{"a": 'AB"\\\n😀'}], [{"a": "AB"}]),
        ('attributes.name="com"OR attributes.name="org"', [COM, ORG], [NAMELESS]),
        ('attributes:name AND (attributes.name = "net" OR attributes.name = "org")', [ORG], [COM, NAMELESS]),
        ('NOT attributes.name = "com" AND attributes:name', [ORG], [COM, NAMELESS]),
        ("NOT NOT attributes:name", [COM], [{}]),
        ("attributes:AND AND attributes:attributes", [{"AND": "", "attributes": ""}], [{"AND": ""}]),
    ],
)
def test_a_filter_matches_as_documented(
    text: str, matching: list[dict[str, str]], failing: list[dict[str, str]]
) -> None:
    expression = parse_filter(text)

    assert expression is not None
    assert [expression.matches(attributes) for attributes in matching] == [True] * len(matching)
    assert [expression.matches(attributes) for attributes in failing] == [False] * len(failing)


def test_an_empty_text_is_no_filter() -> None:
    assert parse_filter("") is None


@pytest.mark.parametrize(
    ("text", "at", "what"),
    [
        (" ", 2, "expected attributes"),
        ("attributes", 11, "expected '.' or ':'"),
        ("attributes.name", 16, "expected '=' or '!='"),
        ("attributes.name = com", 19, "expected text in double quotes, found 'com'"),
        ("attributes.name = attributes.website", 19, "found 'attributes'"),
        ("attributes.name = 'com'", 19, "has no meaning here"),
        ('"com" = attributes.name', 1, "expected attributes"),
        ('attributes.name = "com', 19, "the quote is never closed"),
        ('attributes.name > "com"', 17, "has no meaning here"),
        ('attributes.name = "com" and attributes:x', 25, "expected AND, OR or the end, found 'and'"),
        ("attributes:a AND attributes:b OR attributes:c", 31, "need parentheses"),
        ("attributes:a OR attributes:b AND attributes:c", 30, "need parentheses"),
        ('attributes.name = "com" AND ("net" OR "org")', 30, "expected attributes"),
        ("(attributes:a", 14, "expected ')', found the end"),
        ("attributes:a)", 13, "expected AND, OR or the end"),
        ("attributes: AND attributes:b", 17, "expected AND, OR or the end"),
        (r"attributes:\u307F", 12, "has no meaning here"),
        (r'attributes:"a\q"', 14, "is no escape"),
        (r'attributes:"\ud800"', 13, "is no escape"),
        ("hasPrefix(attributes:a)", 21, "expected '.'"),
        ('hasSuffix(attributes.a, "x")', 1, "found 'hasSuffix'"),
    ],
)
def test_a_wrong_filter_names_the_position(text: str, at: int, what: str) -> None:
    with pytest.raises(InvalidArgumentError) as refused:
        parse_filter(text)

    assert f"at character {at}:" in str(refused.value)
    assert what in str(refused.value)


def test_the_limit_of_a_filter_is_in_bytes() -> None:
    longest = f'attributes:"{"x" * (MAX_FILTER_BYTES - len("attributes:") - 2)}"'

    assert parse_filter(longest) is not None
    with pytest.raises(InvalidArgumentError, match="257 bytes"):
        parse_filter(longest + " ")
    with pytest.raises(InvalidArgumentError, match="bytes"):
        parse_filter(f'attributes:"{"み" * 90}"')


def test_the_deepest_filter_is_parsed() -> None:
    assert parse_filter("-" * 244 + "attributes:a") is not None
    assert parse_filter("(" * 122 + "attributes:a" + ")" * 122) is not None


@given(EXPRESSIONS)
def test_expressions_round_trip_as_text(expression: Expression) -> None:
    text = _written(expression)

    if len(text.encode()) <= MAX_FILTER_BYTES:
        assert parse_filter(text) == expression


@given(EXPRESSIONS, ATTRIBUTES)
def test_either_an_expression_or_its_negation_matches(expression: Expression, attributes: dict[str, str]) -> None:
    assert expression.matches(attributes) != Not(operand=expression).matches(attributes)


@given(EXPRESSIONS, EXPRESSIONS, ATTRIBUTES)
def test_de_morgan_holds(left: Expression, right: Expression, attributes: dict[str, str]) -> None:
    neither = Not(operand=Or(operands=(left, right)))
    both_not = And(operands=(Not(operand=left), Not(operand=right)))

    assert neither.matches(attributes) == both_not.matches(attributes)


@given(st.text(max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    _read_or_refuse(text)


@given(st.lists(st.sampled_from(["attributes", ":", ".", "a", "=", '"v"', "AND", "OR", "NOT", "-", "(", ")", " "])))
def test_any_tokens_are_parsed_or_refused(tokens: list[str]) -> None:
    _read_or_refuse("".join(tokens))


def _read_or_refuse(text: str) -> None:
    try:
        parse_filter(text)
    except InvalidArgumentError as refused:
        assert str(refused).startswith("The filter ")  # noqa: PT017


def _written(expression: Expression) -> str:
    match expression:
        case Has():
            return f"attributes:{_quoted(expression.key)}"
        case Equals():
            return f"attributes.{_quoted(expression.key)} = {_quoted(expression.value)}"
        case HasPrefix():
            return f"hasPrefix(attributes.{_quoted(expression.key)}, {_quoted(expression.prefix)})"
        case Not():
            return f"NOT ({_written(expression.operand)})"
        case And() | Or():
            operator = " AND " if isinstance(expression, And) else " OR "
            return operator.join(f"({_written(operand)})" for operand in expression.operands)


def _quoted(text: str) -> str:
    return '"' + "".join(c if c.isalnum() else f"\\U{ord(c):08x}" for c in text) + '"'
