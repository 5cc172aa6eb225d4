import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendment_events import withdrawal_of as event_of_withdrawal
from shared.conversation.amendment_records import Amendment, EditedWords
from shared.conversation.amendments import Amendments, Plan
from shared.conversation.due import DueMarkers
from shared.conversation.history import History
from shared.conversation.lifetime import bounded
from shared.conversation.member_mark import mark_id
from shared.conversation.records import OutcomeRecord
from shared.conversation.snapshot import MemoryLimits
from shared.conversation.snapshot_records import Recap, SnapshotRecord
from shared.conversation.store import Conversation, Conversations
from shared.conversation.turn import Route
from shared.conversation.withdrawal import Withdrawal
from shared.conversation.word_holder import Removal, WordHolder
from shared.errors import CorruptRecordError, StorageUnavailableError, UnknownRecordVersionError, UnusableIdError
from shared.handlers.unsend import withdrawal_of
from shared.storage.codec import encode
from shared.storage.compare_and_swap import SWAP_ATTEMPTS
from shared.storage.object_names import AmendedName
from shared.storage.object_store import ListedObject, StoredObject
from shared.turns.lease import open_turn
from tests.support.chats import answer, conversations_on, everything_in, made_of, made_with, message, reader
from tests.support.inline import InlineExecutor
from tests.support.reminders import InterruptedStore

CHAT = "U" + "1" * 32
OTHER_CHAT = "U" + "2" * 32
ANNA = "U" + "a" * 32


def read(chat: Conversation) -> History:
    history = reader().read(chat, reader().list(chat))
    assert history is not None
    return history


def seeing(outcome: OutcomeRecord, *own_ids: str) -> OutcomeRecord:
    """Return the outcome of a prompt that held these answers as well."""
    return made_with(outcome, *outcome.provenance.ids, *own_ids)


def recap(number: int, text: str, *summed_up_ids: str) -> Recap:
    return Recap(
        id=f"recap-{number}",
        text=text,
        timestamp_ms=0,
        summed_up_ids=summed_up_ids or ("m0",),
        provenance=made_of(*summed_up_ids or ("m0",), since_ms=0, until_ms=0),
    )


def fold(chat: Conversation, record: SnapshotRecord) -> None:
    assert chat.snapshot.swap(chat.snapshot.read(), record)


def test_a_withdrawn_message_is_in_no_object(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.journal.record(message(1, "my pin is 4711"))
    chat.journal.record(message(2, "and it is sunny"))
    chat.journal.record_outcome(answer(1, "your pin is 4711"))
    chat.journal.record_outcome(answer(2, "I noted 4711", saw=(1,)))

    assert withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert [one.line_message_id for one in read(chat).messages] == ["m2"]


def test_an_answer_that_repeats_a_recap_which_left_the_prompts_loses_its_words(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    fold(chat, SnapshotRecord(passed_recaps=(replace(recap(1, "they talked about the kabocha soup"), passed_ms=1),)))
    chat.journal.record(message(5, "what did we talk about?"))
    chat.journal.record_outcome(seeing(answer(5, "about the kabocha soup"), "recap-1"))

    assert withdrawal.withdraw(chat, "m0", timestamp_ms=9)

    assert "kabocha" not in everything_in(store)


def test_a_withdrawal_cleans_the_snapshot_with_recaps_and_answers(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    fold(
        chat,
        SnapshotRecord(
            messages=(message(1, "my pin is 4711"), message(2)),
            outcomes=(answer(2, "4711, noted", saw=(1,)),),
            recaps=(
                Recap(
                    id="r0",
                    text="they met",
                    timestamp_ms=0,
                    summed_up_ids=("m0",),
                    provenance=made_of("m0", since_ms=0, until_ms=0),
                ),
                Recap(
                    id="r1",
                    text="pin 4711",
                    timestamp_ms=1,
                    summed_up_ids=("m1",),
                    provenance=made_of("m1", since_ms=1, until_ms=1),
                ),
            ),
        ),
    )

    assert withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert [one.text for one in read(chat).recaps] == ["they met"]


def test_later_answers_that_did_not_see_the_message_keep_their_words(
    chat: Conversation, withdrawal: Withdrawal
) -> None:
    answers = tuple(answer(number, f"number {number}", saw=(number - 1,)) for number in range(2, 57))
    fold(chat, SnapshotRecord(messages=(message(1, "my pin is 4711"), message(2)), outcomes=answers))

    withdrawal.withdraw(chat, "m1", timestamp_ms=99)

    assert [one.webhook_event_id for one in read(chat).outcomes if not one.holds_words] == ["e2"]


@pytest.mark.parametrize(
    ("kind", "text", "keeps"),
    [
        ("image", "[image]", True),
        ("video", "[video: 12 s]", True),
        ("audio", "[voice message: 3 s]", True),
        ("file", "[file: payroll.pdf, 12.0 kB]", False),
        ("image", "[image: a red bicycle]", False),
        ("text", "[image]", False),
    ],
)
def test_answers_that_show_messages_without_words_alike_do_not_repeat_each_other(
    chat: Conversation, withdrawal: Withdrawal, kind: str, text: str, *, keeps: bool
) -> None:
    chat.journal.record(replace(message(1, text), type=kind))
    chat.journal.record_outcome(answer(1, "seen"))
    chat.journal.record_outcome(seeing(answer(2, f"1. {text} 2. {text}"), "e1"))

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert [one.holds_words for one in read(chat).outcomes] == [False, keeps]


@pytest.mark.parametrize("is_folded", [False, True])
def test_what_was_made_of_a_message_whose_own_withdrawal_stalled_is_compared_with_it(
    chat: Conversation, withdrawal: Withdrawal, *, is_folded: bool
) -> None:
    stalled = message(1, "pin42x")
    if is_folded:
        fold(chat, SnapshotRecord(messages=(stalled,)))
    else:
        chat.journal.keep(stalled)
    chat.journal.record_outcome(answer(1, "noted: pin42x"))
    chat.journal.record_outcome(seeing(answer(2, "yes, pin42x"), "e1"))
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))

    withdrawal.withdraw(chat, "m8", timestamp_ms=9)

    assert [one.text for one in read(chat).outcomes] == [None, None]


def test_an_answer_that_repeats_what_a_later_find_said_goes_although_it_does_not_name_it(
    chat: Conversation, withdrawal: Withdrawal
) -> None:
    chat.journal.record(message(1, "the safe stands behind the third bookshelf"))
    chat.journal.record_outcome(answer(1, "noted: behind the third bookshelf"))
    chat.journal.record_outcome(seeing(answer(2, "behind the third bookshelf, next to the harpsichord"), "e1"))
    chat.journal.record_outcome(seeing(answer(3, "you mean next to the harpsichord"), "e1"))

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert [one.text for one in read(chat).outcomes] == [None, None, None]


def test_a_message_that_is_taken_back_late_is_compared_by_the_words_of_its_delivery(
    chat: Conversation, withdrawal: Withdrawal
) -> None:
    late = replace(message(1, "pin42x"), user_id="U" + "2" * 32)
    chat.journal.record_outcome(answer(1, "noted: pin42x"))
    chat.journal.record_outcome(seeing(answer(2, "yes, pin42x"), "e1"))
    chat.amendments.forget_member(late.user_id or "", until_ms=9)

    withdrawal.take_back_late(chat, late)

    assert [one.text for one in read(chat).outcomes] == [None, None]


def test_an_answer_that_repeats_one_that_went_goes_with_it_however_far_it_was_handed_on(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.journal.record(message(1, "the safe stands behind the third bookshelf"))
    chat.journal.record_outcome(answer(1, "noted: behind the third bookshelf"))
    chat.journal.record_outcome(seeing(answer(2, "as I said, behind the third bookshelf"), "e1"))
    chat.journal.record_outcome(seeing(answer(3, "still behind the third bookshelf"), "e2"))

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "third bookshelf" not in everything_in(store)
    assert chat.amendments.look().plans["m1"].redacted_ids == {"e1", "e2", "e3"}


def test_an_answer_that_rephrases_one_that_went_keeps_its_words(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.journal.record(message(1, "the safe stands behind the third bookshelf"))
    chat.journal.record_outcome(answer(1, "noted: behind the third bookshelf"))
    chat.journal.record_outcome(seeing(answer(2, "you told me where it is"), "e1"))

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)
    withdrawal.finish_withdrawal(chat, "m1")

    assert "you told me where it is" in everything_in(store)


def test_an_answer_that_was_under_way_goes_with_the_one_that_it_saw(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.journal.record(message(1, "the safe stands behind the third bookshelf"))
    chat.journal.record_outcome(answer(1, "noted: behind the third bookshelf"))
    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    store.create(chat.names.outcome("e2"), encode(seeing(answer(2, "where you said"), "e1")))  # its writer dies here
    assert [one.text for one in read(chat).outcomes if one.webhook_event_id == "e2"] == [None]
    withdrawal.finish_withdrawal(chat, "m1")

    assert "where you said" not in everything_in(store)


def test_an_answer_that_comes_while_the_plan_is_stored_and_repeats_nothing_keeps_its_words(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.journal.record(message(1, "the safe stands behind the third bookshelf"))
    chat.journal.record_outcome(answer(1, "noted: behind the third bookshelf"))
    create, coming = store.create, [seeing(answer(2, "where you said"), "e1")]

    def create_plan(name: str, data: bytes) -> int | None:
        if ".plan." in name and coming:
            create(chat.names.outcome("e2"), encode(coming.pop()))
        return create(name, data)

    store.create = create_plan  # type: ignore[method-assign]

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert not coming
    assert [one.text for one in read(chat).outcomes] == [None, "where you said"]


def test_an_answer_in_the_journal_that_was_folded_too_stays_compared_for_later_withdrawals(
    chat: Conversation, withdrawal: Withdrawal
) -> None:
    chat.journal.record(message(1, "the safe stands behind the third bookshelf"))
    chat.journal.record_outcome(answer(1, "noted: behind the third bookshelf"))
    chat.journal.record_outcome(seeing(answer(2, "where you said"), "e1"))
    withdrawal.withdraw(chat, "m1", timestamp_ms=9)
    fold(chat, SnapshotRecord(outcomes=(answer(1).without_words(), answer(2, "where you said"))))

    withdrawal.withdraw(chat, "m3", timestamp_ms=10)

    assert [one.text for one in read(chat).outcomes] == [None, "where you said"]


def test_a_recap_that_repeats_an_answer_that_went_goes_with_it(chat: Conversation, withdrawal: Withdrawal) -> None:
    recaps = (
        made_with(recap(1, "behind the third bookshelf"), "e1"),
        made_with(recap(2, "they spoke of furniture"), "e1"),
    )
    chat.journal.record(message(1, "the safe stands behind the third bookshelf"))
    fold(chat, SnapshotRecord(outcomes=(answer(1, "noted: behind the third bookshelf"),), recaps=recaps))

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert [one.text for one in read(chat).recaps] == ["they spoke of furniture"]


def test_what_repeats_an_answer_goes_although_a_compaction_cleaned_that_answer_first(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    repeating = made_with(recap(1, "the safe stands behind the third bookshelf"), "e2")
    fold(chat, SnapshotRecord(outcomes=(answer(2, "behind the third bookshelf", saw=(1,)),), recaps=(repeating,)))
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))
    chat.snapshot.settle(chat.amendments, Amendments())

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "third bookshelf" not in everything_in(store)


def test_what_repeats_a_recap_goes_although_a_compaction_dropped_that_recap_first(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    of_the_place = recap(1, "the safe stands behind the third bookshelf", "m1")
    fold(chat, SnapshotRecord(messages=(message(1),), recaps=(of_the_place,)))
    chat.journal.record_outcome(seeing(answer(5, "behind the third bookshelf"), "recap-1"))
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))
    chat.snapshot.settle(chat.amendments, Amendments())

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "third bookshelf" not in everything_in(store)


@pytest.mark.parametrize("is_folded", [True, False])
def test_what_repeats_a_recap_goes_although_an_edit_of_another_source_dropped_that_recap_before(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore, *, is_folded: bool
) -> None:
    of_both = recap(1, "the safe stands behind the third bookshelf", "m1", "m2")
    repeating = seeing(answer(5, "behind the third bookshelf"), "recap-1")
    rephrasing = seeing(answer(6, "where you said"), "recap-1")
    record = SnapshotRecord(messages=(message(1), message(2, "at nine")), recaps=(of_both,))
    fold(chat, replace(record, outcomes=(repeating, rephrasing)) if is_folded else record)
    if not is_folded:
        chat.journal.record_outcome(repeating)
    withdrawal.edit(chat, "m2", text="at ten", timestamp_ms=9)

    withdrawal.withdraw(chat, "m1", timestamp_ms=10)

    assert "third bookshelf" not in everything_in(store)
    assert ("where you said" in everything_in(store)) == is_folded


def test_what_repeats_a_lost_recap_goes_although_that_recap_fell_out_before(
    chat: Conversation, withdrawal: Withdrawal, clock: FixedClock, store: MemoryObjectStore
) -> None:
    lost = replace(recap(1, "", "m1"), passed_ms=1)
    fold(chat, SnapshotRecord(passed_recaps=(lost,), outcomes=(seeing(answer(5, "4711"), "recap-1"),)))
    seen = chat.snapshot.read()
    chat.snapshot.swap(seen, bounded(seen.record, MemoryLimits(), now_ms=clock.now_ms(), required_ids=frozenset()))

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert chat.snapshot.read().record.passed_recaps == ()
    assert "4711" not in everything_in(store)


def test_a_recap_of_words_from_before_an_edit_goes(chat: Conversation, withdrawal: Withdrawal) -> None:
    older = recap(1, "the meeting is at nine", "m1")
    fold(chat, SnapshotRecord(messages=(message(1, "at nine"),), recaps=(older,)))

    withdrawal.edit(chat, "m1", text="at ten", timestamp_ms=9)
    assert read(chat).recaps == ()

    seen = chat.snapshot.read()
    newer = recap(2, "the meeting is at ten", "m1")
    newer = replace(newer, provenance=replace(newer.provenance, messages={"": {"m1": 9}}))
    chat.snapshot.swap(seen, replace(seen.record, recaps=(newer,)))
    withdrawal.edit(chat, "m1", text="at ten", timestamp_ms=9)
    assert [one.text for one in read(chat).recaps] == ["the meeting is at ten"]


def test_a_withdrawal_writes_neither_turn_nor_snapshot_where_nothing_has_to_go(
    chat: Conversation, withdrawal: Withdrawal
) -> None:
    fold(chat, SnapshotRecord(messages=(message(1),)))
    before = chat.snapshot.read(), chat.turn.read()

    for number in range(40, 80):
        withdrawal.withdraw(chat, f"m{number}", timestamp_ms=99)

    assert (chat.snapshot.read(), chat.turn.read()) == before


def test_a_message_whose_unsend_came_first_stays_out_after_200_other_amendments(
    chat: Conversation, withdrawal: Withdrawal
) -> None:
    withdrawal.withdraw(chat, "m1", timestamp_ms=9)
    for number in range(100, 300):
        chat.amendments.amend(Amendment(line_message_id=f"m{number}", timestamp_ms=9, text="x"))

    assert not chat.journal.record(message(1, "4711"))

    chat.journal.keep(message(1, "4711"))  # another writer, which died before it looked
    assert read(chat).messages == ()


def test_a_committed_answer_loses_its_words_in_the_turn(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    lease = open_turn(chat, chat.turn.read())
    assert lease is not None
    lease.commit(answer(1, "4711"), Route())

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)


def test_a_committed_answer_loses_its_words_in_the_turn_when_its_folded_copy_has_come_to_name_the_message(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    lease = open_turn(chat, chat.turn.read())
    assert lease is not None
    committed = lease.commit(seeing(answer(5, "as I said, your pin is 4711"), "e1"), Route())
    assert committed is not None
    fold(chat, SnapshotRecord(outcomes=(seeing(committed, "m1"),)))  # it took over from e1, which has left memory

    assert withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)


def test_an_unsend_leaves_other_chats_alone(conversations: Conversations, withdrawal: Withdrawal) -> None:
    other_chat = conversations.of(OTHER_CHAT)
    other_chat.journal.record(message(1))

    assert not withdrawal.withdraw(conversations.of(CHAT), "m1", timestamp_ms=9)

    assert len(reader().list(other_chat).messages) == 1


def test_an_unsend_of_an_unknown_message_leaves_its_amendment(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    assert not withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert chat.amendments.look() == Amendments(withdrawn=frozenset({"m1"}))
    assert store.list("journal/") == ()


def test_the_second_pass_removes_what_a_crashed_writer_left(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    withdrawal.withdraw(chat, "m1", timestamp_ms=9)
    chat.journal.keep(message(1, "4711"))  # its writer crashes before it looks at the amendments

    withdrawal.finish_withdrawal(chat, "m1")

    assert "4711" not in everything_in(store)


def test_the_second_pass_is_due_after_the_last_lease_and_nobody_waits_for_it(
    chat: Conversation, withdrawal: Withdrawal, clock: FixedClock, store: MemoryObjectStore
) -> None:
    before_s = clock.monotonic_s()

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)
    withdrawal.erase(chat, until_ms=8)

    assert clock.monotonic_s() == before_s
    due = DueMarkers(store=store)
    assert due.until(clock.now_ms() + 30_000 - 60_000) == ()
    found = due.until(clock.now_ms() + 30_000 + 60_000)
    assert {(one.kind, one.id) for one in found} == {("withdrawal", "m1"), ("erasure", "8")}
    assert all(one.due_ms >= clock.now_ms() + 30_000 for one in found)


def test_second_passes_overtake_compactions_with_one_write_a_minute(
    chat: Conversation, withdrawal: Withdrawal, clock: FixedClock
) -> None:
    generations = []
    for seconds in (0, 59, 1, 59, 61):  # the clock begins with a minute
        clock.move(seconds)
        withdrawal.finish_withdrawal(chat, "m1")
        withdrawal.finish_edit(chat, "m2")
        generations.append(chat.snapshot.read().generation)

    assert [generations.index(one) for one in generations] == [0, 0, 2, 2, 4]


def test_a_snapshot_that_cannot_be_read_is_overtaken_as_it_is(chat: Conversation, store: MemoryObjectStore) -> None:
    store.create(chat.names.snapshot, b"not a record")
    before = store.read(chat.names.snapshot)

    chat.snapshot.overtake(now_ms=0)

    after = store.read(chat.names.snapshot)
    assert before is not None
    assert after is not None
    assert (after.data, after.generation > before.generation) == (before.data, True)


def test_word_holders_are_cleared_in_both_passes(chat: Conversation) -> None:
    class Entries(WordHolder):
        def __init__(self) -> None:
            self.asked: list[Amendments] = []

        def begin_removal(self, conversation: Conversation) -> Removal:
            assert conversation.id == CHAT
            return self.asked.append

    entries = Entries()

    withdrawal = Withdrawal(holders=(entries,), clock=FixedClock())
    withdrawal.withdraw(chat, "m1", timestamp_ms=9)
    withdrawal.finish_withdrawal(chat, "m1")

    assert [one.withdrawn for one in entries.asked] == [{"m1"}, {"m1"}]


def test_an_edit_replaces_the_words_in_journal_and_snapshot(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    fold(chat, SnapshotRecord(messages=(message(1, "4711"),)))
    chat.journal.record(message(2, "4711"))

    for message_id in ("m1", "m2"):
        assert withdrawal.edit(chat, message_id, text="a secret", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert [one.text for one in read(chat).messages] == ["a secret", "a secret"]


def test_an_edit_leaves_earlier_answers_alone(chat: Conversation, withdrawal: Withdrawal) -> None:
    chat.journal.record(message(1))
    chat.journal.record_outcome(answer(1, "hello"))

    withdrawal.edit(chat, "m1", text="bye", timestamp_ms=9)

    assert [one.text for one in read(chat).outcomes] == ["hello"]


def test_a_withdrawn_message_stays_withdrawn_after_an_edit(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.journal.record(message(1, "hi"))
    withdrawal.withdraw(chat, "m1", timestamp_ms=5)

    withdrawal.edit(chat, "m1", text="4711", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert read(chat).messages == ()


def test_an_erasure_removes_what_is_older_and_keeps_what_came_later(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    fold(chat, SnapshotRecord(messages=(message(1, "4711"),), outcomes=(answer(1, "4711"),)))
    chat.journal.record(message(2, "4711"))
    chat.journal.record_outcome(answer(2, "4711", saw=(1,)))
    withdrawal.edit(chat, "m2", text="4711", timestamp_ms=3)
    chat.journal.record(message(5, "hello"))
    chat.journal.record_outcome(answer(5, "hello you"))

    withdrawal.erase(chat, until_ms=4)
    assert "4711" not in everything_in(store)
    withdrawal.finish_erasure(chat, "4")

    assert "4711" not in everything_in(store)
    assert [one.text for one in read(chat).messages] == ["hello"]
    assert [one.text for one in read(chat).outcomes] == ["hello you"]
    assert [one.name for one in store.list(f"journal/{CHAT}/")] == [
        f"journal/{CHAT}/e5.outcome.json",
        f"journal/{CHAT}/m5.json",
    ]


def records_answers_that_hand_an_erased_pin_on(chat: Conversation) -> None:
    """The first saw the message and came after the erasure's timestamp, the second saw the first only."""
    chat.journal.record_outcome(answer(5, "your pin is 4711 0815", saw=(1,)))
    chat.journal.record_outcome(seeing(answer(6, "I said that your pin is 4711 0815"), "e5"))
    chat.journal.record_outcome(seeing(answer(7, "so much for that"), "e5"))


@pytest.mark.parametrize(("named", "is_affected"), [("e5", True), ("e6", True), ("e7", False)])
def test_a_prompt_with_an_answer_that_goes_with_an_erasure_is_thought_about_again(
    chat: Conversation, withdrawal: Withdrawal, named: str, *, is_affected: bool
) -> None:
    records_answers_that_hand_an_erased_pin_on(chat)
    prompt, before = made_of("m9", named, since_ms=9), chat.amendments.look()

    withdrawal.erase(chat, until_ms=4, spares_entries=True)  # else every prompt counts as affected

    assert prompt.is_affected_since(before, chat.amendments.look()) is is_affected


@pytest.mark.parametrize("fold_first", [False, True])
@pytest.mark.parametrize("named", ["e5", "e6"])
def test_an_answer_that_was_under_way_during_an_erasure_loses_what_it_repeats(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore, named: str, *, fold_first: bool
) -> None:
    records_answers_that_hand_an_erased_pin_on(chat)
    if fold_first:
        fold(chat, SnapshotRecord(outcomes=chat.journal.read_outcomes()))
    withdrawal.erase(chat, until_ms=4)
    late = seeing(answer(9, "4711 0815, as I said"), named)
    chat.journal.record_outcome(late)  # its worker dies before it looks

    assert chat.amendments.look().redact(late).text is None
    withdrawal.finish_erasure(chat, "4")
    assert "4711" not in everything_in(store)
    assert "so much for that" in everything_in(store)


@pytest.mark.parametrize("is_folded", [False, True])
@pytest.mark.parametrize(
    ("shown_since_ms", "spares_entries", "is_kept"), [(4, False, False), (5, False, True), (0, True, True)]
)
def test_an_erasure_of_entries_takes_later_answers_that_may_have_been_shown_one(
    chat: Conversation,
    withdrawal: Withdrawal,
    store: MemoryObjectStore,
    shown_since_ms: int,
    *,
    is_folded: bool,
    spares_entries: bool,
    is_kept: bool,
) -> None:
    later = made_with(answer(9, "your pin is 4711"), entries_since_ms=shown_since_ms)
    if is_folded:
        fold(chat, SnapshotRecord(outcomes=(later,)))
    else:
        chat.journal.record_outcome(later)

    withdrawal.erase(chat, until_ms=4, spares_entries=spares_entries)  # it was carried out late

    assert ("4711" in everything_in(store)) is is_kept


def test_what_repeats_an_answer_that_may_have_been_shown_an_erased_entry_goes_with_it(
    chat: Conversation, withdrawal: Withdrawal
) -> None:
    later = made_with(answer(8, "your pin is 4711 0815"), entries_since_ms=0)
    repeating, harmless = (
        seeing(answer(9, "I said that your pin is 4711 0815"), "e8"),
        seeing(answer(10, "so much for that"), "e8"),
    )
    for outcome in (later, repeating, harmless):
        chat.journal.record_outcome(outcome)

    withdrawal.erase(chat, until_ms=4)

    assert [one.text for one in read(chat).outcomes] == [None, None, "so much for that"]


@pytest.mark.parametrize("until_ms", [7, 8])
def test_an_erasure_of_all_that_was_said_stores_no_plan(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore, until_ms: int
) -> None:
    records_answers_that_hand_an_erased_pin_on(chat)

    withdrawal.erase(chat, until_ms=until_ms)

    assert chat.amendments.look() == Amendments(erased_ms=until_ms, erased_entries_ms=until_ms)
    assert "4711" not in everything_in(store)


UNREADABLE = [
    f"edited/{CHAT}/m7.json",
    f"erased/{CHAT}.json",
    f"journal/{CHAT}/e7.outcome.json",
    f"journal/{CHAT}/m7.json",
    f"members/{CHAT}.json",
    f"snapshots/{CHAT}.json",
    f"turns/{CHAT}.json",
]


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_erasure_is_carried_out_whatever_cannot_be_read(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore, name: str
) -> None:
    chat.journal.record(message(1, "4711"))
    store.create(name, b"4711 {")

    withdrawal.erase(chat, until_ms=4)
    withdrawal.finish_erasure(chat, "4")

    assert "4711" not in everything_in(store)
    assert not chat.journal.record(message(2, "4711"))
    assert chat.journal.record(message(5))
    assert [one.line_message_id for one in read(chat).messages] == ["m5"]


def test_a_withdrawal_leaves_other_messages_that_cannot_be_read(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    names = [f"journal/{CHAT}/e7.outcome.json", f"journal/{CHAT}/m7.json", f"edited/{CHAT}/m7.json"]
    for name in names:
        store.create(name, b"{")

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert {one.name for one in store.list("")} >= set(names)


@pytest.mark.parametrize(
    "name", [*UNREADABLE, f"amended/{CHAT}/~fold.json", f"amended/{CHAT}/000000000000001.withdrawal.m7.0.json"]
)
def test_an_erasure_leaves_a_record_of_a_newer_version(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore, name: str
) -> None:
    store.create(name, b'{"version": 99}')

    with pytest.raises(UnknownRecordVersionError):
        withdrawal.erase(chat, until_ms=4)

    stored = store.read(name)
    assert stored is not None
    assert stored.data == b'{"version": 99}'


def test_an_erasure_that_spares_entries_leaves_the_turn_that_numbers_their_writes(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    store.create(chat.names.turn, b"{")

    with pytest.raises(CorruptRecordError):
        withdrawal.erase(chat, until_ms=4, spares_entries=True)

    assert store.read(chat.names.turn) is not None


def test_an_erasure_that_spares_entries_does_not_mark_them_as_erased_where_their_mark_cannot_be_read(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    withdrawal.erase(chat, until_ms=4, spares_entries=True)
    [event] = store.list("amended/")
    store.replace(event.name, b"{", generation=event.generation)
    fresh = conversations_on(store, InlineExecutor()).of(CHAT)

    withdrawal.erase(chat, until_ms=4, spares_entries=True)

    assert (fresh.amendments.look().erased_ms, fresh.amendments.look().erased_entries_ms) == (4, -1)


def test_a_message_is_withdrawn_whose_amendment_cannot_be_read(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.journal.record(message(1, "4711"))
    store.create(chat.names.edited("m1"), b"4711 {")

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert not chat.journal.record(message(1, "4711"))


def test_the_second_pass_withdraws_a_message_whose_amendment_cannot_be_read(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.journal.record(message(1, "4711"))
    unreadable = AmendedName(written_ms=FixedClock().now_ms(), kind="withdrawal", id="m1", digest="0")
    store.create(chat.names.amended(unreadable), b"{")

    withdrawal.finish_withdrawal(chat, "m1")

    assert "4711" not in everything_in(store)
    assert not chat.journal.record(message(1, "4711"))


def test_an_edit_does_not_replace_an_amendment_that_cannot_be_read(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    store.create(chat.names.edited("m1"), b"{")  # it may be a withdrawal

    with pytest.raises(CorruptRecordError):
        withdrawal.edit(chat, "m1", text="new", timestamp_ms=9)


def test_an_older_erasure_that_comes_late_changes_nothing(chat: Conversation, withdrawal: Withdrawal) -> None:
    withdrawal.erase(chat, until_ms=4)
    chat.journal.record(message(5))
    before = read(chat)

    withdrawal.erase(chat, until_ms=3)

    assert read(chat) == before


def test_an_amendment_that_loses_every_swap_is_an_error(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    def never(*_: object, **__: object) -> None:
        return None

    store.replace = never  # type: ignore[method-assign]

    with pytest.raises(StorageUnavailableError, match="others kept changing the words of an edit"):
        withdrawal.withdraw(chat, "m1", timestamp_ms=1)


def test_a_message_id_that_is_not_lines_never_becomes_a_path(chat: Conversation, withdrawal: Withdrawal) -> None:
    with pytest.raises(UnusableIdError, match="no LINE id"):
        withdrawal.withdraw(chat, f"../{OTHER_CHAT}/m1", timestamp_ms=1)


@given(steps=st.permutations(["record", "record", "answer", "unsend", "unsend", "edit"]))
def test_message_answer_edit_and_unsend_commute(steps: list[str]) -> None:
    store, clock = MemoryObjectStore(), FixedClock()
    chat, withdrawal = conversations_on(store, InlineExecutor(), clock).of(CHAT), withdrawal_of(clock)
    for step in steps:
        match step:
            case "record":
                chat.journal.record(message(1, "my pin is 4711"))
            case "answer":
                chat.journal.record_outcome(answer(1, "your pin is 4711"))
            case "edit":
                withdrawal.edit(chat, "m1", text="or is it 4711?", timestamp_ms=7)
            case "unsend":
                withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)
    assert read(chat).messages == ()


@given(steps=st.permutations(["record", "record", "edit 5", "edit 7", "edit 9"]))
def test_message_and_edits_commute(steps: list[str]) -> None:
    store, clock = MemoryObjectStore(), FixedClock()
    chat, withdrawal = conversations_on(store, InlineExecutor(), clock).of(CHAT), withdrawal_of(clock)
    for step in steps:
        if step == "record":
            chat.journal.record(message(1, "first words"))
        else:
            withdrawal.edit(chat, "m1", text=step, timestamp_ms=int(step.split()[1]))

    assert [one.text for one in read(chat).messages] == ["edit 9"]
    assert "first words" not in everything_in(store)


@pytest.mark.parametrize("is_folded", [False, True])
def test_words_of_the_message_itself_are_found_again_in_what_never_saw_it(
    chat: Conversation, withdrawal: Withdrawal, *, is_folded: bool
) -> None:
    said = message(1, "the safe stands behind the third bookshelf"), message(2, "the weather is fine again today")
    if is_folded:
        fold(chat, SnapshotRecord(messages=said))
    else:
        for record in said:
            chat.journal.record(record)
    chat.journal.record_outcome(answer(1, "noted"))
    chat.journal.record_outcome(seeing(answer(3, "it was behind the third bookshelf"), "e1"))
    chat.journal.record_outcome(seeing(answer(4, "the weather is fine again today"), "e1"))

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert [one.text for one in read(chat).outcomes] == [None, None, "the weather is fine again today"]
    assert chat.amendments.look().plans["m1"] == Plan(
        redacted_ids=frozenset({"e1", "e3"}), cleared_ids=frozenset({"e4"})
    )


class OvertakenStore(MemoryObjectStore):
    """A bucket in which something else happens before listings: `happens` holds it by folder, for one listing after the other."""

    happens: dict[str, list[Callable[[], object]]]

    def __init__(self) -> None:
        super().__init__()
        self.happens = {}

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        left = self.happens.get(prefix.partition("/")[0])
        if left:
            left.pop(0)()
        return super().list(prefix, since=since, before=before)


@pytest.mark.parametrize("other_id", ["m1", "m2"])
def test_what_another_withdrawal_compares_meanwhile_is_kept(other_id: str) -> None:
    store, clock = OvertakenStore(), FixedClock()
    chat, withdrawal = conversations_on(store, InlineExecutor(), clock).of(CHAT), withdrawal_of(clock)
    for number in (1, 2):
        chat.journal.record(message(number, f"text of message number {number}"))
    chat.journal.record_outcome(answer(2, "both are noted", saw=(1,)))
    chat.journal.record_outcome(seeing(answer(4, "the weather is fine again today"), "e2"))

    store.happens["journal"] = [lambda: withdrawal.withdraw(chat, other_id, timestamp_ms=8)]
    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert [one.text for one in read(chat).outcomes] == [None, "the weather is fine again today"]


def test_what_is_recorded_before_the_plan_is_compared_also_where_what_it_names_has_lost_its_words_since() -> None:
    store, clock = OvertakenStore(), FixedClock()
    chat, withdrawal = conversations_on(store, InlineExecutor(), clock).of(CHAT), withdrawal_of(clock)
    chat.journal.record(message(1, "text of message number 1"))
    chat.journal.record_outcome(answer(1, "that is noted"))

    late = seeing(answer(4, "the weather is fine again today"), "e1")
    store.happens["archive"] = [lambda: chat.journal.record_outcome(late)]
    store.happens["journal"] = [lambda: None, lambda: chat.journal.remove_words("e1")]  # before its second listing
    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert [one.text for one in read(chat).outcomes] == [None, "the weather is fine again today"]


def test_what_another_delivery_of_an_erasure_compares_meanwhile_is_kept(clock: FixedClock) -> None:
    store = OvertakenStore()
    chat, withdrawal = conversations_on(store, InlineExecutor(), clock).of(CHAT), withdrawal_of(clock)
    records_answers_that_hand_an_erased_pin_on(chat)

    store.happens["journal"] = [lambda: None, lambda: withdrawal.erase(chat, until_ms=4)]  # before its second listing
    withdrawal.erase(chat, until_ms=4)

    assert [one.text for one in read(chat).outcomes] == [None, None, "so much for that"]


def test_what_is_recorded_while_an_erasure_looks_is_compared(clock: FixedClock) -> None:
    store = OvertakenStore()
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)
    chat.journal.record_outcome(answer(5, "your pin is 4711 0815", saw=(1,)))
    repeating = seeing(answer(6, "4711 0815, as I said"), "e5")
    harmless = seeing(answer(7, "so much for that"), "e5")
    late = [
        lambda: chat.journal.record_outcome(repeating),
        lambda: store.create(chat.names.outcome("e7"), encode(harmless)),  # its worker dies before it looks
    ]
    store.happens["journal"] = [lambda: None, lambda: None, *late]  # before its third and fourth listing

    withdrawal_of(clock).erase(chat, until_ms=4)

    assert [one.text for one in read(chat).outcomes] == [None, None, "so much for that"]


def test_an_erasure_gives_up_where_answers_keep_coming(clock: FixedClock) -> None:
    store = OvertakenStore()
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)
    chat.journal.record_outcome(answer(5, "your pin is 4711", saw=(1,)))
    numbers = range(6, 6 + SWAP_ATTEMPTS)
    late = [partial(chat.journal.record_outcome, seeing(answer(one, "your pin is 4711"), "e5")) for one in numbers]
    store.happens["journal"] = [lambda: None, lambda: None, *late]

    with pytest.raises(StorageUnavailableError, match="answers kept coming"):
        withdrawal_of(clock).erase(chat, until_ms=4)


def test_a_withdrawal_knows_a_message_that_only_an_answer_names(chat: Conversation, withdrawal: Withdrawal) -> None:
    chat.journal.record_outcome(answer(5, "hello", saw=(3,)))
    chat.journal.record_outcome(answer(6, "hello"))

    assert withdrawal.withdraw(chat, "m3", timestamp_ms=9)
    assert not withdrawal.withdraw(chat, "m4", timestamp_ms=9)


def test_a_withdrawal_knows_a_message_that_only_the_snapshot_holds(chat: Conversation, withdrawal: Withdrawal) -> None:
    fold(chat, SnapshotRecord(messages=(message(1), message(2))))

    assert withdrawal.withdraw(chat, "m1", timestamp_ms=9)
    assert not withdrawal.withdraw(chat, "m4", timestamp_ms=9)


def test_a_withdrawal_takes_out_what_another_one_left(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    fold(chat, SnapshotRecord(messages=(message(1), message(2, "my pin is 4711"))))
    chat.amendments.amend(Amendment(line_message_id="m2", timestamp_ms=9))  # its worker dies here

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)


def test_an_erasure_takes_later_answers_that_repeat_erased_ones(chat: Conversation, withdrawal: Withdrawal) -> None:
    chat.journal.record_outcome(answer(1, "behind the third bookshelf"))
    chat.journal.record_outcome(seeing(answer(6, "still behind the third bookshelf"), "e1"))
    chat.journal.record_outcome(seeing(answer(7, "you told me"), "e1"))

    withdrawal.erase(chat, until_ms=4)

    assert [one.text for one in read(chat).outcomes] == [None, None, "you told me"]


def test_outcomes_without_words_go_with_the_second_pass_of_an_erasure(
    chat: Conversation, withdrawal: Withdrawal
) -> None:
    for outcome in (answer(3), answer(4, None), answer(5, None), answer(6)):
        chat.journal.record_outcome(outcome)
    withdrawal.erase(chat, until_ms=4)

    withdrawal.finish_erasure(chat, "4")

    assert read(chat).recorded == {"e5", "e6"}


def test_an_edit_clears_what_was_made_of_older_words(chat: Conversation) -> None:
    class Entries(WordHolder):
        def __init__(self) -> None:
            self.edits: list[dict[str, str]] = []

        def begin_removal(self, conversation: Conversation) -> Removal:
            assert conversation.id == CHAT
            return lambda amendments: self.edits.append(dict(amendments.edits))

    entries = Entries()
    withdrawal = Withdrawal(holders=(entries,), clock=FixedClock())

    assert withdrawal.edit(chat, "m1", text="newer", timestamp_ms=9)
    withdrawal.erase(chat, until_ms=20)
    assert not withdrawal.edit(chat, "m2", text="older", timestamp_ms=19)

    # once for the edit, once for the erasure, and once because a reset spares entries of older words
    assert entries.edits == [{"m1": "newer"}, {}, {}]
    assert chat.amendments.look().edits == {}


def test_an_edit_moves_the_epoch_of_a_thinking_turn(chat: Conversation, withdrawal: Withdrawal) -> None:
    assert open_turn(chat, chat.turn.read()) is not None

    withdrawal.edit(chat, "m1", text="newer", timestamp_ms=9)

    assert chat.turn.read().record.epoch == 1


def test_both_second_passes_are_done_by_a_tick(chat: Conversation, withdrawal: Withdrawal) -> None:
    chat.journal.keep(message(1))
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))
    chat.journal.record_outcome(answer(2, None))

    withdrawal.tasks["withdrawal"](chat, "m1")
    withdrawal.tasks["erasure"](chat, "4")

    assert reader().list(chat).messages == reader().list(chat).outcomes == ()


class FailingStore(MemoryObjectStore):
    """A bucket that refuses to write one object."""

    refused = ""

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        if name == self.refused:
            raise StorageUnavailableError("down")
        return super().replace(name, data, generation=generation)


def test_several_messages_are_withdrawn_or_the_withdrawal_fails(
    clock: FixedClock, reads: ThreadPoolExecutor, withdrawal: Withdrawal
) -> None:
    store = FailingStore()
    chat = conversations_on(store, reads, clock).of(CHAT)
    store.refused = chat.names.edited("m2")

    with pytest.raises(StorageUnavailableError):
        withdrawal.withdraw_all(chat, {"m1", "m2"}, timestamp_ms=9)


def test_several_messages_are_known_where_one_is(chat: Conversation, withdrawal: Withdrawal) -> None:
    chat.journal.keep(message(2))

    assert withdrawal.withdraw_all(chat, {"m1", "m2"}, timestamp_ms=9)
    assert not withdrawal.withdraw_all(chat, {"m3", "m4"}, timestamp_ms=9)
    assert not withdrawal.withdraw_all(chat, set(), timestamp_ms=9)


@pytest.mark.parametrize("count", [1, 10, 11, 30])
def test_of_many_journalled_messages_those_are_withdrawn_that_are_meant(
    chat: Conversation, withdrawal: Withdrawal, count: int
) -> None:
    for number in range(40):
        chat.journal.keep(message(number))

    withdrawal.withdraw_all(chat, {f"m{number}" for number in range(count)}, timestamp_ms=99)

    assert {one.line_message_id for one in chat.journal.read_messages()} == {f"m{one}" for one in range(count, 40)}


def test_a_second_pass_whose_amendment_is_gone_takes_the_message_out(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.journal.keep(message(1, "my pin is 4711"))

    withdrawal.finish_withdrawal(chat, "m1")

    assert "4711" not in everything_in(store)


@pytest.mark.parametrize(("timestamp_ms", "is_withdrawn"), [(8, True), (9, True), (10, False)])
def test_a_message_from_before_its_author_took_back_everything_is_withdrawn(
    chat: Conversation, withdrawal: Withdrawal, timestamp_ms: int, *, is_withdrawn: bool
) -> None:
    chat.amendments.forget_member(ANNA, until_ms=9)
    late = replace(message(1, "my pin is 4711", timestamp_ms=timestamp_ms), user_id=ANNA)
    chat.journal.keep(late)
    chat.journal.keep(message(2))

    withdrawal.take_back_late(chat, late)
    withdrawal.take_back_late(chat, message(2))

    assert chat.amendments.look().withdrawn == (frozenset({"m1"}) if is_withdrawn else frozenset())


@pytest.mark.parametrize(("timestamp_ms", "is_withdrawn"), [(9, True), (10, False)])
def test_an_edit_from_before_its_author_took_back_everything_withdraws_the_message(
    chat: Conversation, withdrawal: Withdrawal, timestamp_ms: int, *, is_withdrawn: bool
) -> None:
    chat.amendments.forget_member(ANNA, until_ms=9)
    chat.journal.keep(replace(message(1, "my pin is 4711"), user_id=ANNA))

    counts = withdrawal.edit(chat, "m1", text="never mind", timestamp_ms=timestamp_ms, user_id=ANNA)

    assert counts is not is_withdrawn
    assert chat.amendments.has_withdrawn("m1", timestamp_ms=1) is is_withdrawn
    assert [one.text for one in chat.journal.read_messages()] == ([] if is_withdrawn else ["never mind"])


def test_an_edit_tells_who_made_it_where_that_is_known(chat: Conversation, withdrawal: Withdrawal) -> None:
    withdrawal.edit(chat, "m1", text="mine", timestamp_ms=5, user_id=ANNA)
    withdrawal.edit(chat, "m2", text="somebody's", timestamp_ms=5)

    assert chat.amendments.edited_by(ANNA, until_ms=5) == {"m1"}
    assert dict(chat.amendments.look().editors) == {"m1": mark_id(ANNA)}


def test_an_erasure_forgets_since_when_members_are_there(chat: Conversation, withdrawal: Withdrawal) -> None:
    chat.members.record_joining([ANNA], at_ms=5)

    withdrawal.erase(chat, until_ms=5)

    assert chat.members.joined_ms([ANNA]) is None


@pytest.mark.parametrize("count", [2, 30])
def test_messages_that_are_withdrawn_together_have_one_second_pass(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore, count: int
) -> None:
    ids = frozenset(f"m{number}" for number in range(10, 10 + count))
    for number in range(10, 10 + count):
        chat.journal.keep(message(number, "my pin is 4711"))
    withdrawal.withdraw_all(chat, ids, timestamp_ms=9)
    assert len(store.list("due/")) == 1
    assert all(chat.amendments.has_withdrawn(one, timestamp_ms=10) for one in ids)

    for number in range(10, 10 + count):  # workers that stalled, and died before they looked
        chat.objects.store.create(chat.names.message(f"m{number}"), encode(message(number, "my pin is 4711")))
    [marker] = DueMarkers(store=store).until(FixedClock().now_ms() + 3_600_000)
    withdrawal.tasks[marker.kind](chat, marker.id)

    assert "4711" not in everything_in(store)
    assert chat.amendments.look().withdrawn == ids


class WatchedThreads(ThreadPoolExecutor):
    """Threads that count how many tasks were left at once."""

    def __init__(self) -> None:
        super().__init__(4)
        self.left, self.most_left = 0, 0
        self.lock = threading.Lock()

    def submit(self, *args: Any, **named: Any) -> Future[Any]:  # noqa: ANN401 - as the executor has them
        with self.lock:
            self.left += 1
            self.most_left = max(self.most_left, self.left)
        submitted = super().submit(*args, **named)
        submitted.add_done_callback(self._end)
        return submitted

    def _end(self, _: Future[Any]) -> None:
        with self.lock:
            self.left -= 1


class SlowStore(MemoryObjectStore):
    """A bucket in which a call takes time."""

    def read(self, name: str) -> StoredObject | None:
        time.sleep(0.0005)
        return super().read(name)

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        time.sleep(0.001)
        return super().replace(name, data, generation=generation)


def test_while_very_many_messages_are_withdrawn_or_erased_other_chats_need_not_wait_for_all_of_them(
    clock: FixedClock, withdrawal: Withdrawal
) -> None:
    with WatchedThreads() as threads:
        chat = conversations_on(SlowStore(), threads, clock).of(CHAT)
        withdrawal.withdraw_all(chat, {f"m{number}" for number in range(1_000)}, timestamp_ms=9)
        after_withdrawal = threads.most_left
        withdrawal.erase(chat, until_ms=99)

    assert after_withdrawal < 400
    assert threads.most_left < 400


def test_a_batch_counts_as_withdrawn_even_if_its_worker_dies_after_the_first_write(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.objects.store.create(
        chat.names.amended(AmendedName(written_ms=1, kind="withdrawal", id="m2", digest="0")),
        encode(event_of_withdrawal({"m1", "m2"}, timestamp_ms=9)),
    )
    chat.journal.keep(message(1, "my pin is 4711"))
    assert chat.amendments.look().withdrawn == {"m1", "m2"}

    withdrawal.finish_withdrawal(chat, "m2")

    assert "4711" not in everything_in(store)
    assert chat.amendments.has_withdrawn("m1", timestamp_ms=1)


def test_a_message_that_was_unsent_before_others_are_taken_back_with_it_names_them(
    chat: Conversation, withdrawal: Withdrawal
) -> None:
    withdrawal.withdraw(chat, "m5", timestamp_ms=3)

    withdrawal.withdraw_all(chat, frozenset({"m4", "m5"}), timestamp_ms=9)
    withdrawal.withdraw_all(chat, frozenset({"m3", "m5"}), timestamp_ms=9)

    assert chat.amendments.look().together == {"m5": {"m3", "m4", "m5"}}


def test_a_batch_of_hundreds_of_messages_is_seen_by_every_look(chat: Conversation, withdrawal: Withdrawal) -> None:
    ids = frozenset(f"m{number}" for number in range(300))

    withdrawal.withdraw_all(chat, ids, timestamp_ms=9)

    assert chat.amendments.look().withdrawn == ids


def withdraw_first(chat: Conversation, withdrawal: Withdrawal) -> None:
    withdrawal.withdraw(chat, "m1", timestamp_ms=9)


def edit_first(chat: Conversation, withdrawal: Withdrawal) -> None:
    withdrawal.edit(chat, "m1", text="nothing", timestamp_ms=9)


def erase_first(chat: Conversation, withdrawal: Withdrawal) -> None:
    withdrawal.erase(chat, until_ms=9)


@pytest.mark.parametrize(
    ("take_back", "first_change", "kind"),
    [
        (withdraw_first, "delete journal/", "withdrawal"),
        (edit_first, "replace journal/", "edit"),
        (erase_first, "delete journal/", "erasure"),
    ],
)
def test_the_marker_of_the_second_pass_stands_before_any_words_go(
    take_back: Callable[[Conversation, Withdrawal], None], first_change: str, kind: str
) -> None:
    store, clock = InterruptedStore(), FixedClock()
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)
    chat.journal.record(message(1, "my pin is 4711"))
    store.fails = first_change

    with pytest.raises(StorageUnavailableError):
        take_back(chat, withdrawal_of(clock))

    clock.move(120)
    assert [one.kind for one in DueMarkers(store=store).until(clock.now_ms())] == [kind]


def test_a_withdrawn_message_stays_until_the_plan_that_compares_it_is_stored() -> None:
    store, clock = InterruptedStore(), FixedClock()
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)
    chat.journal.record(message(1, "pin 4711"))
    chat.journal.record_outcome(answer(1, "your pin: pin 4711"))
    chat.journal.record_outcome(seeing(answer(2, "as I said, pin 4711"), "e1"))
    store.fails = "list journal/"  # with which the plan begins
    with pytest.raises(StorageUnavailableError):
        withdrawal_of(clock).withdraw(chat, "m1", timestamp_ms=9)
    store.fails = None

    withdrawal_of(clock).withdraw(chat, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)


def test_what_names_an_answer_to_a_message_that_was_dropped_uncompared_goes(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    chat.journal.record_outcome(answer(1, "your pin: it is noted"))
    chat.journal.record_outcome(seeing(answer(2, "as I said, pin 4711"), "e1"))

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "4711" not in everything_in(store)


def test_a_later_pass_of_a_withdrawal_keeps_what_an_earlier_one_compared(
    chat: Conversation, withdrawal: Withdrawal
) -> None:
    for number in (1, 2):
        chat.journal.record(message(number, f"pin {number}711"))
    chat.journal.record_outcome(answer(1, "noted", saw=(1, 2)))
    chat.journal.record_outcome(seeing(answer(3, "where you said"), "e1"))
    withdrawal.withdraw_all(chat, frozenset({"m1", "m2"}), timestamp_ms=9)

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)
    withdrawal.finish_withdrawal(chat, "m2")

    assert [one.text for one in read(chat).outcomes] == [None, "where you said"]


def test_a_delivered_message_that_no_object_holds_is_compared(chat: Conversation, withdrawal: Withdrawal) -> None:
    chat.journal.record_outcome(answer(1, "noted"))
    chat.journal.record_outcome(seeing(answer(2, "where you said"), "e1"))
    chat.journal.record_outcome(seeing(answer(3, "as I said, pin 4711"), "e1"))
    late = message(1, "pin 4711")

    withdrawal.withdraw_all(chat, frozenset({"m1"}), timestamp_ms=9, delivered=[late])

    assert [one.text for one in read(chat).outcomes] == [None, "where you said", None]


@pytest.mark.parametrize("pass_", ["withdrawal", "edit", "erasure"])
def test_a_second_pass_folds_what_is_older_than_an_hour(
    chat: Conversation, withdrawal: Withdrawal, clock: FixedClock, store: MemoryObjectStore, pass_: str
) -> None:
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=1))
    clock.move(3_601)

    withdrawal.tasks[pass_](chat, "4" if pass_ == "erasure" else "m2")

    assert [one.name for one in store.list(chat.names.amended_prefix)] == [chat.names.amended_fold]


def test_the_second_pass_drops_the_words_of_an_edit_that_the_first_one_left(
    chat: Conversation, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    withdrawal.withdraw(chat, "m1", timestamp_ms=9)
    edited = store.read(chat.names.edited("m1"))
    assert edited is not None
    words = encode(EditedWords(timestamp_ms=5, text="my pin is 4711"))
    store.replace(chat.names.edited("m1"), words, generation=edited.generation)

    withdrawal.finish_withdrawal(chat, "m1")

    assert "4711" not in everything_in(store)
