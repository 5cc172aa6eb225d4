"""What is on in a chat, on one card with switches: for `/settings`, and below the help and the greeting where anything is on.

Each feature declares its own rows (`ChatFeature.switches`), and the handler of its buttons carries a press out.
"""

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Final

from shared.conversation.overview import Overview
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.conversation.switch import Switch, SwitchesOf
from shared.frozen import frozen
from shared.line.cards.card import Card, CardRow, written
from shared.line.phrases import Phrase, Phrases

MOST_ROWS: Final = 10  # a phone shows about five at a time
_BELOW: Final = "\n\n"


@frozen
class ShownSwitches:
    """The switches of a chat as they were read."""

    switches: Sequence[Switch] = field(repr=False)
    phrases: Phrases

    @property
    def provenance(self) -> Provenance:
        """The messages whose words the rows repeat."""
        return Provenance.union(switch.provenance for switch in self.switches)

    def listed(self, locale: str) -> Overview:
        """Return every switch, also what is off, as text and as a card; a text where a chat has none."""
        rows = self._rows(self.switches, locale)
        if not rows:
            return Overview(text=self.phrases.text(Phrase.SWITCHES_NONE, locale=locale))
        card = Card(title=self.phrases.text(Phrase.SWITCHES_TITLE, locale=locale), rows=rows)
        return Overview(text=written(card), provenance=self.provenance, card=card)

    def added_to(self, text: str, card: Card, locale: str) -> Overview:
        """Return an explanation with what is on below it; as it is, where nothing is on.

        A heading at the end of the card, which stands above its buttons, stays there.
        """
        rows = self._rows([switch for switch in self.switches if switch.is_on], locale)
        if not rows:
            return Overview(text=text, card=card)
        heading = CardRow(text=self.phrases.text(Phrase.SWITCHES_ON, locale=locale), is_heading=True)
        end = len(card.rows) - bool(card.rows and card.rows[-1].is_heading)
        below = written(Card(title=heading.text, rows=rows))
        return Overview(
            text=f"{text}{_BELOW}{below}",
            provenance=self.provenance,
            card=replace(card, rows=(*card.rows[:end], heading, *rows, *card.rows[end:])),
        )

    def _rows(self, switches: Sequence[Switch], locale: str) -> tuple[CardRow, ...]:
        rows = tuple(switch.row(self.phrases, locale) for switch in switches[:MOST_ROWS])
        hidden_count = len(switches) - len(rows)
        if not hidden_count:
            return rows
        more = self.phrases.text(Phrase.SWITCHES_MORE, locale=locale, count=str(hidden_count))
        return (*rows, CardRow(text=more))


@frozen
class Switchboard:
    """Reads the switches of every feature, in the order of the features."""

    features: Sequence[SwitchesOf]
    phrases: Phrases

    def read(self, conversation: Conversation) -> ShownSwitches:
        """Return what is on in the chat.  Raises: StorageUnavailableError."""
        switches = [switch for switches_of in self.features for switch in switches_of(conversation)]
        return ShownSwitches(switches=switches, phrases=self.phrases)
