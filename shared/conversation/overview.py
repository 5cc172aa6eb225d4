"""What a chat holds of a kind, as the answer of a command: `/notes`, `/reminders`, `/digest`."""

from dataclasses import dataclass, field

from shared.conversation.provenance import Provenance
from shared.line.cards.card import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The text, the provenance of the repeated words, and the same words as a card."""

    text: str = field(repr=False)
    provenance: Provenance = field(default_factory=Provenance)
    card: Card | None = None
