"""Cards within LINE's limits, for whatever a feature puts on them, and readable on their own background."""

import json
import string
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.line.bubbles import card_messages
from shared.line.cards.card import Card, CardButton, CardRow
from shared.line.cards.drawing import BUBBLE_BYTES, drawn, is_drawable, size_bytes
from shared.line.messaging import OutgoingMessage
from simulator.line.flex_rules import flex_problems
from simulator.line.message_rules import check_messages

_LETTERS = {
    "ja": "あいうえお漢字かな薬牛乳庭の工事、。「」",
    "en": string.ascii_letters + " .,!?'",
    "zh-TW": "這是一個提醒筆記，請在明天早上九點。",
    "th": "กขคงจฉชซญดตถทนบปผพภมยรลวสหอ ่้ัิีุูเแโใไ",
}
_TEXTS = st.sampled_from(sorted(_LETTERS)).flatmap(lambda locale: st.text(_LETTERS[locale], max_size=400))
_ODD_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=400)
_LABELS = st.one_of(_TEXTS, _ODD_TEXTS).map(lambda text: text[:20].strip() or "OK")
_VALUES = st.text(string.ascii_letters + ":-_", min_size=1, max_size=300)
_BUTTONS = st.one_of(
    st.builds(CardButton, label=_LABELS, value=_VALUES),
    st.builds(CardButton, label=_LABELS, value=_VALUES, action=st.just("copy")),
    st.builds(
        CardButton, label=_LABELS, value=_VALUES.map(lambda path: f"https://example.com/{path}"), action=st.just("open")
    ),
)
_ROWS = st.builds(
    CardRow,
    text=st.one_of(_TEXTS, _ODD_TEXTS),
    detail=st.one_of(_TEXTS, st.just("")),
    buttons=st.lists(_BUTTONS, max_size=3).map(tuple),
    is_heading=st.booleans(),
)
CARDS = st.builds(
    Card,
    title=st.one_of(_TEXTS, st.just("")),
    rows=st.lists(_ROWS, max_size=10).map(tuple),
    buttons=st.lists(_BUTTONS, max_size=3).map(tuple),
).filter(lambda card: bool(card.title.strip() or card.rows or card.buttons))


@given(CARDS)
@settings(max_examples=1_000, deadline=None)
def test_every_card_that_is_drawable_is_one_that_line_takes_and_anybody_can_read(card: Card) -> None:
    bubble = drawn(card)

    assert flex_problems(bubble) == () or not is_drawable(card)
    assert size_bytes(card) == len(json.dumps(bubble, ensure_ascii=False).encode())
    assert [ratio for ratio in contrasts(bubble["body"], None) if ratio < 4.5] == []


_WORDS = st.one_of(_TEXTS, _ODD_TEXTS, st.integers(1_490, 1_510).map(lambda length: "薬" * length))


@given(st.lists(st.tuples(_WORDS.filter(str.strip), CARDS), min_size=1, max_size=2))
@settings(max_examples=300, deadline=None)
def test_whatever_is_sent_as_a_card_passes_the_rules_of_validate_reply_with_all_its_words(
    sent: list[tuple[str, Card]],
) -> None:
    messages = [message for text, card in sent for message in card_messages(text, card)]

    assert check_messages({"messages": list(map(on_the_wire, messages))}, None)
    assert [message.text for message in messages] == [text for text, _ in sent]
    assert all(size_bytes(message.card) <= BUBBLE_BYTES for message in messages if message.card is not None)


def on_the_wire(message: OutgoingMessage) -> dict[str, Any]:
    if message.card is None:
        return {"type": "text", "text": message.text}
    return {"type": "flex", "altText": message.text, "contents": drawn(message.card)}


@given(CARDS)
@settings(max_examples=100, deadline=None)
def test_a_card_of_ten_rows_with_three_buttons_each_is_always_drawable(card: Card) -> None:
    assert is_drawable(card)


@pytest.mark.parametrize(
    "card",
    [
        Card(),
        Card(buttons=(CardButton(label=" ", value="x"),)),
        Card(buttons=(CardButton(label="x", value=""),)),
        Card(buttons=(CardButton(label="x", value="x" * 301),)),
        Card(buttons=(CardButton(label="x" * 41, value="x"),)),
        Card(buttons=(CardButton(label="x", value="http://example.com", action="open"),)),
        Card(rows=(CardRow(text="漢" * 200, detail="漢" * 200),) * 40),
    ],
    ids=["empty", "no label", "no data", "much data", "long label", "no https", "too large"],
)
def test_what_line_would_refuse_is_not_drawable(card: Card) -> None:
    assert not is_drawable(card)
    assert card.rows == () or size_bytes(card) > BUBBLE_BYTES


def contrasts(component: dict[str, Any], ground: str | None) -> Iterator[float]:
    """Yield the contrast of each text with the background around it; no text goes without colours of its own.

    Source: WCAG 2.2, "Contrast (Minimum)", "relative luminance".
    """
    ground = component.get("backgroundColor", ground)
    if component["type"] == "text":
        assert ground is not None
        lighter, darker = sorted(map(luminance, (component["color"], ground)), reverse=True)
        yield (lighter + 0.05) / (darker + 0.05)
    for part in component.get("contents", ()):
        yield from contrasts(part, ground)


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
