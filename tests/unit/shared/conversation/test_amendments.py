import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.amendments import NEWEST_READ, Amendments
from shared.conversation.records import Amendment
from shared.conversation.store import Conversation
from tests.support.chats import conversations_on, everything_in, message
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32
UNSEND = Amendment(line_message_id="m1", timestamp_ms=5)


def edit(timestamp_ms: int, text: str) -> Amendment:
    return Amendment(line_message_id="m1", timestamp_ms=timestamp_ms, text=text)


def empty_chat() -> Conversation:
    return conversations_on(MemoryObjectStore(), InlineExecutor()).of(CHAT)


@given(st.permutations([edit(3, "a"), edit(7, "b"), edit(9, "c"), UNSEND, edit(9, "c")]))
def test_a_withdrawal_is_final_in_every_order(amendments: list[Amendment]) -> None:
    chat = empty_chat()
    for one in amendments:
        chat.amendments.amend(one)

    assert chat.amendments.look() == Amendments(withdrawn=frozenset({"m1"}))


@given(st.permutations([edit(3, "a"), edit(7, "b"), edit(9, "c"), edit(7, "b")]))
def test_the_newest_edit_wins_in_every_order(amendments: list[Amendment]) -> None:
    chat = empty_chat()
    for one in amendments:
        chat.amendments.amend(one)

    assert chat.amendments.look().edits == {"m1": "c"}


@given(st.permutations([1, 5, 9]))
def test_the_largest_watermark_wins(timestamps: list[int]) -> None:
    chat = empty_chat()
    for one in timestamps:
        chat.amendments.erase(one)

    assert chat.amendments.look().erased_ms == 9


def test_an_edit_from_before_an_erasure_keeps_no_words_in_either_order(
    chat: Conversation, store: MemoryObjectStore
) -> None:
    chat.amendments.amend(edit(3, "my pin is 4711"))
    chat.amendments.erase(4)
    assert "4711" not in everything_in(store)

    chat.amendments.amend(Amendment(line_message_id="m2", timestamp_ms=4, text="my pin is 4711"))
    assert chat.amendments.drop_erased_edit("m2")
    assert "4711" not in everything_in(store)
    assert chat.amendments.look().withdrawn == {"m1", "m2"}


def test_an_edit_in_the_millisecond_of_an_erasure_keeps_no_words(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.amendments.amend(edit(4, "my pin is 4711"))

    chat.amendments.erase(4)

    assert "4711" not in everything_in(store)
    assert chat.amendments.look().withdrawn == {"m1"}


def test_an_edit_from_after_an_erasure_stands(chat: Conversation) -> None:
    chat.amendments.erase(4)
    chat.amendments.amend(edit(5, "hello"))

    assert not chat.amendments.drop_erased_edit("m1")
    assert chat.amendments.look().edits == {"m1": "hello"}


def test_only_the_newest_amendments_are_read(chat: Conversation) -> None:
    for number in range(NEWEST_READ + 5):
        chat.amendments.amend(Amendment(line_message_id=f"m{number}", timestamp_ms=number))

    assert chat.amendments.look().withdrawn == {f"m{number}" for number in range(5, NEWEST_READ + 5)}


def test_an_unreadable_amendment_does_not_silence_the_chat(chat: Conversation, store: MemoryObjectStore) -> None:
    store.create(f"amended/{CHAT}/m9.json", b"{")
    chat.amendments.amend(UNSEND)

    assert chat.amendments.look().withdrawn == {"m1"}


def test_a_message_is_withdrawn_by_its_id_or_by_its_timestamp() -> None:
    assert Amendments(withdrawn=frozenset({"m1"})).is_withdrawn(message(1))
    assert [Amendments(erased_ms=number).is_withdrawn(message(5)) for number in (4, 5)] == [False, True]


@pytest.mark.parametrize(
    ("line_message_id", "words_ms", "expected"),
    [("m1", 99, True), ("m2", 6, True), ("m2", 7, False), ("m3", 4, True), ("m3", 5, False)],
)
def test_an_entry_may_hold_the_newest_words_that_stand(line_message_id: str, words_ms: int, *, expected: bool) -> None:
    amendments = Amendments(withdrawn=frozenset({"m1"}), edited_ms={"m2": 7}, erased_ms=9, erased_entries_ms=4)

    assert amendments.is_withdrawn_from_entries(line_message_id, words_ms) is expected
