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
_NEEDED = frozenset(
    (
        "type",
        "text",
        "label",
        "data",
        "size",
        "bounds",
        "action",
        "name",
        "chat_bar_text",
        "areas",
        "selected",
        "items",
        "contents",
        "columns",
        "actions",
    )
)
_URL = ("https://example.com/a.png",)
_PLAUSIBLE: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        ("url", "uri", "originalContentUrl", "previewImageUrl", "previewUrl", "imageUrl", "thumbnailImageUrl"), _URL
    ),
    **dict.fromkeys(("baseUrl", "iconUrl", "linkUri", "externalLink"), _URL),
    **dict.fromkeys(
        ("text", "altText", "label", "data", "displayText", "title", "name", "chatBarText", "address"), ("hi", "あ😀")
    ),
    **dict.fromkeys(
        ("color", "backgroundColor", "borderColor", "separatorColor", "startColor", "endColor"),
        ("#1DB446", "#00000080"),
    ),
    **dict.fromkeys(
        ("spacing", "margin", "cornerRadius", "paddingAll", "paddingTop", "offsetTop"), ("md", "10px", "none")
    ),
    **dict.fromkeys(
        ("paddingBottom", "paddingStart", "paddingEnd", "offsetBottom", "offsetStart", "offsetEnd"), ("md", "10px")
    ),
    **dict.fromkeys(("width", "height", "maxWidth", "maxHeight"), ("50%", "10px")),
    "layout": ("vertical", "horizontal", "baseline"),
    "size": ("md", "kilo", "sm"),
    "style": ("primary", "link", "normal"),
    "align": ("start", "center"),
    "gravity": ("top", "bottom"),
    "weight": ("bold",),
    "decoration": ("underline",),
    "position": ("relative", "absolute"),
    "justifyContent": ("center",),
    "alignItems": ("flex-start",),
    "aspectRatio": ("20:13",),
    "aspectMode": ("cover",),
    "adjustMode": ("shrink-to-fit",),
    "lineSpacing": ("4px",),
    "borderWidth": ("light",),
    "direction": ("ltr",),
    "angle": ("90deg",),
    "flex": (0, 1, 3),
    "maxLines": (0, 2),
    "mode": ("date",),
    "initial": ("2026-01-01",),
    "max": ("2026-12-31", 10),
    "min": ("2026-01-01",),
    "inputOption": ("openKeyboard",),
    "latitude": (35.6,),
    "longitude": (139.7,),
    "duration": (60_000,),
    "loadingSeconds": (5, 20),
    "quoteToken": ("",),
    **dict.fromkeys(
        ("productId", "emojiId", "packageId", "stickerId", "couponId", "trackingId", "richMenuAliasId"), ("a1",)
    ),
}
_LENGTHS = frozenset({"width", "height"})
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
        chance = draw(st.integers(0, 79))
        if chance == 0:
            found[field.alias] = draw(WILD)
        elif field.required or field.name in _NEEDED or (chance < 20 and depth > 0):
            found[field.alias] = draw(_property(field, depth - 1))
    return found


def _property(field: Any, depth: int) -> st.SearchStrategy[Any]:  # noqa: ANN401 - a field of pydantic's
    if field.name == "type" and isinstance(field.default, str):
        return st.just(field.default)
    one = _value(field.type_, depth)
    is_number = getattr(field.type_, "__name__", "").startswith(("ConstrainedInt", "StrictInt", "ConstrainedFloat"))
    if (
        field.alias in _PLAUSIBLE
        and not hasattr(field.type_, "__fields__")
        and not (is_number and field.alias in _LENGTHS)
    ):
        one = st.sampled_from(_PLAUSIBLE[field.alias] * 40 + (None, "\ud83d", 7, "x" * 400))
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
