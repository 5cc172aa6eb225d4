"""Questions as cards: the changes that they ask about stand whole above them, or stay in the answer."""

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.agent.proposals import described
from shared.conversation.records import ProposedCall
from shared.line.cards.card import CardRow
from shared.line.cards.drawing import drawn
from shared.line.cards.questions import changes_apart, question_card
from shared.line.messaging import OutgoingMessage, PostbackButton, is_sendable
from shared.locales.language_file import LOCALES
from simulator.line.message_rules import check_messages
from tests.support.buttons import actions_in
from tests.unit.shared.line.test_cards import contrasts

QUESTION: Final = "Shall I do what is marked ☐? Until 13:50."
ACCEPT: Final = PostbackButton(label="Do it", data="do:event1")
DECLINE: Final = PostbackButton(label="Cancel", data="no:event1")
LUNCH: Final = ProposedCall(tool="delete_entry", name="lunch", arguments='{"path": "ideas/lunch.md"}')
SPAM: Final = ProposedCall(tool="create_page", name="spam", arguments='{"database_name": "shopping", "title": "spam"}')


@pytest.mark.parametrize("locale", LOCALES)
def test_each_change_is_a_row_with_its_arguments_above_the_question(locale: str) -> None:
    changes = described((LUNCH, SPAM), locale=locale)

    words, shown = changes_apart(f"shall I?\n\n{changes}", QUESTION)

    lunch, spam, question = question_card(QUESTION, shown).rows
    assert words == "shall I?"
    assert lunch == CardRow(text=changes.splitlines()[0])
    assert "shopping" in spam.detail
    assert not spam.detail.startswith(" ")
    assert question.text == QUESTION


@pytest.mark.parametrize(
    "text",
    [
        "no changes",
        "☐ Delete “lunch”",
        f"long\n\n☐ Delete “{'lunch' * 40}”",
        f"long\n\n☐ Move\n     text: {'rice ' * 40}",
    ],
    ids=["no changes", "nothing else", "a long name", "a long argument"],
)
def test_a_change_that_a_card_would_cut_stays_in_the_answer(text: str) -> None:
    assert changes_apart(text, QUESTION) == (text, "")


_NAMES: Final = st.text(st.characters(exclude_categories=["Cs"]), max_size=120)
_CALLS: Final = st.builds(
    lambda name, value: replace(SPAM, name=name, arguments=f'{{"title": "spam", "note": "{value}"}}'),
    _NAMES,
    st.text("あいう漢字 abcไทย院子", max_size=300),
)


@given(st.lists(_CALLS, min_size=1, max_size=3), st.sampled_from(LOCALES))
@settings(max_examples=1_000, deadline=None)
def test_whatever_is_proposed_a_question_shows_it_whole_and_line_takes_the_card(
    calls: list[ProposedCall], locale: str
) -> None:
    text = f"shall I?\n\n{described(tuple(calls), locale=locale)}"

    words, changes = changes_apart(text, QUESTION)

    told = f"{changes}\n\n{QUESTION}" if changes else QUESTION
    message = OutgoingMessage(text=told, card=question_card(QUESTION, changes), button=ACCEPT, decline=DECLINE)
    bubble = drawn(message.whole_card or question_card(QUESTION))
    wire = {"type": "flex", "altText": told, "contents": bubble}
    assert is_sendable([message])
    assert check_messages({"messages": [wire]}, None)
    assert [action["data"] for action in actions_in(wire)] == [ACCEPT.data, DECLINE.data]
    assert min(contrasts(bubble["body"], None)) >= 4.5
    assert text in {words, f"{words}\n\n{changes}"}
    assert all(line.strip() in str(wire) or line.strip() in text for line in changes.splitlines())
