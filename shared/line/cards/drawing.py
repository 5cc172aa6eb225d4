"""Draws a card as a Flex bubble within LINE's limits, with colours of its own: a bot cannot know whether a reader's theme is light or dark.

Source: LINE, Messaging API reference, "Flex Message", "Bubble", "Action objects"; line-openapi, `FlexBubble`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from shared.line.cards.card import Card, CardButton, CardRow
from shared.line.graphemes import cut
from shared.line.postback_data import DATA_LIMIT
from shared.line.utf16 import utf16_length

Flex: TypeAlias = dict[str, Any]

BUBBLE_BYTES: Final = 30_000
ALT_TEXT_LIMIT: Final = 1_500
LABEL_LIMIT: Final = 40
COPY_LIMIT: Final = 1_000
URI_LIMIT: Final = 1_000
DISPLAY_LIMIT: Final = 300
ROW_UTF16: Final = 200
_PROSE_UTF16: Final = 600
"""What a card shows of a title, and of a row without detail and buttons: the longest fixed text has 490 units."""

# Each text on its own background has a contrast of 4.5 or more (WCAG 2.2, 1.4.3)
PAPER: Final = "#FFFFFF"
INK: Final = "#1B2A22"
QUIET_INK: Final = "#55655C"
BUTTON: Final = "#E6F2EB"
BUTTON_INK: Final = "#0B5A38"
LINE: Final = "#D5DED9"
_FILLED: Final = {"backgroundColor": BUTTON}


def drawn(card: Card) -> Flex:
    """Return the bubble as JSON: the title, a line a row with its buttons, then the buttons of the card.

    For example, a card with only two buttons is a bubble with two boxes, one below the other.
    """
    contents = [*_title(card.title), *(part for row in card.rows for part in _row(row)), *_wide_buttons(card.buttons)]
    contents = contents[1:] if contents and contents[0]["type"] == "separator" else contents
    body = _box("vertical", contents, spacing="md", paddingAll="16px", backgroundColor=PAPER)
    return {"type": "bubble", "size": "mega", "body": body}


def is_drawable(card: Card) -> bool:
    """Whether LINE takes the card, judged by its documented limits; a card without contents is not drawable."""
    buttons = (*card.buttons, *(button for row in card.rows for button in row.buttons))
    has_contents = bool(card.title.strip() or card.rows or card.buttons)
    return has_contents and all(map(_is_usable, buttons)) and size_bytes(card) <= BUBBLE_BYTES


def size_bytes(card: Card) -> int:
    """Return the size of the drawn card, as LINE counts it."""
    return len(json.dumps(drawn(card), ensure_ascii=False).encode())


def _title(title: str) -> Iterator[Flex]:
    if title.strip():
        yield _text(cut(title, limit_utf16=_PROSE_UTF16), color=INK, weight="bold", size="md")


def _row(row: CardRow) -> Iterator[Flex]:
    is_prose = not row.detail.strip() and not row.buttons
    text = cut(row.text, limit_utf16=_PROSE_UTF16 if is_prose else ROW_UTF16).strip() or "…"
    if row.is_heading:
        yield _text(text, color=QUIET_INK, weight="bold", size="sm", margin="lg")
        return
    lines = [_text(text, color=INK, size="sm")]
    if row.detail.strip():
        lines.append(_text(cut(row.detail, limit_utf16=ROW_UTF16), color=QUIET_INK, size="xs"))
    yield {"type": "separator", "color": LINE}
    if len(row.buttons) == 1:
        button = {**_button(row.buttons[0], size="xs"), "flex": 2}
        words = {**_box("vertical", lines, spacing="xs", justifyContent="center"), "flex": 3}
        yield _box("horizontal", [words, button], spacing="sm")
        return
    yield _box("vertical", lines, spacing="xs")
    if row.buttons:
        yield _box("horizontal", [_button(button, size="xs") for button in row.buttons], spacing="sm")


def _wide_buttons(buttons: tuple[CardButton, ...]) -> Iterator[Flex]:
    if buttons:
        yield _box("vertical", [_button(button, size="sm") for button in buttons], spacing="sm")


def _button(button: CardButton, *, size: str) -> Flex:
    label = _text(button.label, color=BUTTON_INK, weight="bold", size=size, align="center")
    frame = {"backgroundColor": PAPER, "borderColor": LINE, "borderWidth": "1px"} if button.is_quiet else _FILLED
    return _box(
        "vertical",
        [label],
        action=_action(button),
        cornerRadius="8px",
        paddingAll="8px",
        justifyContent="center",
        **frame,
    )


def _action(button: CardButton) -> Flex:
    match button.action:
        case "press":
            shown = cut(button.shown or button.label, limit_utf16=DISPLAY_LIMIT)
            fields = {"type": "postback", "data": button.value, "displayText": shown}
        case "copy":
            fields = {"type": "clipboard", "clipboardText": button.value}
        case "open":
            fields = {"type": "uri", "uri": button.value}
    return {**fields, "label": button.label}


def _text(text: str, **style: str) -> Flex:
    return {"type": "text", "text": text, "wrap": True, **style}


def _box(layout: str, contents: list[Flex], **style: str | Mapping[str, Any]) -> Flex:
    return {"type": "box", "layout": layout, "contents": contents, **style}


def _is_usable(button: CardButton) -> bool:
    limits = {"press": DATA_LIMIT, "copy": COPY_LIMIT, "open": URI_LIMIT}
    is_address = button.action != "open" or button.value.startswith("https://")
    return (
        bool(button.label.strip())
        and utf16_length(button.label) <= LABEL_LIMIT
        and 0 < utf16_length(button.value) <= limits[button.action]
        and is_address
    )
