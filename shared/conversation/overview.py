"""What a chat holds of a kind, as the answer of a command: `/notes`, `/reminders`, `/digest`."""

from dataclasses import field

from shared.conversation.provenance import Provenance
from shared.frozen import frozen
from shared.line.cards.card import Card


@frozen
class Overview:
    """The text, the provenance of the repeated words, and the same words as a card."""

    text: str = field(repr=False)
    provenance: Provenance = field(default_factory=Provenance)
    card: Card | None = None
