"""What LINE refuses inside of flex messages."""

from typing import Any

import pytest

from simulator.line.flex_rules import flex_problems
from simulator.line.harness import LineHarness

BUTTON = {"type": "button", "action": {"type": "uri", "label": "Open", "uri": "https://example.com"}}
IMAGE = {"type": "image", "url": "https://example.com/a.png"}


def bubble(*contents: object, layout: str = "vertical", **more: object) -> dict[str, Any]:
    return {"type": "bubble", "body": {"type": "box", "layout": layout, "contents": list(contents)}, **more}


def text(value: str = "hi", **more: object) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


def gradient(**changes: object) -> dict[str, Any]:
    background = {"type": "linearGradient", "angle": "90deg", "startColor": "#ffffff", "endColor": "#1DB446"}
    return {"type": "box", "layout": "vertical", "contents": [], "background": background | changes}


@pytest.mark.parametrize(
    "contents",
    [
        {"type": "bubble"},
        bubble(text(size="xl", weight="bold", wrap=True, color="#1DB446", maxLines=2), {"type": "separator", "margin": "md"}),
        bubble(BUTTON, hero=IMAGE | {"aspectRatio": "20:13", "aspectMode": "cover", "size": "full"}, size="kilo"),
        bubble({"type": "icon", "url": "https://a/b.png"}, text(), layout="baseline"),
        bubble({"type": "text", "contents": [{"type": "span", "text": "a", "decoration": "underline"}]}),
        bubble({"type": "box", "layout": "horizontal", "contents": [], "paddingAll": "20px", "width": "40%", "flex": 0}),
        {"type": "carousel", "contents": [bubble(text()), bubble(text())]},
        bubble(gradient()),
    ],
)  # fmt: skip
def test_what_the_reference_shows_is_accepted(contents: dict[str, Any]) -> None:
    assert flex_problems(contents) == ()


@pytest.mark.parametrize(
    ("contents", "path", "message"),
    [
        (bubble(text("")), "/body/contents/0/text", "must be non-empty text"),
        (bubble({"type": "text"}), "/body/contents/0/text", "must be specified"),
        (bubble({"type": "image"}), "/body/contents/0/url", "must be specified"),
        (bubble(hero={"type": "image", "url": "http://a/b"}), "/hero/url", "invalid uri scheme"),
        (bubble({"type": "button"}), "/body/contents/0/action", "must be specified"),
        (bubble({"type": "fax"}), "/body/contents/0", "unknown object type"),
        (bubble({"type": "icon", "url": "https://a/b"}), "/body/contents/0", "invalid property"),
        (bubble(BUTTON, layout="baseline"), "/body/contents/0", "invalid property"),
        (bubble(layout="spiral"), "/body/layout", "invalid property"),
        (bubble(text(color="red")), "/body/contents/0/color", "invalid property"),
        (bubble(text(size="huge")), "/body/contents/0/size", "invalid property"),
        (bubble(text(wrap="yes")), "/body/contents/0/wrap", "invalid property"),
        (bubble(text(flex=-1)), "/body/contents/0/flex", "invalid property"),
        (bubble(text(text=7)), "/body/contents/0/text", "invalid property"),
        (bubble("text"), "/body/contents", "must be an array of objects"),
        (bubble(size="tera"), "/size", "invalid property"),
        (bubble(hero=IMAGE | {"aspectRatio": "1:4"}), "/hero/aspectRatio", "the height must not be more than three times the width"),
        (bubble(hero=IMAGE | {"aspectRatio": "wide"}), "/hero/aspectRatio", "invalid property"),
        (bubble(gradient(angle="0deg), url(https://a/b")), "/body/contents/0/background/angle", "invalid property"),
        (bubble(gradient(endColor=None)), "/body/contents/0/background/endColor", "must be specified"),
        ({"type": "bubble", "body": text()}, "/body", "invalid property"),
        ({"type": "carousel", "contents": []}, "/contents", "must have 1 to 12 items"),
        ({"type": "carousel", "contents": [bubble(size="nano"), bubble()]}, "/contents", "all bubbles must have the same size"),
        ({"type": "carousel", "contents": [{"type": "text"}]}, "/contents/0/type", "unknown object type"),
        (bubble(text("x" * 30_000)), "/", "size must be at most 30000 bytes"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_its_path(contents: dict[str, Any], path: str, message: str) -> None:
    assert [(found.property, found.message) for found in flex_problems(contents)][:1] == [(path, message)]


def test_a_buttons_label_has_at_most_40_graphemes() -> None:
    def labelled(label: str) -> dict[str, Any]:
        return bubble({"type": "button", "action": {"type": "message", "label": label, "text": "x"}})

    assert flex_problems(labelled("👩‍👩‍👧‍👦" * 40)) == ()
    assert [found.property for found in flex_problems(labelled("x" * 41))] == ["/body/contents/0/action/label"]


def test_a_refusal_names_the_message_as_line_does(line: LineHarness) -> None:
    flex = {"type": "flex", "altText": "card", "contents": bubble({"type": "text"})}

    refused = line.call("POST", "/v2/bot/message/push", json={"to": line.user_id, "messages": [flex]})

    assert (refused.status_code, refused.json()) == (
        400,
        {
            "message": "A message (messages[0]) in the request body is invalid",
            "details": [{"message": "must be specified", "property": "/body/contents/0/text"}],
        },
    )
