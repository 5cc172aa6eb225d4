"""The free token of a message that nobody answers: whether something was told on it before."""

import pytest

from shared.conversation.history import History
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.turns.free_token import FreeTokenUse, is_told_on_token_of, may_be_spent_by_answer
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


def covered_by(*kinds: OutcomeKind) -> History:
    """Return a history in which an outcome of each kind covers the message."""
    outcomes = tuple(
        OutcomeRecord(
            webhook_event_id=f"event-{number}",
            timestamp_ms=1,
            kind=kind,
            provenance=Provenance(),
            answered_ids=(SAID.line_message_id,),
        )
        for number, kind in enumerate(kinds)
    )
    return History(covered=frozenset({SAID.line_message_id}), outcomes=outcomes)


@pytest.mark.parametrize("kind", OutcomeKind)
def test_an_answer_may_have_spent_a_token_and_silence_has_not(kind: OutcomeKind) -> None:
    assert may_be_spent_by_answer(SAID, covered_by(kind)) is (kind is not OutcomeKind.SKIPPED)


@pytest.mark.parametrize("kinds", [(), (OutcomeKind.SKIPPED, OutcomeKind.REPLIED)])
def test_a_token_may_be_spent_where_not_all_that_covers_its_message_is_known_as_silence(
    kinds: tuple[OutcomeKind, ...],
) -> None:
    assert may_be_spent_by_answer(SAID, covered_by(*kinds))


def test_no_answer_spends_the_token_of_a_message_that_nothing_covers() -> None:
    assert not may_be_spent_by_answer(SAID, History())
