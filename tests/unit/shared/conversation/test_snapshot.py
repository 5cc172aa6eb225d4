from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shared.conversation.records import SnapshotRecord
from shared.conversation.snapshot import with_numbers, with_saw
from shared.conversation.store import Conversation
from shared.storage.codec import encode
from tests.support.chats import answer

NUMBERS = st.lists(st.integers(0, 30), unique=True, max_size=20)


@given(st.lists(NUMBERS, max_size=6))
def test_what_outcomes_saw_survives_the_numbering(seen: list[list[int]]) -> None:
    outcomes = tuple(answer(100 + index, saw=tuple(numbers)) for index, numbers in enumerate(seen))

    read = with_saw(with_numbers(SnapshotRecord(outcomes=outcomes)))

    assert [frozenset(one.saw) for one in read.outcomes] == [frozenset(one.saw) for one in outcomes]
    assert (read.ids, read.saw) == ((), {})


def test_a_hundred_overlapping_windows_are_stored_as_runs(chat: Conversation) -> None:
    outcomes = tuple(answer(number, saw=tuple(range(number - 80, number))) for number in range(100, 200))
    record = SnapshotRecord(outcomes=outcomes)

    assert chat.snapshot.swap(chat.snapshot.read(), record)

    assert chat.snapshot.read().record == record
    assert len(encode(with_numbers(record))) < len(encode(record)) / 2


def test_an_outcome_that_lost_its_words_is_stored_without_what_it_saw() -> None:
    stored = with_numbers(SnapshotRecord(outcomes=(answer(2, saw=(1,)).without_words(),)))

    assert (stored.ids, stored.saw) == ((), {})


def test_an_outcome_of_an_earlier_release_saw_all_in_its_interval() -> None:
    old = SnapshotRecord(
        outcomes=(replace(answer(5), since_ms=2),), timeline={f"m{number}": number for number in range(9)}
    )

    (read,) = with_saw(old).outcomes

    assert read.saw == ("m2", "m3", "m4", "m5")
