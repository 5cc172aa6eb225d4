from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.conversation.amendments import Amendments
from shared.conversation.history import History, IndexView
from shared.conversation.provenance import LATEST_MS, Provenance
from shared.conversation.records import ANSWERABLE_MS, OutcomeKind
from shared.conversation.snapshot_records import Recap
from shared.conversation.turn import TurnRecord
from tests.support.chats import answer, made_of, message


def quoting(withdrawn: int, quoted: str) -> History:
    """Return a chat in which message 9 quotes something and message `withdrawn` is gone; messages 1 and 2 are behind a recap."""
    return History(
        messages=(replace(message(9), quoted_message_id=quoted),),
        older=(message(1, "ten at the station"), message(2)),
        outcomes=(replace(answer(2, "noted: ten", saw=(1,)), sent_message_ids=("b1", "b2")),),
        amendments=Amendments(withdrawn=frozenset({f"m{withdrawn}"})),
        shown_since_ms=9,
    )


def test_a_quoted_message_behind_a_recap_is_part_of_the_provenance() -> None:
    history = quoting(5, "m1")

    assert history.quotable.quoted_by(history.messages[0]) == message(1, "ten at the station")
    assert history.provenance.ids == {"m1", "m9"}
    assert history.provenance.since_ms == 1


def test_the_messages_behind_the_index_are_part_of_the_provenance() -> None:
    history = History(
        messages=(message(9),),
        index=IndexView(text="[plan](ideas/plan.md)", provenance=Provenance.of_sources((message(1).source,))),
    )

    assert history.provenance.ids == {"m1", "m9"}
    assert history.isolated((message(9),)).provenance.ids == {"m9"}


def test_a_quoted_bubble_stands_for_its_whole_answer() -> None:
    for bubble in ("b1", "b2"):
        history = quoting(5, bubble)

        assert history.quotable.quoted_by(history.messages[0]) == history.outcomes[0]
        assert history.provenance.ids == {"e2", "m9"}
        assert history.provenance.since_ms == 2


def test_a_quote_of_a_withdrawn_or_unknown_message_has_no_words() -> None:
    withdrawn, unknown = quoting(5, "m5"), quoting(5, "m77")

    assert withdrawn.quotable.quoted_by(withdrawn.messages[0]) == "withdrawn"
    assert unknown.quotable.quoted_by(unknown.messages[0]) == "unknown"
    assert withdrawn.provenance.ids == unknown.provenance.ids == {"m9"}


@given(st.sets(st.integers(1, 8)), st.integers(1, 10))
def test_a_prompt_names_the_message_that_was_quoted(known: set[int], quoted: int) -> None:
    history = History(
        messages=(replace(message(9), quoted_message_id=f"m{quoted}"),),
        older=tuple(message(number) for number in sorted(known)),
    )
    is_known = quoted in known or quoted == 9

    assert (f"m{quoted}" in history.provenance.ids) is is_known
    assert (history.provenance_of_quotes(history.messages).since_ms < LATEST_MS) is is_known


@pytest.mark.parametrize(("age_ms", "is_pending"), [(ANSWERABLE_MS - 1, True), (ANSWERABLE_MS, False)])
def test_a_message_is_pending_for_as_long_as_it_can_be_answered(age_ms: int, *, is_pending: bool) -> None:
    assert bool(History().pending(message(7), now_ms=7 + age_ms)) is is_pending


def test_a_message_without_a_token_is_never_pending() -> None:
    without = replace(message(8), reply_token=None)

    assert History(messages=(without,)).pending(message(9), now_ms=10) == (message(9),)


def test_the_turn_tells_what_is_covered_by_outcomes_that_are_recorded() -> None:
    history = History(covered=frozenset({"m1"}), recorded=frozenset({"e2"}))
    turn = TurnRecord(covered={"m5": 5})

    assert history.with_covered_by(turn).covered == {"m1", "m5"}
    assert history.with_covered_by(replace(turn, outcome=answer(2))).covered == {"m1", "m2", "m5"}
    assert history.with_covered_by(replace(turn, outcome=answer(3))).covered == {"m1", "m5"}


def test_an_isolated_prompt_shows_what_is_asked_and_may_quote_the_rest() -> None:
    recap = Recap(
        id="recap-1", text="r", timestamp_ms=1, summed_up_ids=("m1",), provenance=made_of("m1", since_ms=1, until_ms=1)
    )
    asking = replace(message(9), quoted_message_id="m2")
    history = History(
        messages=(message(2), message(3), asking),
        older=(message(1),),
        recaps=(recap,),
        outcomes=(answer(3),),
        index=IndexView(text="entries", provenance=made_of("m0")),
    )

    isolated = history.isolated([asking])

    assert (isolated.messages, isolated.recaps, isolated.answers) == ((asking,), (), ())
    assert isolated.unshown_recaps == (recap,)  # what is quoted may repeat it
    assert isolated.older == (message(1), message(2), message(3))
    assert isolated.provenance.ids == {"m9", "m2"}


def test_a_prompt_shows_answers_with_words_that_are_not_older_than_its_messages() -> None:
    stored = replace(answer(6), kind=OutcomeKind.STORED)
    history = History(outcomes=(answer(4), answer(5), answer(7, None), stored, answer(8)), shown_since_ms=5)

    assert [one.webhook_event_id for one in history.answers] == ["e5", "e8"]


def test_a_history_is_isolated_once_it_shows_nothing_but_what_is_asked() -> None:
    whole = History(messages=(message(1), message(2)))

    assert not whole.is_isolated
    assert whole.isolated([message(2)]).is_isolated


def test_what_was_meant_for_the_bot_is_known_also_where_no_prompt_shows_it() -> None:
    overheard = message(5, addressed=False)
    history = History(older=(message(1),), unshown=(message(2),), messages=(message(3), overheard))

    assert history.addressed_ids == {"m1", "m2", "m3"}


def test_an_outcome_names_the_messages_behind_the_blocks_of_its_prompt_unless_only_the_question_was_shown() -> None:
    block = IndexView(text="r1 | water", provenance=made_of("m1"))
    history = History(blocks=(block,))

    assert history.provenance.message_ids == {"m1"}
    assert history.isolated(()).provenance.message_ids == frozenset()
    assert history.isolated(()).shown_texts == ""
