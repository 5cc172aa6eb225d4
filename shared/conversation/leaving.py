"""Leaving: messages, answers and recaps on their way to the archive wait in the snapshot until they fill a segment.

The swap that drops a message from memory also adds it to `leaving`, and the swap that takes it from there comes after its segment was
written. So at any moment the message is in the snapshot, or in a segment that the snapshot names or has named.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.segments import (
    answers_in_order,
    archived_answer,
    archived_message,
    encode_segment,
    in_order,
    name_of,
)
from shared.conversation.snapshot_records import ArchivedAnswer, Recap, Segment, SnapshotRecord
from shared.storage.segment_name import SegmentName

NAMED: Final = 8
"""The most segments that a snapshot names, and that one compaction writes; the rest waits for the next compaction."""
_LONGEST: Final = 100_000  # characters of a segment, so that one with the longest messages is no larger than a hundred of the usual ones
_WITHOUT_PROVENANCE: Final = frozenset({OutcomeKind.SKIPPED, OutcomeKind.APOLOGISED, OutcomeKind.DEFERRED})


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSegment:
    """A segment as it is written, under its name."""

    name: SegmentName
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A snapshot without what was cut off into `segments`, which it names."""

    record: SnapshotRecord
    segments: tuple[WrittenSegment, ...] = ()


def with_leaving(before: SnapshotRecord, after: SnapshotRecord) -> SnapshotRecord:
    """Return the bounded snapshot `after`, in which everything waits that only `before` holds.

    Left out are messages without an id, because they could not be withdrawn, presses of buttons, and outcomes that repeat no message. An
    answer or a recap that has lost its words waits without them: it still tells what those that name it may repeat.
    """
    messages = {one.line_message_id for one in after.messages}
    outcomes = {one.webhook_event_id for one in after.outcomes}
    recaps = {one.id for one in after.all_recaps}
    leaving = _merged(
        after.leaving,
        messages=(one for one in before.messages if one.line_message_id not in messages and _is_archived(one)),
        outcomes=(one for one in before.outcomes if one.webhook_event_id not in outcomes and _is_answer(one)),
        recaps=(one for one in before.all_recaps if one.id and one.id not in recaps),
    )
    return replace(after, leaving=leaving)


def full_segments(leaving: Segment, *, size: int) -> tuple[Segment, list[Segment]]:
    """Return what goes on waiting, and the segments that are full: of `size` messages each, with the answers and recaps of their time."""
    waiting: tuple[MessageRecord | ArchivedAnswer | Recap, ...] = (*leaving.recaps, *leaving.messages, *leaving.answers)
    segments: list[Segment] = []
    part = _Part()
    for one in sorted(waiting, key=lambda one: one.timestamp_ms):
        part.add(one)
        if part.is_full(size) and len(segments) < NAMED:
            segments.append(part.segment)
            part = _Part()
    return part.segment, segments


def cut(record: SnapshotRecord, *, size: int, last_number: int) -> Cut:
    """Return the snapshot without the segments that are full; their numbers follow the last one that is listed."""
    leaving, segments = full_segments(record.leaving, size=size)
    named = [SegmentName.parse(one).number for one in record.segments]
    number = max((last_number, *named))
    written = []
    for segment in segments:
        number += 1
        data = encode_segment(segment)
        written.append(WrittenSegment(name=name_of(segment, data, number=number), data=data))
    names = (*record.segments, *(one.name.file for one in written))[-NAMED:]
    return Cut(record=replace(record, leaving=leaving, segments=names), segments=tuple(written))


def _merged(
    leaving: Segment, *, messages: Iterable[MessageRecord], outcomes: Iterable[OutcomeRecord], recaps: Iterable[Recap]
) -> Segment:
    return Segment(
        messages=in_order((*leaving.messages, *map(archived_message, messages))),
        answers=answers_in_order((*leaving.answers, *map(archived_answer, outcomes))),
        recaps=tuple({one.id: one for one in (*leaving.recaps, *recaps)}.values()),
    )


def _is_archived(message: MessageRecord) -> bool:
    return bool(message.line_message_id and message.text) and message.presses is None


def _is_answer(outcome: OutcomeRecord) -> bool:
    return outcome.kind not in _WITHOUT_PROVENANCE


@dataclass(slots=True, kw_only=True)
class _Part:
    """A segment that is being filled, in the order of time."""

    messages: list[MessageRecord] = field(default_factory=list)
    answers: list[ArchivedAnswer] = field(default_factory=list)
    recaps: list[Recap] = field(default_factory=list)
    length: int = 0

    def add(self, one: MessageRecord | ArchivedAnswer | Recap) -> None:
        match one:
            case MessageRecord():
                self.messages.append(one)
            case ArchivedAnswer():
                self.answers.append(one)
            case Recap():
                self.recaps.append(one)
        self.length += len(one.text or "")

    def is_full(self, size: int) -> bool:
        return max(len(self.messages), len(self.answers), len(self.recaps)) >= size or self.length >= _LONGEST

    @property
    def segment(self) -> Segment:
        return Segment(messages=tuple(self.messages), answers=tuple(self.answers), recaps=tuple(self.recaps))
