from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.clock import SKEW_MS
from shared.conversation.amendment_records import Amendment
from shared.conversation.amendments import Amendments
from shared.conversation.lifetime import bounded
from shared.conversation.numbering import Numbered
from shared.conversation.provenance import Provenance
from shared.conversation.records import ANSWERABLE_MS, Erasure, Offer, OutcomeKind, OutcomeRecord, ProposedCall
from shared.conversation.snapshot import MemoryLimits, cleaned, with_numbers, with_sources
from shared.conversation.snapshot_records import Recap, SnapshotRecord
from shared.conversation.store import Conversation
from shared.errors import StorageUnavailableError
from shared.storage.codec import encode
from shared.storage.segment_name import SegmentName
from shared.storage.versioned import Versioned
from tests.support.chats import answer, fold_amendments, made_of, made_with, message
from tests.support.races import SharedStore

NOW_MS = 1_763_700_000_000
HALF_AN_HOUR_MS = 30 * 60_000
NUMBERS = st.lists(st.integers(0, 30), unique=True, max_size=20)


@pytest.fixture
def store() -> SharedStore:
    return SharedStore()


def recap(number: int, *covered: int) -> Recap:
    times = covered or (number,)
    return Recap(
        id=f"recap-{number}",
        text=f"recap {number}",
        timestamp_ms=max(times),
        summed_up_ids=tuple(f"m{one}" for one in covered),
        provenance=made_of(*tuple(f"m{one}" for one in covered), since_ms=min(times), until_ms=max(times)),
    )


def of_words_at(summary: Recap, words_ms: int) -> Recap:
    """Return the recap as it is if it sums up words from this moment."""
    messages = {"": dict.fromkeys(summary.summed_up_ids, words_ms)}
    return replace(summary, provenance=replace(summary.provenance, messages=messages))


def recap_ids(record: SnapshotRecord) -> list[str]:
    return [one.id for one in record.recaps]


def message_ids(record: SnapshotRecord) -> list[str]:
    return [one.line_message_id for one in record.messages]


@given(st.lists(NUMBERS, max_size=6))
def test_what_outcomes_saw_survives_the_numbering(seen: list[list[int]]) -> None:
    outcomes = tuple(answer(100 + index, saw=tuple(numbers)) for index, numbers in enumerate(seen))

    read = with_sources(with_numbers(SnapshotRecord(outcomes=outcomes)))

    assert read.outcomes == outcomes
    assert read.numbered == Numbered()


def test_a_hundred_overlapping_windows_are_stored_as_runs(chat: Conversation) -> None:
    outcomes = tuple(answer(number, saw=tuple(range(number - 80, number))) for number in range(100, 200))
    record = SnapshotRecord(outcomes=outcomes)
    least_bytes = len(encode(SnapshotRecord(outcomes=tuple(replace(one, provenance=Provenance()) for one in outcomes))))

    assert chat.snapshot.swap(chat.snapshot.read(), record)

    assert chat.snapshot.read().record == record
    assert len(encode(with_numbers(record))) - least_bytes < (len(encode(record)) - least_bytes) / 10


def test_an_outcome_that_lost_its_words_still_names_what_it_saw() -> None:
    record = SnapshotRecord(outcomes=(answer(2, saw=(1,)).without_words(),))

    assert with_sources(with_numbers(record)) == record


def test_a_chat_without_a_snapshot_has_an_empty_one(chat: Conversation) -> None:
    assert chat.snapshot.read() == Versioned(record=SnapshotRecord(), generation=0)


def test_of_two_swaps_over_one_generation_one_wins(chat: Conversation) -> None:
    seen = chat.snapshot.read()

    assert chat.snapshot.swap(seen, SnapshotRecord(recap_tries=1)) == chat.snapshot.read()
    assert chat.snapshot.swap(seen, SnapshotRecord(recap_tries=2)) is None
    assert chat.snapshot.read().record.recap_tries == 1


def test_a_snapshot_that_another_worker_changes_meanwhile_is_cleaned_all_the_same(
    chat: Conversation, store: SharedStore
) -> None:
    def add_another() -> None:
        seen = chat.snapshot.read()
        chat.snapshot.swap(seen, replace(seen.record, messages=(*seen.record.messages, message(2))))

    chat.snapshot.swap(chat.snapshot.read(), SnapshotRecord(messages=(message(1),)))
    store.others = [add_another]

    chat.snapshot.clean(Amendments(withdrawn=frozenset({"m1"})))

    assert message_ids(chat.snapshot.read().record) == ["m2"]


def test_a_cleaning_that_loses_every_swap_is_an_error(chat: Conversation, store: SharedStore) -> None:
    def write() -> None:
        seen = chat.snapshot.read()
        chat.snapshot.swap(seen, replace(seen.record, recap_tries=seen.record.recap_tries + 1))

    chat.snapshot.swap(chat.snapshot.read(), SnapshotRecord(messages=(message(1),)))
    store.others = [write] * 100

    with pytest.raises(StorageUnavailableError, match="others kept changing the snapshot"):
        chat.snapshot.clean(Amendments(withdrawn=frozenset({"m1"})))


def test_what_was_amended_after_the_look_is_taken_out_until_nothing_more_comes(
    chat: Conversation, store: SharedStore
) -> None:
    looked = chat.amendments.look()
    chat.snapshot.swap(chat.snapshot.read(), SnapshotRecord(messages=(message(1), message(2), message(3))))
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))
    store.others = [lambda: chat.amendments.amend(Amendment(line_message_id="m2", timestamp_ms=9))]

    settled = chat.snapshot.settle(chat.amendments, looked)

    assert settled == Amendments(withdrawn=frozenset({"m1", "m2"}))
    assert message_ids(chat.snapshot.read().record) == ["m3"]


def test_a_look_that_reads_less_of_what_is_older_finds_nothing_new(chat: Conversation) -> None:
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))
    fold_amendments(chat.amendments)
    looked = chat.amendments.look()

    assert chat.snapshot.settle(chat.amendments, looked) is looked


@pytest.mark.parametrize(("edited_ms", "is_kept"), [(6, False), (5, True), (4, True)])
def test_a_recap_goes_where_a_message_was_edited_after_the_words_that_it_sums_up(
    edited_ms: int, *, is_kept: bool
) -> None:
    shown, passed, other = of_words_at(recap(1, 1), 5), of_words_at(recap(2, 1), 5), recap(3, 2)
    record = SnapshotRecord(recaps=(shown, other), passed_recaps=(replace(passed, passed_ms=NOW_MS),))

    clean = cleaned(record, Amendments(edited_ms={"m1": edited_ms}))

    assert recap_ids(clean) == (["recap-1", "recap-3"] if is_kept else ["recap-3"])
    assert [one.text for one in clean.passed_recaps] == (["recap 2"] if is_kept else ["", ""])


def test_a_recap_stays_where_only_an_answer_that_it_repeats_held_older_words() -> None:
    shown = recap(1, 1)
    shown = replace(shown, provenance=made_of("m1", "m7"))

    clean = cleaned(SnapshotRecord(recaps=(shown,)), Amendments(edited_ms={"m7": 9}))

    assert clean.recaps == (shown,)


def test_an_erasure_leaves_what_came_after_its_timestamp() -> None:
    record = SnapshotRecord(
        messages=(message(4), message(5), message(6)),
        outcomes=(answer(4), answer(5), answer(6, saw=(5,)), answer(7)),
        recaps=(recap(1, 4, 5), recap(2, 5, 6), recap(3, 6)),
    )

    clean = cleaned(record, Amendments(erased_ms=5))

    assert message_ids(clean) == ["m6"]
    assert [(one.webhook_event_id, one.text) for one in clean.outcomes] == [("e6", None), ("e7", "hello")]
    assert recap_ids(clean) == ["recap-3"]


def test_the_oldest_recaps_go_with_their_sources() -> None:
    record = SnapshotRecord(
        messages=tuple(map(message, range(1, 8))), recaps=(recap(1, 1, 2), recap(2, 3), recap(3, 4, 5))
    )

    within = bounded(record, MemoryLimits(recaps=2, sources=2), now_ms=NOW_MS)

    assert recap_ids(within) == ["recap-2", "recap-3"]
    assert message_ids(within) == ["m4", "m5", "m6", "m7"]


def test_a_recap_that_left_the_prompts_stays_while_an_answer_may_be_on_its_way() -> None:
    limits = MemoryLimits(recaps=1, sources=2)
    record = SnapshotRecord(recaps=(recap(1, 1, 2), recap(2, 3)))

    within = bounded(record, limits, now_ms=NOW_MS, required_ids=frozenset())
    later = bounded(within, limits, now_ms=NOW_MS + HALF_AN_HOUR_MS, required_ids=frozenset())

    assert (recap_ids(within), [one.id for one in within.passed_recaps]) == (["recap-2"], ["recap-1"])
    assert (recap_ids(later), later.passed_recaps) == (["recap-2"], ())


@pytest.mark.parametrize("named", [frozenset({"recap-1"}), None])
def test_a_recap_that_journalled_answers_name_stays_however_old(named: frozenset[str] | None) -> None:
    passed = replace(recap(1, 1, 2), passed_ms=NOW_MS - HALF_AN_HOUR_MS)

    within = bounded(SnapshotRecord(passed_recaps=(passed,)), MemoryLimits(), now_ms=NOW_MS, required_ids=named)

    assert within.passed_recaps == (passed,)


def test_what_repeats_a_recap_that_goes_for_good_names_its_sources() -> None:
    passed = replace(recap(1, 1, 2), text="they want to see the sea", passed_ms=1)
    repeating = made_with(answer(9, "you want to see the sea"), "recap-1")

    within = bounded(
        SnapshotRecord(passed_recaps=(passed,), outcomes=(repeating,)),
        MemoryLimits(),
        now_ms=NOW_MS,
        required_ids=frozenset(),
    )

    assert [one.provenance.ids for one in within.outcomes] == [{"m1", "m2", "m9"}]
    assert within.passed_recaps == ()


def test_a_recap_beside_the_prompts_loses_its_words_like_any_other() -> None:
    record = SnapshotRecord(passed_recaps=(recap(1, 1, 2), recap(2, 3)))

    clean = cleaned(record, Amendments(withdrawn=frozenset({"m2"})))

    assert [(one.id, one.text) for one in clean.passed_recaps] == [("recap-1", ""), ("recap-2", "recap 2")]


def test_twice_what_is_shown_and_the_next_recaps_wait_beyond_the_sources() -> None:
    record = SnapshotRecord(messages=tuple(map(message, range(1, 31))), recaps=(recap(1, 1),))

    within = bounded(record, MemoryLimits(verbatim=5, summed_up=3, recaps_at_once=2), now_ms=NOW_MS)

    assert message_ids(within) == ["m1", *(f"m{number}" for number in range(15, 31))]


def test_outcomes_are_kept_beside_their_messages_and_late_ones_longer() -> None:
    late = (
        *(replace(answer(number), offer=Offer(is_deferral=True)) for number in range(1, 7)),
        *(replace(answer(number), kind=OutcomeKind.STORED) for number in range(7, 13)),
    )
    record = SnapshotRecord(
        messages=tuple(map(message, range(50, 101))), outcomes=(*late, *map(answer, range(13, 101)))
    )

    within = bounded(record, MemoryLimits(verbatim=10, summed_up=5, recaps_at_once=4), now_ms=NOW_MS)

    kept = [one.timestamp_ms for one in within.outcomes]
    assert kept == [*range(3, 13), *range(61, 101)]


@pytest.mark.parametrize(
    "asking",
    [
        replace(answer(1), offer=Offer(asks=Erasure.FORGET)),
        replace(answer(1), offer=Offer(forgets=("m7",))),
        replace(answer(1), offer=Offer(proposes=(ProposedCall(tool="delete_entry", arguments="{}"),))),
    ],
)
def test_a_question_and_what_was_done_about_it_are_kept_for_as_long_as_it_can_be_confirmed(
    asking: OutcomeRecord,
) -> None:
    def at(age_ms: int, own_id: str, outcome: OutcomeRecord) -> OutcomeRecord:
        return replace(outcome, webhook_event_id=own_id, timestamp_ms=NOW_MS - age_ms)

    record = SnapshotRecord(
        messages=(message(1),),
        outcomes=(
            *(at(ANSWERABLE_MS - number, f"asking{number}", asking) for number in range(11)),
            at(700_000, "said", answer(1)),
            at(600_000, "done", replace(answer(1), answers=("asking10",))),
            *(at(200 - number, f"e{number}", answer(1)) for number in range(101)),
        ),
    )

    within = bounded(record, MemoryLimits(), now_ms=NOW_MS)

    kept = [one.webhook_event_id for one in within.outcomes]
    assert kept == [
        *(f"asking{number}" for number in range(1, 11)),
        "done",
        *(f"e{number}" for number in range(1, 101)),
    ]


def test_a_question_that_can_be_confirmed_no_more_is_kept_no_longer() -> None:
    too_old = replace(answer(1), timestamp_ms=NOW_MS - ANSWERABLE_MS - SKEW_MS, offer=Offer(asks=Erasure.FORGET))
    asking = replace(too_old, webhook_event_id="e2", timestamp_ms=too_old.timestamp_ms + 1)
    newer = tuple(replace(answer(number), timestamp_ms=NOW_MS) for number in range(3, 103))

    within = bounded(SnapshotRecord(outcomes=(too_old, asking, *newer)), MemoryLimits(), now_ms=NOW_MS)

    assert within.outcomes == (asking, *newer)


def test_the_newest_outcomes_are_kept_however_old() -> None:
    record = SnapshotRecord(messages=(message(200),), outcomes=tuple(map(answer, range(1, 31))))

    assert [one.timestamp_ms for one in bounded(record, MemoryLimits(), now_ms=NOW_MS).outcomes] == [*range(11, 31)]


def test_at_most_a_hundred_outcomes_are_kept_beside_old_messages() -> None:
    record = SnapshotRecord(messages=(message(1),), outcomes=tuple(map(answer, range(1, 111))))

    assert [one.timestamp_ms for one in bounded(record, MemoryLimits(), now_ms=NOW_MS).outcomes] == [*range(11, 111)]


def test_a_lost_recap_stays_without_words_as_long_as_one_that_left_the_prompts() -> None:
    record = SnapshotRecord(recaps=(recap(1, 1, 2), recap(2, 3)))
    amendments = Amendments(withdrawn=frozenset({"m2"}))

    clean = cleaned(record, amendments)
    within = bounded(clean, MemoryLimits(), now_ms=NOW_MS, required_ids=frozenset())
    later = bounded(within, MemoryLimits(), now_ms=NOW_MS + HALF_AN_HOUR_MS, required_ids=frozenset())

    assert (recap_ids(clean), [(one.id, one.words) for one in clean.passed_recaps]) == (["recap-2"], [("recap-1", ())])
    assert [(one.id, one.passed_ms) for one in within.passed_recaps] == [("recap-1", NOW_MS)]
    assert later.passed_recaps == ()
    assert cleaned(within, amendments) == within


def test_a_recap_that_never_had_words_goes_for_good() -> None:
    record = SnapshotRecord(recaps=(replace(recap(1, 1), text=""), recap(2, 2), recap(3, 3)))

    clean = cleaned(record, Amendments(withdrawn=frozenset({"m1"})))
    within = bounded(record, MemoryLimits(recaps=2), now_ms=NOW_MS, required_ids=None)

    assert (recap_ids(clean), clean.passed_recaps) == (["recap-2", "recap-3"], ())
    assert (recap_ids(within), within.passed_recaps) == (["recap-2", "recap-3"], ())


def test_what_repeats_a_recap_that_loses_its_words_loses_them_with_it() -> None:
    lost = replace(recap(1, 1, 2), text="they want to see the sea")
    repeating = made_with(answer(8, "you want to see the sea"), "recap-1")
    repeating_that = made_with(answer(9, "the sea, as you want to see the sea"), "e8")
    other = made_with(answer(10, "good morning"), "recap-1", "e9")
    asked = tuple(message(one, "the sea") for one in (1, 2, 8, 9))
    record = SnapshotRecord(messages=asked, recaps=(lost,), outcomes=(repeating, repeating_that, other))

    clean = cleaned(record, Amendments(withdrawn=frozenset({"m2"})))

    assert [one.text for one in clean.outcomes] == [None, None, "good morning"]
    assert clean.outcomes[2].provenance.ids == {"m10"}


def test_what_a_withdrawal_found_to_repeat_nothing_names_the_lost_answer_no_more() -> None:
    heirs = (made_with(answer(2, None), "m1"), made_with(answer(3, "good morning"), "e2", "m2"))
    amendments = Amendments(withdrawn=frozenset({"m1"}), redacted={"e2": frozenset({"e3"})})

    clean = cleaned(SnapshotRecord(outcomes=heirs), amendments)

    assert [(one.text, one.provenance.ids) for one in clean.outcomes] == [
        (None, frozenset({"m1", "m2"})),
        ("good morning", frozenset({"m2", "m3"})),
    ]


def test_the_answer_that_a_press_got_is_kept_as_long_as_its_deferral() -> None:
    deferral = replace(answer(1), answers=("e1",), offer=Offer(is_deferral=True))
    stored = replace(answer(2), kind=OutcomeKind.STORED, answers=("e1",))
    sent = replace(answer(3), answers=("e1",))
    others = (replace(answer(4), answers=("e777",)), *map(answer, range(5, 40)))
    record = SnapshotRecord(messages=(message(50),), outcomes=(deferral, stored, sent, *others))

    kept = bounded(record, MemoryLimits(), now_ms=NOW_MS).outcomes

    assert [one.webhook_event_id for one in kept][:4] == ["e1", "e2", "e3", "e20"]


def test_recaps_that_reach_into_what_is_erased_go_for_good() -> None:
    record = SnapshotRecord(recaps=(recap(1, 3, 5), recap(2, 4)), passed_recaps=(recap(3, 3, 6), recap(4, 7)))

    clean = cleaned(record, Amendments(erased_ms=3))

    assert (recap_ids(clean), [one.id for one in clean.passed_recaps]) == (["recap-2"], ["recap-4"])


@pytest.mark.parametrize(("age_ms", "is_kept"), [(0, False), (1, True)])
def test_a_recap_leaves_for_good_once_no_answer_may_be_on_its_way(age_ms: int, *, is_kept: bool) -> None:
    passed = replace(recap(1, 1), passed_ms=NOW_MS - ANSWERABLE_MS - SKEW_MS + age_ms)

    within = bounded(SnapshotRecord(passed_recaps=(passed,)), MemoryLimits(), now_ms=NOW_MS, required_ids=frozenset())

    assert bool(within.passed_recaps) is is_kept


def test_what_repeats_a_recap_or_an_answer_that_stays_goes_on_naming_it() -> None:
    shown, passed = recap(1, 1), replace(recap(2, 2), passed_ms=NOW_MS)
    first = answer(8, "the words of an answer")
    repeating = made_with(answer(9, "recap 1, recap 2 and the words of an answer"), "recap-1", "recap-2", "e8")
    record = SnapshotRecord(recaps=(shown,), passed_recaps=(passed,), outcomes=(first, repeating))

    within = bounded(record, MemoryLimits(), now_ms=NOW_MS, required_ids=frozenset())

    assert [one.provenance.ids for one in within.outcomes] == [
        {"m8"},
        {"m9", "recap-1", "recap-2", "e8"},
    ]


def test_segments_that_are_wholly_erased_are_named_no_more() -> None:
    names = tuple(
        SegmentName(first_ms=1, last_ms=last_ms, number=last_ms, digest="0" * 16).file for last_ms in (4, 5, 6)
    )

    assert cleaned(SnapshotRecord(segments=names), Amendments(erased_ms=5)).segments == names[2:]
