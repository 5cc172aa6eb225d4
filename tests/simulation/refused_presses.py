"""What a press was answered: that it was carried out, that the question was declined, or why the press was refused."""

from collections.abc import Iterable
from typing import Final

from shared.line.phrases import Phrase
from tests.simulation.fixed_texts import in_every_language
from tests.simulation.people import Order
from tests.simulation.world import ShownText

_REFUSALS: Final = frozenset(
    text
    for refusal in (
        Phrase.PRESS_EXPIRED,
        Phrase.PRESS_OF_ANOTHER,
        Phrase.PRESS_REPEATED,
        Phrase.PRESS_UNNAMED,
        Phrase.PRESS_VOID,
        Phrase.REMINDER_GONE,
    )
    for text in in_every_language(refusal)
)


DECLINED: Final = in_every_language(Phrase.PRESS_DECLINED)


def is_declined(press: Order, said: Iterable[ShownText]) -> bool:
    """Whether an answer to the press says that what was asked is not done."""
    return any(shown.reply_token == press.reply_token and shown.text in DECLINED for shown in said)


def times_carried_out(press: Order, said: Iterable[ShownText]) -> int:
    """Return how many answers to the press say that it was carried out, and not why it was refused."""
    return sum(shown.reply_token == press.reply_token and shown.text not in _REFUSALS for shown in said)
