"""A card as data, without colours and layout: a feature fills it in, and `drawing` draws it.

    Card(title="Reminders", rows=(CardRow(text="pills", detail="Wed 26 Nov, 09:00", buttons=(...)),))

Every card has a plain text that says the same, for `RICH=off`, for notifications and for screen readers: the text of the message.
"""

from dataclasses import dataclass, field
from typing import Literal

Action = Literal["press", "copy", "open"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardButton:
    """A button.  `press`: a postback with the data, shown in the chat as the label; `copy`: copies the text; `open`: opens the address."""

    label: str
    value: str = field(repr=False)
    action: Action = "press"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRow:
    """A line of a list, for example "call the gardener" with the detail "due 2026-11-28", and its own buttons.

    A row that `is_heading` begins a group of rows.
    """

    text: str = field(repr=False)
    detail: str = field(default="", repr=False)
    buttons: tuple[CardButton, ...] = ()
    is_heading: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A title, rows, and buttons below them."""

    title: str = field(default="", repr=False)
    rows: tuple[CardRow, ...] = ()
    buttons: tuple[CardButton, ...] = ()
