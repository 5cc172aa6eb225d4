"""What the bot sent in reply to an event, and the card of such a reply."""

from collections.abc import Mapping
from typing import Any

from shared.line.cards.card import Card, CardRow
from shared.line.messaging import OutgoingMessage, is_sendable
from shared.line.phrases import Phrase
from tests.support.people import Person
from tests.support.phrases import english, japanese


def sent(person: Person, event: Mapping[str, Any]) -> list[OutgoingMessage]:
    """Return the messages on the event's reply token, which LINE would take."""
    messages = list(person.worker.line.replied[event["replyToken"]])
    assert is_sendable(messages)
    return messages


def card_of(person: Person, event: Mapping[str, Any]) -> Card:
    """Return the card of the only message on the event's reply token."""
    (message,) = sent(person, event)
    assert message.card is not None
    return message.card


def values_of(row: CardRow, label: Phrase) -> list[str]:
    """Return the data of the row's buttons with this label, in Japanese or English."""
    return [button.value for button in row.buttons if button.label in {japanese(label), english(label)}]
