"""What is on in a chat, as a feature tells it: a line of a card, with the buttons that set it."""

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TypeAlias

from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.frozen import frozen
from shared.line.cards.card import CardButton, CardRow
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import Press


@frozen
class Switch:
    """Something of a feature that is on in a chat, or that a press could switch on.

    `row` words it in a language, with a button for each press; a press sets, and never toggles. `is_on`: false where only the settings show
    it. `provenance`: the messages whose words the row repeats. Example: "Translation: 日本語・ไทย (everyone)", with "Stop translating".
    """

    row: Callable[[Phrases, str], CardRow] = field(repr=False)
    is_on: bool = True
    provenance: Provenance = field(default_factory=Provenance)


SwitchesOf: TypeAlias = Callable[[Conversation], Sequence[Switch]]
"""Reads what of a feature is on in a chat.  Raises: StorageUnavailableError."""


def no_switches(_: Conversation) -> Sequence[Switch]:
    """Return nothing: a feature without any state that people switch."""
    return ()


def counted_row(name: Phrase, state: Phrase, count: int) -> Switch:
    """Return a row that says how much is open, which no button ends: "Expenses: 3 not settled"."""
    return Switch(
        row=lambda phrases, locale: CardRow(
            text=phrases.text(name, locale=locale), detail=phrases.text(state, locale=locale, count=str(count))
        )
    )


def switch_button(label: Phrase, press: Press, *, name: str, phrases: Phrases, locale: str) -> CardButton:
    """Return a button of a row, shown in the chat with the `name` of the row: "Stop translating: Translation"."""
    text = phrases.text(label, locale=locale)
    return CardButton(label=text, value=press.data, shown=f"{text}: {name}")
