from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendments import Amendments
from shared.conversation.history import History
from shared.conversation.records import Recap, SnapshotRecord
from shared.conversation.store import Memory
from shared.conversation.turn import Route
from shared.conversation.withdrawal import Withdrawal
from shared.errors import StorageUnavailableError, UnusableIdError
from shared.storage.object_names import snapshot_name
from tests.support.chats import answer, everything_in, memory_on, message
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32
OTHER_CHAT = "U" + "2" * 32
LEGACY = Path(__file__).parents[3] / "records" / "snapshot-without-ids.json"


def read(memory: Memory) -> History:
    history = memory.reader.read(CHAT, memory.reader.list(CHAT))
    assert history is not None
    return history


def fold(memory: Memory, record: SnapshotRecord) -> None:
    assert memory.snapshots.swap(CHAT, memory.snapshots.read(CHAT), record)


def test_a_withdrawn_message_is_in_no_object(memory: Memory, store: MemoryObjectStore) -> None:
    memory.journal.record(CHAT, message(1, "my pin is 4711"))
    memory.journal.record(CHAT, message(2, "and it is sunny"))
    memory.journal.record_outcome(CHAT, answer(1, "your pin is 4711"))
    memory.journal.record_outcome(CHAT, answer(2, "I noted 4711", saw=(1,)))

    assert memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert [one.line_message_id for one in read(memory).messages] == ["m2"]


def test_a_message_in_the_snapshot_goes_with_every_recap_and_answer_that_may_repeat_it(
    memory: Memory, store: MemoryObjectStore
) -> None:
    fold(
        memory,
        SnapshotRecord(
            messages=(message(1, "my pin is 4711"), message(2)),
            outcomes=(replace(answer(2, "4711, noted"), since_ms=1),),
            recaps=(
                Recap(text="they met", covers=("m0",), timestamp_ms=0, since_ms=0, until_ms=0),
                Recap(text="pin 4711", covers=("m1",), timestamp_ms=1, since_ms=1, until_ms=1),
            ),
            timeline={"m0": 0, "m1": 1, "m2": 2},
        ),
    )

    assert memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert [one.text for one in read(memory).recaps] == ["they met"]


def test_an_answer_that_reaches_far_back_loses_its_words_although_it_names_only_the_newest_messages(
    memory: Memory, store: MemoryObjectStore
) -> None:
    fold(memory, SnapshotRecord(timeline={"m1": 1, "m2": 2}))
    memory.journal.record_outcome(CHAT, replace(answer(9, "4711"), since_ms=1))
    memory.journal.record_outcome(CHAT, replace(answer(8, "sunny"), since_ms=2))

    memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert "sunny" in everything_in(store)


def test_a_committed_answer_loses_the_words_in_the_turn(memory: Memory, store: MemoryObjectStore) -> None:
    held = memory.turns.open(CHAT, memory.turns.read(CHAT))
    assert held is not None
    held.commit(answer(1, "4711"), Route(), prompt=set(), since_ms=1)

    memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)


def test_an_unsend_leaves_other_chats_alone(memory: Memory) -> None:
    memory.journal.record(OTHER_CHAT, message(1))

    assert not memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert len(memory.reader.list(OTHER_CHAT).messages) == 1


def test_a_message_that_nobody_knows_leaves_its_amendment(memory: Memory, store: MemoryObjectStore) -> None:
    assert not memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert memory.amendments.look(CHAT) == Amendments(withdrawn=frozenset({"m1"}))
    assert store.list("journal/") == ()


def test_what_a_dying_writer_left_goes_with_the_second_pass(memory: Memory, store: MemoryObjectStore) -> None:
    class DyingWriter(FixedClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            memory.journal.keep(CHAT, message(1, "4711"))  # and it died before it looked

    withdrawal = Withdrawal(
        journal=memory.journal,
        amendments=memory.amendments,
        snapshots=memory.snapshots,
        turns=memory.turns,
        clock=DyingWriter(),
    )

    withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)


def test_the_second_pass_comes_when_the_last_lease_is_over(memory: Memory, clock: FixedClock) -> None:
    before = clock.monotonic_s()

    memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert clock.monotonic_s() - before == pytest.approx(30)


def test_places_outside_of_the_journal_are_asked_in_both_passes(memory: Memory) -> None:
    class Entries:
        def __init__(self) -> None:
            self.asked: list[Amendments] = []

        def take_out(self, conversation_id: str, amendments: Amendments) -> None:
            assert conversation_id == CHAT
            self.asked.append(amendments)

    entries = Entries()
    withdrawal = Withdrawal(
        journal=memory.journal,
        amendments=memory.amendments,
        snapshots=memory.snapshots,
        turns=memory.turns,
        clock=FixedClock(),
        copies=[entries],
    )

    withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert [one.withdrawn for one in entries.asked] == [{"m1"}, {"m1"}]


def test_an_edit_replaces_the_words_wherever_they_are(memory: Memory, store: MemoryObjectStore) -> None:
    fold(memory, SnapshotRecord(messages=(message(1, "4711"),), timeline={"m1": 1}))
    memory.journal.record(CHAT, message(2, "4711"))

    for one in ("m1", "m2"):
        assert memory.withdrawal.edit(CHAT, one, text="a secret", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert [one.text for one in read(memory).messages] == ["a secret", "a secret"]


def test_an_edit_leaves_answers_that_were_given(memory: Memory) -> None:
    memory.journal.record(CHAT, message(1))
    memory.journal.record_outcome(CHAT, answer(1, "hello"))

    memory.withdrawal.edit(CHAT, "m1", text="bye", timestamp_ms=9)

    assert [one.text for one in read(memory).outcomes] == ["hello"]


def test_an_edit_of_a_withdrawn_message_stays_withdrawn(memory: Memory, store: MemoryObjectStore) -> None:
    memory.journal.record(CHAT, message(1, "hi"))
    memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=5)

    memory.withdrawal.edit(CHAT, "m1", text="4711", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert read(memory).messages == ()


def test_an_erasure_takes_what_is_older_and_leaves_what_came_later(memory: Memory, store: MemoryObjectStore) -> None:
    fold(memory, SnapshotRecord(messages=(message(1, "4711"),), outcomes=(answer(1, "4711"),), timeline={"m1": 1}))
    memory.journal.record(CHAT, message(2, "4711"))
    memory.journal.record_outcome(CHAT, answer(2, "4711", saw=(1,)))
    memory.withdrawal.edit(CHAT, "m2", text="4711", timestamp_ms=3)
    memory.journal.record(CHAT, message(5, "hello"))
    memory.journal.record_outcome(CHAT, answer(5, "hello you"))

    memory.withdrawal.erase(CHAT, until_ms=4)

    assert "4711" not in everything_in(store)
    assert [one.text for one in read(memory).messages] == ["hello"]
    assert [one.text for one in read(memory).outcomes] == ["hello you"]
    assert [one.name for one in store.list(f"journal/{CHAT}/")] == [
        f"journal/{CHAT}/e5.outcome.json",
        f"journal/{CHAT}/m5.json",
    ]


def test_an_older_erasure_that_comes_late_changes_nothing(memory: Memory) -> None:
    memory.withdrawal.erase(CHAT, until_ms=4)
    memory.journal.record(CHAT, message(5))
    before = read(memory)

    memory.withdrawal.erase(CHAT, until_ms=3)

    assert read(memory) == before


def test_a_snapshot_whose_messages_have_no_ids_loads_and_they_cannot_be_taken_back(
    memory: Memory, store: MemoryObjectStore
) -> None:
    store.create(snapshot_name(CHAT), LEGACY.read_bytes())

    memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert [one.text for one in read(memory).messages] == ["before ids were kept", "and one more"]


def test_an_amendment_that_others_keep_changing_is_told_as_such(memory: Memory, store: MemoryObjectStore) -> None:
    def never(*_: object, **__: object) -> None:
        return None

    store.replace = never  # type: ignore[method-assign]

    with pytest.raises(StorageUnavailableError, match="others kept changing an amendment"):
        memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=1)


def test_no_odd_id_becomes_a_path(memory: Memory) -> None:
    with pytest.raises(UnusableIdError, match="no LINE id"):
        memory.withdrawal.withdraw(CHAT, f"../{OTHER_CHAT}/m1", timestamp_ms=1)


@given(steps=st.permutations(["record", "record", "answer", "unsend", "unsend", "edit"]))
def test_message_answer_edit_and_unsend_commute(steps: list[str]) -> None:
    store = MemoryObjectStore()
    memory = memory_on(store, InlineExecutor())
    for step in steps:
        match step:
            case "record":
                memory.journal.record(CHAT, message(1, "my pin is 4711"))
            case "answer":
                memory.journal.record_outcome(CHAT, answer(1, "your pin is 4711"))
            case "edit":
                memory.withdrawal.edit(CHAT, "m1", text="or is it 4711?", timestamp_ms=7)
            case "unsend":
                memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert read(memory).messages == ()


@given(steps=st.permutations(["record", "record", "edit 5", "edit 7", "edit 9"]))
def test_message_and_edits_commute(steps: list[str]) -> None:
    store = MemoryObjectStore()
    memory = memory_on(store, InlineExecutor())
    for step in steps:
        if step == "record":
            memory.journal.record(CHAT, message(1, "first words"))
        else:
            memory.withdrawal.edit(CHAT, "m1", text=step, timestamp_ms=int(step.split()[1]))

    assert [one.text for one in read(memory).messages] == ["edit 9"]
    assert "first words" not in everything_in(store)
