"""A card as data, without colours and layout: a feature fills it in, and `drawing` draws it.

    Card(title="Reminders", rows=(CardRow(text="pills", detail="Wed 26 Nov, 09:00", buttons=(...)),))

Every card has a plain text that says the same, for `RICH=off`, for notifications and for screen readers: the text of the message.
"""

from dataclasses import field
from typing import Final, Literal

import msgspec

from shared.frozen import frozen

Action = Literal["press", "copy", "open"]


@frozen
class CardButton:
    """A button.  `press`: a postback with the data, shown in the chat as `shown`; `copy`: copies the text; `open`: opens the address.

    `shown` is the label if it is empty. A button that `is_quiet`, such as one that declines, stands back behind the others.
    """

    label: str
    value: str = field(repr=False)
    action: Action = "press"
    shown: str = field(default="", repr=False)
    is_quiet: bool = False


@frozen
class CardRow:
    """A line of a list, for example "call the gardener" with the detail "due 2026-11-28", and its own buttons.

    A row that `is_heading` begins a group of rows.
    """

    text: str = field(repr=False)
    detail: str = field(default="", repr=False)
    buttons: tuple[CardButton, ...] = ()
    is_heading: bool = False


@frozen
class Card:
    """A title, rows, and buttons below them."""

    title: str = field(default="", repr=False)
    rows: tuple[CardRow, ...] = ()
    buttons: tuple[CardButton, ...] = ()


def title_of(heading: str) -> str:
    """Return the first line of a text as a title: `title_of("Notes (2):")` -> "Notes (2)"."""
    return heading.rstrip(":： ")


def written(card: Card) -> str:
    """Return the words of a card: its title, then "・Garden: call the gardener" for each row."""
    rows = (f"{row.text}: {row.detail}" if row.detail else row.text for row in card.rows)
    return "\n".join((*filter(None, [card.title]), *(f"・{row}" for row in rows)))


def card_text(card: Card | None) -> str:
    """Return the card as text for a record; "" without a card."""
    return "" if card is None else msgspec.json.encode(card).decode()


def card_in(text: str) -> Card | None:
    """Return the card of a record's text; None without one, and for a card of another release that this release cannot read."""
    try:
        return _CARDS.decode(text) if text else None
    except msgspec.MsgspecError:
        return None


_CARDS: Final = msgspec.json.Decoder(Card)
