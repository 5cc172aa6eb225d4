"""Strategies for request bodies: what LINE's OpenAPI documents describe, by the models that its SDK generates from them, and worse."""

from typing import Any

import linebot.v3.messaging.models as line_models
from hypothesis import strategies as st

DEPTH = 7
TEXTS = (
    *(
        "",
        "hi",
        "{who} {{x}} }",
        "$ \ud83d",
        "\ud83d",
        "\ude00",
        "\x00",
        "あ" * 200,
        "x" * 6_000,
        "https://example.com/a.png",
        "#1DB446",
    ),
    *(
        "md",
        "10px",
        "50%",
        "1:1",
        "vertical",
        "baseline",
        "cover",
        "2026-01-01",
        "date",
        "all",
        "user",
        "U" + "0" * 32,
        "ftp://x",
    ),
)
WILD: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.sampled_from([0, -1, 1.5, 10**18, 2**53, -0.0])
    | st.sampled_from(TEXTS)
    | st.sampled_from([[], {}, [[]], [None], {"type": None}, {"type": []}, {"": {}}]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(TEXTS[:6]), inner, max_size=2),
    max_leaves=4,
)
_KINDS: dict[str, st.SearchStrategy[Any]] = {
    "StrictBool": st.booleans(),
    "StrictInt": st.integers(-2, 3_000),
    "StrictFloat": st.floats(-200, 200),
}


def bodies(model: type[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return bodies of the model: required properties nearly always, the others sometimes, and any of them of a wrong type at times."""
    return _object(model, DEPTH)


def models() -> list[type[Any]]:
    """Return every model of a request, and of a message."""
    names = [name for name in vars(line_models) if name.endswith("Request")]
    return [getattr(line_models, name) for name in sorted(names)]


@st.composite
def _object(draw: st.DrawFn, model: type[Any], depth: int) -> dict[str, Any]:
    model = draw(st.sampled_from(_variants(model)))
    found: dict[str, Any] = {}
    for field in model.__fields__.values():
        chance = draw(st.integers(0, 19))
        if chance == 0:
            found[field.alias] = draw(WILD)
        elif field.required or field.name == "type" or (chance < 6 and depth > 0):
            found[field.alias] = draw(_property(field, depth - 1))
    return found


def _property(field: Any, depth: int) -> st.SearchStrategy[Any]:  # noqa: ANN401 - a field of pydantic's
    if field.name == "type" and isinstance(field.default, str):
        return st.just(field.default)
    one = _value(field.type_, depth)
    outer = str(field.outer_type_)
    if "List" in outer:
        return st.lists(one, min_size=1 if depth > 0 else 0, max_size=3 if depth > 0 else 0)
    if "Dict" in outer:
        return st.dictionaries(st.sampled_from(["who", "e", "x y", "\ud83d"]), one, max_size=2)
    return one


def _value(kind: Any, depth: int) -> st.SearchStrategy[Any]:  # noqa: ANN401 - a type of pydantic's
    if hasattr(kind, "__fields__"):
        return _object(kind, depth) if depth > 0 else WILD
    return _KINDS.get(getattr(kind, "__name__", ""), st.sampled_from(TEXTS))


def _variants(model: type[Any]) -> list[type[Any]]:
    """Return the classes that the discriminator of the model names, or the model."""
    classes = getattr(model, f"_{model.__name__}__discriminator_value_class_map", {})
    return [getattr(line_models, name) for name in classes.values() if hasattr(line_models, name)] or [model]
