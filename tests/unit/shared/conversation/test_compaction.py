import io
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.clock import SKEW_MS
from shared.conversation.amendment_records import Amendment
from shared.conversation.compaction import Compaction
from shared.conversation.provenance import Provenance
from shared.conversation.records import ANSWERABLE_MS, Offer, OutcomeKind, OutcomeRecord, ProposedCall
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.store import Conversation
from shared.handlers.unsend import withdrawal_of
from shared.storage.object_store import StoredObject
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

CHAT = "U" + "1" * 32


def journalled(chat: Conversation) -> list[str]:
    listed = chat.objects.store.list(chat.names.journal_prefix)
    return [one.name.removeprefix(chat.names.journal_prefix) for one in listed]


def test_a_short_journal_is_not_folded(chat: Conversation, clock: FixedClock, compaction: Compaction) -> None:
    keep_messages(chat, clock, range(4))

    assert not compaction.fold(chat, IN_TIME)


def test_readers_see_the_same_before_and_after_a_compaction(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    keep_messages(chat, clock, range(5))
    before = reader().read_newest(chat)

    assert compaction.fold(chat, IN_TIME)

    after = reader().read_newest(chat)
    assert journalled(chat) == ["e4.outcome.json"]
    assert after.messages == before.messages
    assert [one.text for one in after.outcomes] == [one.text for one in before.outcomes]
    assert (after.covered, after.recorded) == (before.covered, before.recorded)
    assert after.provenance.ids == before.provenance.ids


def test_a_pending_message_and_the_newest_outcome_stay_in_the_journal(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    keep_messages(chat, clock, range(5))
    [waiting] = keep_messages(chat, clock, range(7, 8), is_answered=False)

    compaction.fold(chat, IN_TIME)

    assert journalled(chat) == ["e4.outcome.json", "m7.json"]
    assert reader().read_newest(chat).pending(waiting, now_ms=clock.now_ms()) == (waiting,)


def test_messages_that_are_too_old_to_be_answered_are_folded(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    keep_messages(chat, clock, range(5), is_answered=False)
    clock.move(ANSWERABLE_MS / 1_000)

    assert compaction.fold(chat, IN_TIME)
    assert journalled(chat) == []


def test_a_redelivered_message_that_was_folded_is_known_as_answered(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    kept = keep_messages(chat, clock, range(5))
    compaction.fold(chat, IN_TIME)

    chat.journal.keep(kept[0])

    history = reader().read_newest(chat)
    assert history.pending(kept[0], now_ms=clock.now_ms()) == ()
    assert [one.line_message_id for one in history.messages].count("m0") == 1


def test_an_image_that_is_folded_again_keeps_its_caption(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    keep_messages(chat, clock, range(5))
    image = replace(message(9, "[image]", addressed=False), type="image")
    captioned = replace(image, text="[image: a cat]", is_described=True)
    assert chat.snapshot.swap(chat.snapshot.read(), SnapshotRecord(messages=(captioned,)))
    chat.journal.keep(image)

    assert compaction.fold(chat, IN_TIME)

    assert captioned in chat.snapshot.read().record.messages


def test_chatter_is_folded_without_the_model(
    chat: Conversation, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    for number in range(9):
        chat.journal.keep(message(number, addressed=False))

    assert compaction.fold(chat, None)
    assert (summariser.asked, journalled(chat)) == ([], [])


def test_a_long_chat_is_kept_within_its_limits(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    sizes = []
    for begin in range(0, 90, 6):
        keep_messages(chat, clock, range(begin, begin + 6))
        compaction.fold(chat, IN_TIME)
        history = reader().read_newest(chat)
        sizes.append((len(history.recaps), len(history.older), len(history.messages)))

    assert sizes[5:] == [sizes[5]] * len(sizes[5:])
    summed_up = [one for batch in summariser.asked for one in batch]
    assert len(summed_up) == len(set(summed_up))
    assert sizes[-1][:2] == (LIMITS.recaps, LIMITS.sources)


def test_a_stored_answer_is_kept_until_its_button_is_pressed(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    late = replace(answer(0, "at last"), webhook_event_id="e0-late", kind=OutcomeKind.STORED, answers=("e0",))
    chat.journal.record_outcome(late)
    for begin in range(0, 90, 6):
        keep_messages(chat, clock, range(begin, begin + 6))
        compaction.fold(chat, IN_TIME)

    assert "e0-late" in reader().read_newest(chat).recorded


def test_what_an_old_answer_proposed_is_folded_without_its_words(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    proposed = ProposedCall(tool="delete_entry", arguments='{"path": "ideas/my-secret.md"}', name="my secret")
    keep_messages(chat, clock, range(2))
    chat.journal.record_outcome(replace(answer(9), timestamp_ms=clock.now_ms(), offer=Offer(proposes=(proposed,))))
    clock.move(2 * ANSWERABLE_MS / 1_000)
    keep_messages(chat, clock, range(10, 13))

    compaction.fold(chat, IN_TIME)

    folded = {one.webhook_event_id: one.offer.proposes for one in chat.snapshot.read().record.outcomes}
    assert folded["e9"] == (ProposedCall(tool="delete_entry"),)
    assert "my secret" not in everything_in(chat.objects.store)


@pytest.mark.parametrize(("older_ms", "is_kept"), [(0, True), (1, False)])
def test_what_an_answer_proposed_is_kept_for_as_long_as_it_can_be_answered(
    chat: Conversation, clock: FixedClock, compaction: Compaction, older_ms: int, *, is_kept: bool
) -> None:
    proposed = ProposedCall(tool="delete_entry", arguments="{}")
    at_ms = clock.now_ms() - ANSWERABLE_MS - SKEW_MS - older_ms
    chat.journal.record_outcome(replace(answer(9), timestamp_ms=at_ms, offer=Offer(proposes=(proposed,))))
    keep_messages(chat, clock, range(10, 15))

    compaction.fold(chat, IN_TIME)

    folded = {one.webhook_event_id: one.offer.proposes for one in chat.snapshot.read().record.outcomes}
    assert folded["e9"] == (proposed if is_kept else ProposedCall(tool="delete_entry"),)


def test_about_one_message_in_sixteen_triggers_a_compaction_check(compaction: Compaction) -> None:
    triggering = sum(compaction.is_triggered_by(f"57300000000000{number:04}") for number in range(3_200))

    assert 150 < triggering < 250


def test_an_old_answer_that_a_journalled_one_names_is_kept(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    old_ms = clock.now_ms() - 100_000  # as keep_messages counts
    times = {number: old_ms + number * 1_000 for number in range(1, 31)}
    record = SnapshotRecord(
        messages=tuple(message(number, timestamp_ms=at_ms) for number, at_ms in times.items()),
        outcomes=tuple(replace(answer(number), timestamp_ms=at_ms) for number, at_ms in times.items()),
    )
    assert chat.snapshot.swap(chat.snapshot.read(), record)
    *_, newest = keep_messages(chat, clock, range(31, 37))
    chat.journal.record_outcome(made_with(replace(answer(37), timestamp_ms=newest.timestamp_ms), "e1"))

    compaction.fold(chat, None)

    kept = [one.webhook_event_id for one in chat.snapshot.read().record.outcomes]
    assert "e1" in kept
    assert "e2" not in kept


@pytest.mark.parametrize(
    ("journalled", "shown", "is_due"),
    [(5, 0, True), (4, 0, False), (0, 9, True), (0, 8, False), (4, 12, False), (4, 13, True)],
)
def test_a_compaction_is_due_for_a_long_journal_or_a_long_prompt(
    compaction: Compaction, journalled: int, shown: int, *, is_due: bool
) -> None:
    assert compaction.is_due(journalled=journalled, shown=shown) is is_due


@pytest.mark.parametrize(
    ("age_ms", "is_folded"), [(ANSWERABLE_MS + SKEW_MS, False), (ANSWERABLE_MS + SKEW_MS + 1, True)]
)
def test_a_message_waits_while_a_late_clock_may_take_it_for_answerable(
    chat: Conversation, clock: FixedClock, compaction: Compaction, age_ms: int, *, is_folded: bool
) -> None:
    keep_messages(chat, clock, range(5))
    chat.journal.keep(message(9, timestamp_ms=clock.now_ms() - age_ms))

    compaction.fold(chat, None)

    assert ("m9.json" in journalled(chat)) is not is_folded


def test_a_compaction_that_another_one_overtook_leaves_the_journal(
    clock: FixedClock, summariser: QuotingSummariser
) -> None:
    store = SharedStore()
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)
    keep_messages(chat, clock, range(9))
    before = journalled(chat)

    def write_another() -> None:
        assert chat.snapshot.swap(chat.snapshot.read(), SnapshotRecord(messages=(message(1),)))

    store.others = [write_another]

    assert not compaction_by(summariser, clock).fold(chat, IN_TIME)
    assert (journalled(chat), summariser.asked) == (before, [])


@pytest.mark.parametrize("was_folded_before", [False, True])
@pytest.mark.parametrize("kind", ["withdrawal", "edit", "erasure"])
def test_a_compaction_that_sleeps_until_the_second_pass_is_over_writes_no_withdrawn_words(
    clock: FixedClock, compaction: Compaction, kind: str, *, was_folded_before: bool
) -> None:
    store, withdrawal = SharedStore(), withdrawal_of(clock)
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)
    if was_folded_before:
        assert chat.snapshot.swap(chat.snapshot.read(), SnapshotRecord(messages=(message(70),)))
    keep_messages(chat, clock, range(9))

    def amend_and_pass_twice() -> None:
        now_ms = clock.now_ms()
        if kind == "withdrawal":
            withdrawal.withdraw(chat, "m1", timestamp_ms=now_ms)
        elif kind == "edit":
            withdrawal.edit(chat, "m1", text="newer", timestamp_ms=now_ms)
        else:
            withdrawal.erase(chat, until_ms=now_ms)
        clock.move(60)
        finish = {
            "withdrawal": partial(withdrawal.finish_withdrawal, chat, "m1"),
            "edit": partial(withdrawal.finish_edit, chat, "m1"),
            "erasure": partial(withdrawal.finish_erasure, chat, str(now_ms)),
        }
        finish[kind]()

    store.others = [amend_and_pass_twice]

    assert compaction.fold(chat, None) is None
    assert "word-1 " not in str(chat.snapshot.read().record) + " "


def test_a_compaction_whose_snapshot_comes_after_its_look_has_ended_folds_nothing(
    clock: FixedClock, compaction: Compaction, lines: io.StringIO
) -> None:
    class StoreThatReadsLate(MemoryObjectStore):
        def read(self, name: str) -> StoredObject | None:
            if name.startswith("snapshots/"):
                clock.move(chat.amendments.look_s)
            return super().read(name)

    chat = conversations_on(StoreThatReadsLate(), InlineExecutor(), clock).of(CHAT)
    keep_messages(chat, clock, range(9))
    before = journalled(chat)

    assert compaction.fold(chat, None) is None
    assert journalled(chat) == before
    assert "compaction_late" in lines.getvalue()


def test_what_is_withdrawn_while_it_is_folded_is_neither_kept_nor_summed_up(
    clock: FixedClock, summariser: QuotingSummariser
) -> None:
    store = SharedStore()
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)
    keep_messages(chat, clock, range(13))
    store.others = [lambda: chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=clock.now_ms()))]

    assert compaction_by(summariser, clock).fold(chat, IN_TIME)

    assert summariser.asked == [("m0", "m2", "m3"), ("m4", "m5", "m6")]
    assert "word-1 " not in everything_in(store) + " "


def test_a_message_whose_amendment_came_long_before_it_is_folded_with_that(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    now_ms = clock.now_ms()
    chat.amendments.amend(Amendment(line_message_id="m20", timestamp_ms=now_ms, text="newer words"))
    chat.amendments.amend(Amendment(line_message_id="m21", timestamp_ms=now_ms))
    fold_amendments(chat.amendments)
    keep_messages(chat, clock, range(5))
    for number in (20, 21):
        chat.journal.keep(replace(message(number, "older words", timestamp_ms=now_ms), addressed=False))

    assert compaction.fold(chat, None)

    folded = {one.line_message_id: one.text for one in chat.snapshot.read().record.messages}
    assert (folded["m20"], "m21" in folded) == ("newer words", False)


def test_an_answer_is_folded_without_words_however_old_the_withdrawal_of_what_it_names(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    keep_messages(chat, clock, range(5))
    chat.journal.record_outcome(replace(answer(60, "word-60", saw=(61,)), timestamp_ms=clock.now_ms()))
    chat.journal.record_outcome(replace(answer(70), timestamp_ms=clock.now_ms()))
    chat.amendments.amend(Amendment(line_message_id="m61", timestamp_ms=clock.now_ms()))
    fold_amendments(chat.amendments)

    folded = compaction.fold(chat, None)

    assert folded is not None
    assert [one.text for one in folded.outcomes if one.webhook_event_id == "e60"] == [None]


def test_no_withdrawn_message_is_folded_however_many_withdrawn_ones_answers_name(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    named = range(1_000, 1_000 + 400)
    for number in (50, *named):
        chat.amendments.amend(Amendment(line_message_id=f"m{number}", timestamp_ms=5))
    fold_amendments(chat.amendments)
    chat.journal.record_outcome(answer(60, saw=tuple(named)))
    for numbers in (range(5), range(50, 51)):
        keep_messages(chat, clock, numbers)

    folded = compaction.fold(chat, None)

    assert folded is not None
    assert "m50" not in {one.line_message_id for one in folded.messages}


def test_an_outcome_stays_while_one_of_its_messages_waits(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    kept = keep_messages(chat, clock, range(6))
    chat.objects.store.delete(chat.names.outcome("e1"))
    waiting = answer(1)
    chat.journal.record_outcome(
        made_with(replace(waiting, timestamp_ms=kept[1].timestamp_ms, answered_ids=("m1", "m2")))
    )
    chat.journal.record_outcome(replace(answer(70), timestamp_ms=clock.now_ms()))

    compaction.fold(chat, None)

    assert journalled(chat) == ["e70.outcome.json"]


@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["say", "answer", "fold", "unsend", "lose model"]), st.integers(0, 20)), max_size=40
    )
)
def test_no_message_is_lost_or_shown_twice_in_any_order_of_steps(steps: list[tuple[str, int]]) -> None:
    clock, summariser = FixedClock(), QuotingSummariser()
    chat = conversations_on(MemoryObjectStore(), InlineExecutor(), clock).of(CHAT)
    compaction, withdrawal = compaction_by(summariser, clock), withdrawal_of(clock)
    said: set[str] = set()
    withdrawn: set[str] = set()
    for step, number in steps:
        match step:
            case "say":
                keep_messages(chat, clock, range(number, number + 1), is_answered=False)
                said.add(f"m{number}")
            case "answer":
                keep_messages(chat, clock, range(number, number + 1))
                said.add(f"m{number}")
            case "fold":
                compaction.fold(chat, IN_TIME)
            case "unsend":
                withdrawal.withdraw(chat, f"m{number}", timestamp_ms=1)
                withdrawn.add(f"m{number}")
            case "lose model":
                summariser.is_down = not summariser.is_down
    for message_id in withdrawn:  # as every writer does after its write
        if chat.amendments.look().withdrawn >= {message_id}:
            chat.journal.drop(message_id)

    history = reader().read_newest(chat)
    shown = [one.line_message_id for one in (*history.older, *history.messages)]

    assert len(shown) == len(set(shown))
    assert set(shown) <= said - withdrawn
    recapped = {one for recap in history.recaps for one in recap.summed_up_ids}
    assert len(shown) >= min(len(said - withdrawn), LIMITS.verbatim)
    assert recapped <= said - withdrawn


def test_a_fixed_text_that_was_sent_is_known_as_sent_also_where_it_was_folded_as_given_up_meanwhile(
    clock: FixedClock,
) -> None:
    store = SharedStore()
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)
    compaction = compaction_by(QuotingSummariser(), clock)
    sent = OutcomeRecord(
        webhook_event_id="greeting",
        timestamp_ms=clock.now_ms() - 200_000,
        kind=OutcomeKind.REPLIED,
        text="hello",
        provenance=Provenance(),
    )
    chat.journal.record_outcome(replace(sent, kind=OutcomeKind.UNDELIVERED, text=None))
    keep_messages(chat, clock, range(5))
    store.others.append(lambda: compaction.fold(chat, None))

    chat.journal.record_outcome(sent)

    for start in (5, 10):
        assert [one.kind for one in reader().read_newest(chat).outcomes if not one.answered_ids] == [
            OutcomeKind.REPLIED
        ]
        keep_messages(chat, clock, range(start, start + 5))
        assert compaction.fold(chat, None)
    assert "greeting.outcome.json" not in journalled(chat)


@pytest.mark.parametrize(
    ("kind", "covers", "journal_counts"),
    [
        (OutcomeKind.UNDELIVERED, (), True),
        (OutcomeKind.UNDELIVERED, ("m9",), False),
        (OutcomeKind.REPLIED, (), False),
        (OutcomeKind.REPLIED, ("m9",), False),
    ],
)
def test_of_an_outcome_in_journal_and_snapshot_the_folded_one_counts_unless_it_was_given_up(
    chat: Conversation,
    clock: FixedClock,
    compaction: Compaction,
    kind: OutcomeKind,
    covers: tuple[str, ...],
    *,
    journal_counts: bool,
) -> None:
    """Its worker died before it dropped it from the journal; words may be gone from one of the two."""
    twice = OutcomeRecord(
        webhook_event_id="twice",
        timestamp_ms=clock.now_ms() - 200_000,
        kind=kind,
        answered_ids=covers,
        provenance=made_of(*covers),
    )
    given_up = made_with(replace(twice, webhook_event_id="given up", kind=OutcomeKind.UNDELIVERED, answered_ids=()))
    chat.snapshot.swap(chat.snapshot.read(), SnapshotRecord(outcomes=(twice, given_up)))
    chat.journal.record_outcome(replace(twice, kind=OutcomeKind.APOLOGISED))
    keep_messages(chat, clock, range(5))

    folded = compaction.fold(chat, None)

    assert folded is not None
    kinds = {one.webhook_event_id: one.kind for one in folded.outcomes}
    assert kinds["twice"] is (OutcomeKind.APOLOGISED if journal_counts else kind)
    assert kinds["given up"] is OutcomeKind.UNDELIVERED
