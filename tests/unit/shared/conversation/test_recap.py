import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.clock import Deadline
from shared.conversation.amendment_records import Amendment
from shared.conversation.compaction import Compaction
from shared.conversation.recap import RecapWriter
from shared.conversation.records import OutcomeKind, provenance_of
from shared.conversation.snapshot_records import Recap, SnapshotRecord
from shared.conversation.store import Conversation
from shared.conversation.withdrawal import Withdrawal
from tests.support.chats import (
    answer,
    conversations_on,
    everything_in,
    fold_amendments,
    made_of,
    made_with,
    message,
    reader,
)
from tests.support.inline import InlineExecutor
from tests.support.races import SharedStore
from tests.support.recaps import IN_TIME, LIMITS, QuotingSummariser, compaction_by, keep_messages


def test_messages_beyond_the_verbatim_part_are_summed_up_with_their_answers(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    keep_messages(chat, clock, range(13))

    compaction.fold(chat, IN_TIME)

    history = reader().read_newest(chat)
    assert summariser.asked == [("m0", "m1", "m2"), ("m3", "m4", "m5")]
    assert "answer-1" in history.recaps[0].text
    assert [one.line_message_id for one in history.older] == [f"m{number}" for number in range(6)]
    assert [one.line_message_id for one in history.messages] == [f"m{number}" for number in range(6, 13)]
    assert all(one.timestamp_ms >= history.messages[0].timestamp_ms for one in history.answers)


def test_messages_stay_where_a_recap_fails(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    summariser.is_down = True
    keep_messages(chat, clock, range(10))

    assert compaction.fold(chat, IN_TIME)
    assert len(reader().read_newest(chat).messages) == 10

    summariser.is_down = False
    keep_messages(chat, clock, range(10, 15))
    compaction.fold(chat, IN_TIME)
    assert summariser.asked == [("m0", "m1", "m2"), ("m3", "m4", "m5")]


def test_no_message_of_a_long_chat_is_summed_up_twice(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    for begin in range(0, 90, 6):
        keep_messages(chat, clock, range(begin, begin + 6))
        compaction.fold(chat, IN_TIME)

    summed_up = [one for asked in summariser.asked for one in asked]
    shown = [one.line_message_id for one in reader().read_newest(chat).messages]
    assert summed_up == [f"m{number}" for number in range(84)]
    assert shown == [f"m{number}" for number in range(84, 90)]


def test_messages_are_summed_up_whatever_was_withdrawn_long_ago(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    keep_messages(chat, clock, range(12))
    chat.journal.record_outcome(replace(answer(60, saw=(61,)), timestamp_ms=clock.now_ms()))
    chat.amendments.amend(Amendment(line_message_id="m61", timestamp_ms=5))
    fold_amendments(chat.amendments)

    compaction.fold(chat, IN_TIME)

    assert len(summariser.asked) == 2


def test_a_recap_whose_source_was_withdrawn_is_written_again_without_it(
    chat: Conversation,
    clock: FixedClock,
    compaction: Compaction,
    summariser: QuotingSummariser,
    withdrawal: Withdrawal,
    store: MemoryObjectStore,
) -> None:
    keep_messages(chat, clock, range(12))
    compaction.fold(chat, IN_TIME)
    withdrawal.withdraw(chat, "m1", timestamp_ms=clock.now_ms())
    assert "word-1 " not in everything_in(store) + " "
    summariser.asked.clear()

    keep_messages(chat, clock, range(12, 17))
    compaction.fold(chat, IN_TIME)

    assert summariser.asked[0] == ("m0", "m2")
    assert "word-1 " not in everything_in(store) + " "


def test_a_recap_names_the_messages_and_the_answers_that_it_sums_up(
    chat: Conversation, clock: FixedClock, compaction: Compaction, withdrawal: Withdrawal
) -> None:
    kept = keep_messages(chat, clock, range(12), is_answered=False)
    for number, one in enumerate(kept):
        outcome = made_with(replace(answer(number), timestamp_ms=one.timestamp_ms), since_ms=one.timestamp_ms)
        chat.journal.record_outcome(outcome)
    compaction.fold(chat, IN_TIME)
    recaps = chat.snapshot.read().record.recaps
    assert recaps
    assert [record.provenance.ids for record in recaps] == [
        {name for own_id in one.summed_up_ids for name in (own_id, f"e{own_id[1:]}")} for one in recaps
    ]
    assert [one.id for one in recaps] == [f"recap-{number + 1}" for number in range(len(recaps))]

    withdrawal.withdraw(chat, "m11", timestamp_ms=clock.now_ms())

    assert chat.snapshot.read().record.recaps == recaps


def test_an_unsend_while_the_model_sums_up_wins_over_the_recap(
    chat: Conversation,
    clock: FixedClock,
    compaction: Compaction,
    summariser: QuotingSummariser,
    withdrawal: Withdrawal,
    store: MemoryObjectStore,
) -> None:
    keep_messages(chat, clock, range(12))
    summariser.meanwhile = lambda: withdrawal.withdraw(chat, "m1", timestamp_ms=clock.now_ms())

    compaction.fold(chat, IN_TIME)

    assert reader().read_newest(chat).recaps == ()
    assert '"word-1"' not in everything_in(store)


def test_no_prompt_of_a_recap_holds_a_message_that_was_withdrawn_meanwhile(
    chat: Conversation,
    clock: FixedClock,
    compaction: Compaction,
    summariser: QuotingSummariser,
    withdrawal: Withdrawal,
) -> None:
    keep_messages(chat, clock, range(13))
    summariser.meanwhile = lambda: withdrawal.withdraw(chat, "m4", timestamp_ms=clock.now_ms())

    compaction.fold(chat, IN_TIME)

    assert summariser.asked == [("m0", "m1", "m2")]


def test_no_recap_is_begun_after_the_first_step_of_an_unsend(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    keep_messages(chat, clock, range(13))
    summariser.meanwhile = lambda: chat.amendments.amend(Amendment(line_message_id="m4", timestamp_ms=clock.now_ms()))

    compaction.fold(chat, IN_TIME)

    assert summariser.asked == [("m0", "m1", "m2")]


def chat_on(store: MemoryObjectStore, clock: FixedClock) -> Conversation:
    return conversations_on(store, InlineExecutor(), clock).of("U" + "1" * 32)


class StoreThatDrops(MemoryObjectStore):
    """A bucket in which something happens before an outcome is dropped from the journal, once."""

    before_drop: Callable[[], object] | None = None

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        if name.endswith(".outcome.json") and self.before_drop is not None:
            before, self.before_drop = self.before_drop, None
            before()
        return super().delete(name, generation=generation)


@pytest.mark.parametrize(("is_valid", "asked"), [(True, [("m0", "m1", "m2")]), (False, [])])
def test_an_unsend_after_the_fold_leaves_no_words_and_no_recap_on_a_look_that_is_too_old(
    clock: FixedClock, summariser: QuotingSummariser, *, is_valid: bool, asked: list[tuple[str, ...]]
) -> None:
    store = StoreThatDrops()
    chat = chat_on(store, clock)
    keep_messages(chat, clock, range(13))

    def unsend() -> None:
        chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=clock.now_ms()))
        clock.move(0.0 if is_valid else chat.amendments.look_s)

    store.before_drop = unsend

    compaction_by(summariser, clock).fold(chat, IN_TIME)

    assert summariser.asked == asked
    assert re.search(r"word-1\b", everything_in(store)) is None


def test_no_second_recap_is_begun_that_could_not_be_written_in_time(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    keep_messages(chat, clock, range(13))
    summariser.meanwhile = lambda: clock.move(15)

    compaction.fold(chat, Deadline.after(clock, 30))

    assert summariser.asked == [("m0", "m1", "m2")]


def test_a_recap_whose_messages_were_all_withdrawn_meanwhile_is_not_written(
    chat: Conversation, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    compaction.recaps.write(chat, chat.snapshot.read(), chat.amendments.look(), IN_TIME)

    assert summariser.asked == []
    assert chat.snapshot.read().record.recaps == ()


def test_a_recap_that_crashed_its_workers_is_given_up(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    def crash() -> None:
        raise SystemExit

    summariser.meanwhile = crash
    keep_messages(chat, clock, range(9))
    for _ in range(2):
        with pytest.raises(SystemExit):
            compaction.fold(chat, IN_TIME)
        # a redelivery leaves the recap to the worker that recorded an attempt less than 30 s ago
        assert not compaction.fold(chat, IN_TIME)
        clock.move(30)

    summariser.meanwhile = lambda: None
    keep_messages(chat, clock, range(9, 12))
    compaction.fold(chat, IN_TIME)

    history = reader().read_newest(chat)
    assert [(one.text == "", one.summed_up_ids) for one in history.recaps] == [
        (True, ("m0", "m1", "m2")),
        (False, ("m3", "m4", "m5")),
    ]
    assert [one.line_message_id for one in history.older] == [f"m{number}" for number in range(6)]


def test_an_attempt_that_failed_does_not_count_as_a_crash(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    summariser.is_down = True
    keep_messages(chat, clock, range(10))
    for _ in range(4):
        compaction.fold(chat, IN_TIME)

    summariser.is_down = False
    compaction.fold(chat, IN_TIME)

    assert summariser.asked == [("m0", "m1", "m2")]


def test_chatter_is_summed_up_after_the_next_answer(
    chat: Conversation, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    for number in range(12):
        chat.journal.keep(message(number, addressed=False))
    compaction.fold(chat, None)
    shown = len(reader().read_newest(chat).messages)

    assert compaction.is_due(journalled=1, shown=shown)
    assert compaction.fold(chat, IN_TIME)

    assert summariser.asked == [("m0", "m1", "m2"), ("m3", "m4", "m5")]
    assert not compaction.is_due(journalled=1, shown=len(reader().read_newest(chat).messages))


def test_a_request_that_is_nearly_over_begins_no_recap_and_counts_no_try(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    keep_messages(chat, clock, range(12))

    assert compaction.fold(chat, Deadline.after(FixedClock(), 19))

    assert summariser.asked == []
    assert chat.snapshot.read().record.recap_tries == 0


@pytest.mark.parametrize(("seconds", "is_due"), [(20, True), (19.9, False)])
def test_a_recap_is_begun_where_it_ends_in_time(
    chat: Conversation, compaction: Compaction, summariser: QuotingSummariser, seconds: float, *, is_due: bool
) -> None:
    for number in range(12):
        chat.journal.keep(message(number, addressed=False))

    compaction.fold(chat, Deadline.after(FixedClock(), seconds))

    assert bool(summariser.asked) is is_due


def test_after_the_last_recap_of_a_compaction_the_next_one_is_free(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    keep_messages(chat, clock, range(16))

    compaction.fold(chat, IN_TIME)

    record = chat.snapshot.read().record
    assert (len(summariser.asked), record.recap_tries, record.recap_until_ms) == (2, 0, 0)
    assert compaction.fold(chat, IN_TIME)
    assert len(summariser.asked) == 3


def test_a_recap_that_loses_its_swap_is_left_with_all_that_follow(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    def write_another() -> None:
        seen = chat.snapshot.read()
        chat.snapshot.swap(seen, replace(seen.record, recap_tries=7))

    keep_messages(chat, clock, range(16))
    summariser.meanwhile = write_another

    assert compaction.fold(chat, IN_TIME)

    record = chat.snapshot.read().record
    assert (len(summariser.asked), record.recaps, record.recap_tries) == (1, (), 7)


def test_nothing_more_is_summed_up_after_an_unsend_that_came_while_a_recap_was_written(
    clock: FixedClock, summariser: QuotingSummariser
) -> None:
    store = SharedStore()
    chat = chat_on(store, clock)
    keep_messages(chat, clock, range(16))

    def unsend_before_the_next_write() -> None:
        summariser.meanwhile = lambda: None
        store.others = [lambda: chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=clock.now_ms()))]

    summariser.meanwhile = unsend_before_the_next_write

    assert compaction_by(summariser, clock).fold(chat, IN_TIME)

    assert summariser.asked == [("m0", "m1", "m2")]
    assert chat.snapshot.read().record.recaps == ()


def test_a_recap_is_asked_for_without_what_was_unsent_while_the_journal_was_folded(
    chat: Conversation,
    clock: FixedClock,
    compaction: Compaction,
    summariser: QuotingSummariser,
    store: MemoryObjectStore,
) -> None:
    keep_messages(chat, clock, range(13))
    replace_object = store.replace

    def replace_and_unsend(name: str, data: bytes, *, generation: int) -> int | None:
        written = replace_object(name, data, generation=generation)
        if name == chat.names.snapshot:
            chat.amendments.amend(Amendment(line_message_id="m4", timestamp_ms=clock.now_ms()))
        return written

    store.replace = replace_and_unsend  # type: ignore[method-assign]

    assert compaction.fold(chat, IN_TIME)
    assert all("m4" not in asked for asked in summariser.asked)
    assert "word-4 " not in f"{everything_in(store)} "


def test_a_second_recap_that_ends_its_worker_counts_as_a_try(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    def crash_later() -> None:
        if summariser.asked:
            raise SystemExit

    keep_messages(chat, clock, range(13))
    summariser.meanwhile = crash_later

    with pytest.raises(SystemExit):
        compaction.fold(chat, IN_TIME)

    record = chat.snapshot.read().record
    assert (len(record.recaps), record.recap_tries) == (1, 1)
    assert record.recap_until_ms == clock.now_ms() + 30_000


def recap(number: int, newest: int) -> Recap:
    return Recap(
        id=f"recap-{number}",
        text="they met",
        timestamp_ms=newest,
        summed_up_ids=(f"gone-{number}",),
        provenance=made_of(f"gone-{number}", since_ms=newest, until_ms=newest),
    )


def summed_up(chat: Conversation, summariser: QuotingSummariser, record: SnapshotRecord) -> tuple[str, ...]:
    """Return what the next recap sums up, and write it; nothing where none is due."""
    writer = RecapWriter(summariser=summariser, limits=replace(LIMITS, recaps_at_once=1), clock=FixedClock())
    seen = chat.snapshot.swap(chat.snapshot.read(), record)
    assert seen is not None
    if not writer.is_due(record, IN_TIME):
        return ()
    writer.write(chat, seen, chat.amendments.look(), IN_TIME)
    return summariser.asked[-1]


@pytest.mark.parametrize(
    ("newest_of_recaps", "expected"),
    [
        ((), ()),
        ((5,), ("m1", "m2")),
        ((2,), ("m1", "m2")),
        ((1,), ("m1",)),
        ((5, 1), ("m1",)),
        ((0,), ()),
    ],
)
def test_what_a_lost_recap_leaves_between_others_is_summed_up_however_little(
    chat: Conversation, summariser: QuotingSummariser, newest_of_recaps: tuple[int, ...], expected: tuple[str, ...]
) -> None:
    recaps = tuple(recap(number, newest) for number, newest in enumerate(newest_of_recaps))
    record = SnapshotRecord(messages=tuple(map(message, range(1, 9))), recaps=recaps)

    assert summed_up(chat, summariser, record) == expected


def test_a_full_batch_is_summed_up_and_no_more(chat: Conversation, summariser: QuotingSummariser) -> None:
    record = SnapshotRecord(messages=tuple(map(message, range(1, 12))))

    assert summed_up(chat, summariser, record) == ("m1", "m2", "m3")
    assert summed_up(chat, summariser, replace(record, recaps=(recap(1, 5),))) == ("m1", "m2", "m3")


def test_a_short_chat_has_nothing_to_sum_up(chat: Conversation, summariser: QuotingSummariser) -> None:
    record = SnapshotRecord(messages=tuple(map(message, range(1, 6))), recaps=(recap(1, 9),))

    assert summed_up(chat, summariser, record) == ()


def test_messages_from_before_ids_were_kept_are_not_summed_up(
    chat: Conversation, summariser: QuotingSummariser
) -> None:
    legacy = tuple(replace(message(number), line_message_id="") for number in range(1, 4))
    record = SnapshotRecord(messages=(*legacy, *map(message, range(4, 13))))

    assert summed_up(chat, summariser, record) == ("m4", "m5", "m6")


def test_a_recap_carries_what_its_captions_and_answers_do(chat: Conversation, summariser: QuotingSummariser) -> None:
    caption = replace(provenance_of((message(1),)), outside=frozenset({"media"}))
    found = replace(answer(2), provenance=replace(answer(2).provenance, outside=frozenset({"web"})))
    messages = (replace(message(1), type="image", provenance=caption), *map(message, range(2, 12)))

    summed_up(chat, summariser, SnapshotRecord(messages=messages, outcomes=(found,)))

    [written] = chat.snapshot.read().record.recaps
    assert written.provenance.outside == {"media", "web"}


def test_a_recap_sums_up_the_answers_that_were_given_among_its_messages(
    chat: Conversation, summariser: QuotingSummariser
) -> None:
    outcomes = (
        replace(answer(1), timestamp_ms=0, webhook_event_id="before"),
        answer(1),
        answer(2, None),
        replace(answer(2, "late"), webhook_event_id="e2-late", kind=OutcomeKind.STORED),
        answer(3),
        answer(4),
    )
    record = SnapshotRecord(messages=tuple(map(message, range(1, 12))), outcomes=outcomes)

    summed_up(chat, summariser, record)

    [written] = chat.snapshot.read().record.recaps
    assert (written.provenance.ids, written.provenance.since_ms, written.provenance.until_ms) == (
        frozenset({"m1", "m2", "m3", "e1", "e3"}),
        1,
        3,
    )
    assert "late" not in written.text


def test_a_recap_that_is_written_drops_nothing_that_answers_in_the_journal_may_name(
    chat: Conversation, summariser: QuotingSummariser
) -> None:
    recaps = tuple(recap(number, number) for number in range(1, 5))  # one more than are shown
    record = SnapshotRecord(
        messages=tuple(map(message, range(5, 45))), outcomes=tuple(map(answer, range(5, 45))), recaps=recaps[1:]
    )
    record = replace(record, passed_recaps=(replace(recaps[0], passed_ms=1),))

    summed_up(chat, summariser, record)

    after = chat.snapshot.read().record
    assert after.outcomes == record.outcomes
    assert [one.id for one in after.passed_recaps] == ["recap-1", "recap-2"]
