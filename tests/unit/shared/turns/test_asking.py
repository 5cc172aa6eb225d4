"""Every question that waits for a tap: as a card, and with `RICH=off` as text with buttons; both say and do the same."""

from dataclasses import replace
from typing import Final

import pytest

from shared.conversation.records import Erasure, Offer, OutcomeKind, OutcomeRecord, ProposedCall
from shared.conversation.silences import SilenceChange
from shared.line.cards.card import CardButton
from shared.line.messaging import OutgoingMessage, is_sendable
from shared.line.phrases import LocalePhrases
from shared.locales.language_file import LOCALES
from shared.turns.asking import Asking
from tests.support.chats import answer
from tests.support.knowledge import MOMO

CHANGE: Final = "☐ Delete “lunch” (ideas/lunch.md)"
OFFERS: Final = {
    "erase everything": Offer(asks=Erasure.FORGET),
    "reset": Offer(asks=Erasure.RESET),
    "leave": Offer(asks=Erasure.LEAVE),
    "pause": Offer(silence=SilenceChange.PAUSE),
    "resume": Offer(silence=SilenceChange.RESUME),
    "show the answer": Offer(is_deferral=True),
    "take back messages": Offer(forgets=("m1",)),
    "call a person": Offer(silence=SilenceChange.HANDOVER),
    "carry out a change": Offer(proposes=(ProposedCall(tool="delete_entry", arguments="{}"),)),
    "file an edit's new words": Offer(proposes=(ProposedCall(tool="x", arguments="{}"),), refiles="m1"),
}
ALONE: Final = frozenset({"erase everything", "reset", "leave", "pause", "resume", "show the answer"})


def outcome_of(which: str) -> OutcomeRecord:
    text = "sure?" if which in ALONE else f"shall I?\n\n{CHANGE}"
    outcome = replace(answer(1, text), kind=OutcomeKind.REPLIED, offer=OFFERS[which])
    return replace(outcome, answers=() if which in ALONE else outcome.answers)


def question(which: str, locale: str, *, is_rich: bool) -> OutgoingMessage:
    asking = Asking(phrases=LocalePhrases(locale=locale, bot_name=MOMO), is_rich=is_rich)
    alone = asking.alone(outcome_of(which), locale)
    if alone is not None:
        assert which in ALONE
        return alone
    _, (below,) = asking.below(outcome_of(which), locale)
    return below


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("which", OFFERS)
def test_a_question_is_a_card_with_the_same_words_and_buttons_as_its_plain_form(which: str, locale: str) -> None:
    plain, drawn = (question(which, locale, is_rich=is_rich) for is_rich in (False, True))

    assert is_sendable([plain])
    assert is_sendable([drawn])
    assert plain.is_template
    assert plain.card is None
    assert drawn.whole_card is not None
    assert drawn.text.endswith(plain.text)
    assert drawn.whole_card.rows[-1].text == plain.text
    pressed = [button for button in (plain.button, plain.decline) if button is not None]
    assert drawn.whole_card.buttons == tuple(
        CardButton(label=button.label, value=button.data, is_quiet=button is plain.decline) for button in pressed
    )
    assert (plain.decline is None) == (which == "show the answer")


@pytest.mark.parametrize("which", ["carry out a change", "file an edit's new words"])
def test_a_proposed_change_stands_on_the_card_or_in_the_plain_answer_and_nowhere_twice(which: str) -> None:
    phrases = LocalePhrases(locale="en", bot_name=MOMO)

    plain, (below_plain,) = Asking(phrases=phrases, is_rich=False).below(outcome_of(which), "en")
    words, (below,) = Asking(phrases=phrases, is_rich=True).below(outcome_of(which), "en")

    assert plain == f"shall I?\n\n{CHANGE}"
    assert CHANGE not in below_plain.text
    assert words == "shall I?"
    assert below.text == f"{CHANGE}\n\n{below_plain.text}"
