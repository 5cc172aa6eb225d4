from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shared.conversation.amendments import Amendments
from shared.conversation.history import LATEST_MS, History, Quotable
from tests.support.chats import answer, message


def quoting(number: int, quoted: str) -> History:
    """A chat in which message 9 quotes something; messages 1 and 2 are behind a recap."""
    return History(
        messages=(replace(message(9), quoted_message_id=quoted),),
        older=(message(1, "ten at the station"), message(2)),
        outcomes=(replace(answer(2, "noted: ten", saw=(1,)), sent_message_ids=("b1", "b2")),),
        amendments=Amendments(withdrawn=frozenset({f"m{number}"})),
        shown_since_ms=9,
    )


def test_a_message_behind_a_recap_can_be_quoted_and_counts_as_seen_and_as_old_as_it_is() -> None:
    history = quoting(5, "m1")

    assert history.quotable.quoted_by(history.messages[0]) == message(1, "ten at the station")
    assert history.seen_ids == {"m1", "m9"}
    assert history.since_ms == 1


def test_every_bubble_of_an_answer_stands_for_all_of_it_and_for_what_it_saw() -> None:
    for bubble in ("b1", "b2"):
        history = quoting(5, bubble)

        assert history.quotable.quoted_by(history.messages[0]) == history.outcomes[0]
        assert history.seen_ids == {"m1", "m2", "m9"}
        assert history.since_ms == 1


def test_what_was_withdrawn_or_is_unknown_has_no_words() -> None:
    gone, unknown = quoting(5, "m5"), quoting(5, "m77")

    assert gone.quotable.quoted_by(gone.messages[0]) == "withdrawn"
    assert unknown.quotable.quoted_by(unknown.messages[0]) == "unknown"
    assert gone.seen_ids == unknown.seen_ids == {"m9"}


def test_an_answer_that_lost_its_words_counts_as_withdrawn() -> None:
    emptied = replace(answer(2, None), sent_message_ids=("b1",))
    quotable = Quotable.of((), (emptied,), frozenset())

    assert quotable.quoted_by(replace(message(9), quoted_message_id="b1")) == "withdrawn"


@given(st.sets(st.integers(1, 8)), st.integers(1, 10))
def test_a_quoted_message_is_always_among_those_that_an_outcome_names(known: set[int], quoted: int) -> None:
    history = History(
        messages=(replace(message(9), quoted_message_id=f"m{quoted}"),),
        older=tuple(message(number) for number in sorted(known)),
    )

    assert (f"m{quoted}" in history.newest_seen([])) is (quoted in known or quoted == 9)
    assert (history.quoted_since_ms(history.messages) == LATEST_MS) is (quoted not in known and quoted != 9)
