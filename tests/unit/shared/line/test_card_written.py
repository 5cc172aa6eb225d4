"""Written texts as cards: the help and digests, with the same words and nothing cut, in every language."""

from collections.abc import Iterator
from typing import Any

import pytest

from shared.agent.receipts import Deed, DeedKind, receipt
from shared.line.bubbles import card_messages
from shared.line.cards.card import Card, CardRow
from shared.line.cards.drawing import ALT_TEXT_LIMIT, drawn, is_drawable
from shared.line.cards.written import digest_card, greeting_card, help_card
from shared.line.messaging import is_sendable
from shared.line.phrases import EXAMPLES, GROUP_EXAMPLES, LocalePhrases, Phrase, _texts, phrase
from shared.locales import LOCALES
from shared.polls.poll import QUESTION_LIMIT
from tests.support.knowledge import MOMO

HELPS = {Phrase.HELP_FRIEND: EXAMPLES, Phrase.HELP_GROUP: GROUP_EXAMPLES}


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("which", HELPS)
def test_the_help_is_drawn_whole_with_its_own_examples(which: Phrase, locale: str) -> None:
    phrases = LocalePhrases(locale=locale, bot_name=MOMO)
    text, examples = phrases.text(which), [phrases.text(example) for example in HELPS[which]]

    card = help_card(text, "event1", examples)

    assert is_drawable(card)
    assert all(words in text for words in examples)
    shown = str(drawn(card)["body"])
    lines = [line for line in text.splitlines() if not any(words in line for words in examples)]
    assert [line for line in lines if line not in shown] == []
    assert [button.label for button in card.buttons] == examples


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("which", [Phrase.GREETING_FRIEND, Phrase.GREETING_GROUP])
def test_a_greetings_card_cuts_none_of_its_words(locale: str, which: Phrase) -> None:
    text = phrase(which, locale=locale, bot_name="Aizuchi of the harbour")

    card = greeting_card(text, "event1", ["any milk?"])

    assert is_drawable(card)
    assert [line for line in text.splitlines() if line not in str(drawn(card)["body"])] == []


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("which", sorted(set(Phrase) - {Phrase.HELP_FRIEND, Phrase.HELP_GROUP}))
def test_a_card_cuts_no_fixed_text(locale: str, which: Phrase) -> None:
    text = _texts(locale)[which].strip()

    card = Card(title=text, rows=(CardRow(text=text), CardRow(text=text, is_heading=True)))

    assert [*_texts_in(drawn(card)["body"])] == [text, text, text]


def test_a_card_cuts_no_question_of_a_poll_and_no_receipt_of_several_ticks() -> None:
    question = f"{'どこへ行きますか、' * 11}？"
    ticked = receipt(
        [Deed(kind=DeedKind.DONE, name=f"a loaf of bread no. {n}", details=("the summer party",)) for n in range(12)],
        locale="en",
    )

    for text in (question[:QUESTION_LIMIT], ticked):
        assert [*_texts_in(drawn(Card(title=text))["body"])] == [text]


def _texts_in(component: dict[str, Any]) -> Iterator[str]:
    if component["type"] == "text":
        yield component["text"]
    for part in component.get("contents", ()):
        yield from _texts_in(part)


def test_a_digest_is_drawn_line_by_line() -> None:
    card = digest_card("Good morning.\n\nTop 3:\n- Garden (call)\n- Milk\n\nReply.")

    assert card.title == "Good morning."
    assert [(row.text, row.is_heading) for row in card.rows] == [
        ("Top 3:", True),
        ("Garden (call)", False),
        ("Milk", False),
        ("Reply.", True),
    ]


@pytest.mark.parametrize(
    ("text", "card", "is_drawn"),
    [
        ("two notes", Card(title="two notes"), True),
        ("x" * ALT_TEXT_LIMIT, Card(title="x"), True),
        ("x" * (ALT_TEXT_LIMIT + 1), Card(title="x"), False),
        ("two notes", Card(), False),
        ("two notes", Card(rows=(CardRow(text="漢" * 200, detail="漢" * 200),) * 40), False),
        ("two notes", None, False),
    ],
    ids=["card", "longest text", "longer text", "empty card", "large card", "no card"],
)
def test_what_line_would_refuse_or_cut_is_written(text: str, card: Card | None, is_drawn: bool) -> None:
    messages = card_messages(text, card)

    assert is_sendable(messages)
    assert "".join(message.text for message in messages) == text
    assert [message.card is not None for message in messages] == [is_drawn]
