from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shared.conversation.lifetime import NAMED, bounded, cut, full_segments, with_leaving
from shared.conversation.records import Offer, OutcomeKind, OutcomeRecord
from shared.conversation.segments import archived_answer, archived_message, decode_segment
from shared.conversation.snapshot import MemoryLimits
from shared.conversation.snapshot_records import Recap, Segment, SnapshotRecord
from tests.support.archives import archive_of
from tests.support.chats import answer, made_of, message

NOW_MS = 1_763_700_000_000
COUNTS = st.integers(0, 40)


def recap(number: int) -> Recap:
    return Recap(
        id=f"recap-{number}",
        text=f"recap {number}",
        timestamp_ms=number,
        summed_up_ids=(f"m{number}",),
        provenance=made_of(f"m{number}", since_ms=number, until_ms=number),
    )


@given(COUNTS, COUNTS, COUNTS, st.integers(1, 6), st.integers(1, 4))
def test_what_leaves_the_snapshot_waits_and_nothing_is_lost_or_doubled(
    messages: int, answers: int, recaps: int, verbatim: int, kept_recaps: int
) -> None:
    before = SnapshotRecord(
        messages=tuple(message(number) for number in range(messages)),
        outcomes=tuple(answer(number) for number in range(answers)),
        recaps=tuple(recap(number) for number in range(recaps)),
    )
    limits = MemoryLimits(verbatim=verbatim, summed_up=2, recaps=kept_recaps, sources=3)

    after = with_leaving(before, bounded(before, limits, now_ms=NOW_MS, required_ids=frozenset()))

    here, leaving = archive_of(after), after.leaving
    assert sorted([*(one.line_message_id for one in after.messages), *here.message_ids]) == sorted(
        record.line_message_id for record in before.messages
    )
    assert sorted([*(one.webhook_event_id for one in after.outcomes), *here.answer_ids]) == sorted(
        outcome.webhook_event_id for outcome in before.outcomes
    )
    assert sorted([*(one.id for one in after.all_recaps), *(one.id for one in leaving.recaps)]) == sorted(
        record.id for record in before.recaps
    )
    assert with_leaving(before, after) == after


def test_the_answer_that_told_a_postponed_text_is_retained_as_long_as_the_text() -> None:
    told = replace(answer(1), answers=("e25",))  # of an older message
    postponed = replace(answer(25), kind=OutcomeKind.UNDELIVERED, offer=Offer(is_postponed=True))
    newer = tuple(answer(number) for number in range(26, 60))
    limits = MemoryLimits(verbatim=1, summed_up=1, recaps_at_once=1)

    def retained(since: int) -> set[str]:
        messages = tuple(message(number) for number in range(since, 60))
        record = SnapshotRecord(messages=messages[:3], outcomes=(told, answer(2), postponed, *newer))
        return {one.id for one in bounded(record, limits, now_ms=NOW_MS, required_ids=frozenset()).outcomes}

    assert retained(25) & {"e1", "e2", "e25"} == {"e1", "e25"}
    assert not retained(26) & {"e1", "e2", "e25"}


def test_a_postponed_text_is_retained_until_an_answer_says_it() -> None:
    waiting = replace(answer(1), kind=OutcomeKind.UNDELIVERED, offer=Offer(is_postponed=True))
    newer = tuple(answer(number, None) for number in range(2, 60))  # of translations, which say no other text
    messages = tuple(message(number) for number in range(50, 60))
    limits = MemoryLimits(verbatim=1, summed_up=1, recaps_at_once=1)

    def retained(*outcomes: OutcomeRecord) -> set[str]:
        record = SnapshotRecord(messages=messages, outcomes=outcomes)
        return {one.id for one in bounded(record, limits, now_ms=NOW_MS, required_ids=frozenset()).outcomes}

    assert "e1" in retained(waiting, *newer)
    assert "e1" not in retained(waiting, replace(answer(2), answers=("e1",)), *newer[1:])
    assert "e1" not in retained(replace(waiting, text=None), *newer)


def test_what_waits_keeps_the_fields_of_a_newer_release() -> None:
    newer = Segment(messages=(message(1), message(2)), unknown_fields='{"pages":3}')

    merged = with_leaving(SnapshotRecord(messages=(message(3),)), SnapshotRecord(leaving=newer)).leaving
    rest, [full] = full_segments(merged, size=2)

    assert (merged.unknown_fields, rest.unknown_fields) == (newer.unknown_fields,) * 2
    assert [len(one.messages) for one in (merged, full, rest)] == [3, 2, 1]


def test_what_leaves_has_no_token() -> None:
    leaving = with_leaving(SnapshotRecord(messages=(message(1),)), SnapshotRecord()).leaving

    assert [(one.line_message_id, one.text, one.reply_token) for one in leaving.messages] == [("m1", "hi", None)]


def test_presses_and_messages_without_words_are_not_archived() -> None:
    gone = (replace(message(1), presses="d1"), message(3, ""))

    assert with_leaving(SnapshotRecord(messages=gone), SnapshotRecord()).leaving == Segment()


def test_answers_of_every_kind_that_may_repeat_something_are_archived() -> None:
    gone = tuple(replace(answer(number), kind=kind) for number, kind in enumerate(OutcomeKind))

    leaving = with_leaving(SnapshotRecord(outcomes=gone), SnapshotRecord()).leaving

    assert {one.kind for one in leaving.answers} == {
        OutcomeKind.REPLIED,
        OutcomeKind.STORED,
        OutcomeKind.UNDELIVERED,
        OutcomeKind.UNKNOWN,
        OutcomeKind.WITHDRAWN,
    }


def test_an_apology_with_a_receipt_is_archived_and_a_plain_one_is_not() -> None:
    plain = replace(answer(1, "sorry"), kind=OutcomeKind.APOLOGISED)
    with_receipt = replace(answer(2, "sorry\n\n✓ Created page “Milk”", saw=(1,)), kind=OutcomeKind.APOLOGISED)

    [archived] = with_leaving(SnapshotRecord(outcomes=(plain, with_receipt)), SnapshotRecord()).leaving.answers

    assert (archived.id, archived.words) == ("e2", ("sorry\n", "Milk"))


def test_an_answer_without_words_still_tells_what_it_saw() -> None:
    gone = answer(2, None, saw=(1,))

    [archived] = with_leaving(SnapshotRecord(outcomes=(gone,)), SnapshotRecord()).leaving.answers

    assert (archived.text, archived.provenance) == (None, gone.provenance)


@given(COUNTS, COUNTS, st.integers(1, 5))
def test_full_segments_hold_what_waited_in_order_and_the_rest_waits(messages: int, answers: int, size: int) -> None:
    leaving = Segment(
        messages=tuple(archived_message(message(number)) for number in range(messages)),
        answers=tuple(archived_answer(answer(number)) for number in range(answers)),
        recaps=tuple(recap(number) for number in range(0, answers, 7)),
    )

    left, full = full_segments(leaving, size=size)

    parts = (*full, left)
    assert tuple(one for part in parts for one in part.messages) == leaving.messages
    assert tuple(one for part in parts for one in part.answers) == leaving.answers
    assert tuple(one for part in parts for one in part.recaps) == leaving.recaps
    assert all(max(len(one.messages), len(one.answers), len(one.recaps)) == size for one in full)
    assert len(full) == NAMED or max(len(left.messages), len(left.answers), len(left.recaps)) < size


def test_long_messages_fill_a_segment_sooner() -> None:
    leaving = Segment(messages=tuple(archived_message(message(number, "長" * 5_000)) for number in range(30)))

    left, full = full_segments(leaving, size=200)

    assert [len(one.messages) for one in (*full, left)] == [20, 10]


def test_a_cut_snapshot_names_its_segments_by_numbers_that_follow_all_others() -> None:
    waiting = Segment(messages=tuple(archived_message(message(number)) for number in range(1, 6)))
    record = SnapshotRecord(leaving=waiting)

    once = cut(record, size=2, last_number=6)
    again = cut(replace(once.record, leaving=waiting), size=2, last_number=0)

    assert [one.name.number for one in (*once.segments, *again.segments)] == [7, 8, 9, 10]
    assert again.record.segments == tuple(one.name.file for one in (*once.segments, *again.segments))
    assert [one.line_message_id for one in once.record.leaving.messages] == ["m5"]
    assert [(one.name.first_ms, one.name.last_ms) for one in once.segments] == [(1, 2), (3, 4)]
    assert [len(decode_segment(one.data).messages) for one in once.segments] == [2, 2]


def test_a_snapshot_names_a_bounded_number_of_segments() -> None:
    waiting = Segment(messages=tuple(archived_message(message(number)) for number in range(30)))

    cut_once = cut(SnapshotRecord(leaving=waiting), size=1, last_number=0)

    assert len(cut_once.segments) == len(cut_once.record.segments) == NAMED
    assert len(cut_once.record.leaving.messages) == 30 - NAMED
