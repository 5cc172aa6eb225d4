import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.amendments import NEWEST_READ, Amendments
from shared.conversation.records import Amendment
from shared.conversation.store import Memory
from tests.support.chats import answer, everything_in, memory_on, message
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32


def edit(timestamp_ms: int, text: str) -> Amendment:
    return Amendment(line_message_id="m1", timestamp_ms=timestamp_ms, text=text)


UNSEND = Amendment(line_message_id="m1", timestamp_ms=5)


@given(st.permutations([edit(3, "a"), edit(7, "b"), edit(9, "c"), UNSEND, edit(9, "c")]))
def test_whatever_the_order_a_withdrawal_is_final(amendments: list[Amendment]) -> None:
    memory = memory_on(MemoryObjectStore(), InlineExecutor())
    for one in amendments:
        memory.amendments.amend(CHAT, one)

    assert memory.amendments.look(CHAT) == Amendments(withdrawn=frozenset({"m1"}))


@given(st.permutations([edit(3, "a"), edit(7, "b"), edit(9, "c"), edit(7, "b")]))
def test_whatever_the_order_the_newest_edit_wins(amendments: list[Amendment]) -> None:
    memory = memory_on(MemoryObjectStore(), InlineExecutor())
    for one in amendments:
        memory.amendments.amend(CHAT, one)

    assert memory.amendments.look(CHAT).edits == {"m1": "c"}


@given(st.permutations([1, 5, 9]))
def test_the_largest_watermark_wins(timestamps: list[int]) -> None:
    memory = memory_on(MemoryObjectStore(), InlineExecutor())
    for one in timestamps:
        memory.amendments.erase(CHAT, one)

    assert memory.amendments.look(CHAT).erased_ms == 9


def test_an_edit_from_before_an_erasure_keeps_no_words_in_either_order(
    memory: Memory, store: MemoryObjectStore
) -> None:
    memory.amendments.amend(CHAT, edit(3, "my pin is 4711"))
    memory.amendments.erase(CHAT, 4)
    assert "4711" not in everything_in(store)

    memory.amendments.amend(CHAT, Amendment(line_message_id="m2", timestamp_ms=4, text="my pin is 4711"))
    assert memory.amendments.drop_erased_edit(CHAT, "m2")
    assert "4711" not in everything_in(store)
    assert memory.amendments.look(CHAT).withdrawn == {"m1", "m2"}


def test_an_edit_from_after_an_erasure_stands(memory: Memory) -> None:
    memory.amendments.erase(CHAT, 4)
    memory.amendments.amend(CHAT, edit(5, "hello"))

    assert not memory.amendments.drop_erased_edit(CHAT, "m1")
    assert memory.amendments.look(CHAT).edits == {"m1": "hello"}


def test_only_the_newest_amendments_are_read(memory: Memory) -> None:
    for number in range(NEWEST_READ + 5):
        memory.amendments.amend(CHAT, Amendment(line_message_id=f"m{number}", timestamp_ms=number))

    assert memory.amendments.look(CHAT).withdrawn == {f"m{number}" for number in range(5, NEWEST_READ + 5)}


def test_one_unreadable_amendment_does_not_silence_the_chat(memory: Memory, store: MemoryObjectStore) -> None:
    store.create(f"amended/{CHAT}/m9.json", b"{")
    memory.amendments.amend(CHAT, UNSEND)

    assert memory.amendments.look(CHAT).withdrawn == {"m1"}


@pytest.mark.parametrize(
    ("now", "changes"),
    [
        (Amendments(withdrawn=frozenset({"m1"})), True),
        (Amendments(withdrawn=frozenset({"m9"})), False),
        (Amendments(edits={"m1": "new"}), True),
        (Amendments(edits={"m2": "same"}), False),
        (Amendments(edits={"m9": "new"}), False),
        (Amendments(erased_ms=3), True),
        (Amendments(erased_ms=2), False),
    ],
)
def test_a_prompt_changes_with_its_own_messages_only(now: Amendments, *, changes: bool) -> None:
    before = Amendments(edits={"m2": "same"})

    assert now.change({"m1", "m2"}, since_ms=3, before=before) is changes


def test_what_was_known_before_the_prompt_was_made_changes_nothing() -> None:
    known = Amendments(withdrawn=frozenset({"m1"}), edits={"m2": "x"}, erased_ms=5)

    assert not known.change({"m1", "m2"}, since_ms=3, before=known)


def test_an_outcome_is_touched_by_what_it_covers_saw_or_reaches_back_to() -> None:
    outcome = answer(5, saw=(3, 4))

    assert [Amendments(withdrawn=frozenset({f"m{number}"})).touch(outcome) for number in (2, 3, 5)] == [
        False,
        True,
        True,
    ]
    assert [Amendments(erased_ms=number).touch(outcome) for number in (2, 3)] == [False, True]


def test_a_message_is_taken_back_by_id_or_by_time() -> None:
    assert Amendments(withdrawn=frozenset({"m1"})).take_back(message(1))
    assert [Amendments(erased_ms=number).take_back(message(5)) for number in (4, 5)] == [False, True]


@pytest.mark.parametrize(("before", "expected"), [(-1, True), (9, True), (10, False)])
def test_what_was_filed_may_be_older_than_the_prompt_so_an_erasure_of_entries_counts(
    before: int, *, expected: bool
) -> None:
    erased = Amendments(erased_ms=10, erased_entries_ms=10)

    assert erased.change(frozenset(), since_ms=20, before=Amendments(erased_entries_ms=before)) is expected
