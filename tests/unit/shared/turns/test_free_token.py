"""The free token of a message that nobody answers: whether something was told on it before."""

import pytest

from shared.conversation.history import History
from shared.turns.free_token import FreeTokenUse, is_told_on_token_of
from tests.support.chats import message

SAID = message(1, addressed=False)


@pytest.mark.parametrize("use", FreeTokenUse)
def test_a_token_is_used_by_a_recorded_outcome_of_any_use(use: FreeTokenUse) -> None:
    history = History(recorded=frozenset({use.outcome_id(SAID)}))

    assert is_told_on_token_of(SAID, history)


def test_a_token_stays_used_where_only_the_turn_lists_its_outcome() -> None:
    history = History(covered=frozenset({FreeTokenUse.SUMMARY.outcome_id(SAID)}))

    assert is_told_on_token_of(SAID, history)


def test_a_token_is_free_beside_what_was_told_on_another_one() -> None:
    history = History(recorded=frozenset({FreeTokenUse.NOTICE.outcome_id(message(2, addressed=False))}))

    assert not is_told_on_token_of(SAID, history)
