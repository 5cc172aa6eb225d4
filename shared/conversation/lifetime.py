"""The lifetime of records in a chat's snapshot: retained, waiting for the archive, leaving for the archive.

    retained   `bounded` drops everything beyond the limits of memory; a record that repeats a dropped record gets the sources
    waits      `with_leaving` adds the dropped records to `leaving`, in the same swap
    leaves     `cut` takes full segments out of `leaving`; the swap that follows comes after they were written

So at any moment a message is in the snapshot, or in a segment named by the snapshot now or earlier.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final

from shared.clock import SKEW_MS
from shared.conversation.records import (
    ANSWERABLE_MS,
    MessageRecord,
    OutcomeKind,
    OutcomeRecord,
    by_time,
    waiting_texts,
)
from shared.conversation.redaction.source_handover import hand_over_sources
from shared.conversation.segments import (
    answers_in_order,
    archived_answer,
    archived_message,
    encode_segment,
    in_order,
    name_of,
)
from shared.conversation.snapshot import MemoryLimits
from shared.conversation.snapshot_records import ArchivedAnswer, Recap, Segment, SnapshotRecord
from shared.frozen import frozen
from shared.storage.segment_name import SegmentName

_OUTCOMES_RETAINED: Final = 100
_NEWEST_RETAINED: Final = 20  # the turn names the last, which must count as recorded
_LATE_RETAINED: Final = 10
_PASSED_RETAINED: Final = 20  # recaps; about as many as are written while an answer is on its way, 20 minutes
NAMED: Final = 8
"""The most segments named by a snapshot, and written by one compaction; further records wait for the next compaction."""
_LONGEST: Final = 100_000  # characters of a segment, to bound one with the longest messages at a hundred usual ones
_WITHOUT_PROVENANCE: Final = frozenset({OutcomeKind.SKIPPED, OutcomeKind.APOLOGISED, OutcomeKind.DEFERRED})


@frozen
class WrittenSegment:
    """The bytes of a segment, and the name to write them under."""

    name: SegmentName
    data: bytes = field(repr=False)


@frozen
class Cut:
    """A snapshot without the records cut off into `segments`; the snapshot names the segments."""

    record: SnapshotRecord
    segments: tuple[WrittenSegment, ...] = ()


def bounded(
    record: SnapshotRecord, limits: MemoryLimits, *, now_ms: int, required_ids: AbstractSet[str] | None = None
) -> SnapshotRecord:
    """Return the record within the limits; the oldest goes first, a recap with its sources.

    `required_ids`: answers and recaps named by journalled answers, which stay; None: unknown, so no recap is dropped. A recap that leaves
    the prompts stays in `passed_recaps` for as long as an answer with the recap in the prompt may be under way. The newest postponed texts
    stay until an answer says them. A record that repeats a dropped answer or recap gets the provenance.

    For example, with 10 recaps allowed, the 11th moves the oldest recap to `passed_recaps`, and drops the messages summed up by it.
    """
    forgotten = _summed_up_ids(record.recaps[: -limits.recaps])
    messages = tuple(one for one in record.messages if one.line_message_id not in forgotten)
    recaps = record.recaps[-limits.recaps :]
    summed_up = _summed_up_ids(recaps)
    sources = [one for one in messages if one.line_message_id in summed_up]
    waiting = [one for one in messages if one.line_message_id not in summed_up]
    verbatim = waiting[-(2 * limits.verbatim + limits.recaps_at_once * limits.summed_up) :]
    oldest_ms = min((one.timestamp_ms for one in verbatim), default=0)
    shown = {one.webhook_event_id for one in record.outcomes[-_OUTCOMES_RETAINED:] if one.timestamp_ms >= oldest_ms}
    newest = {one.webhook_event_id for one in record.outcomes[-_NEWEST_RETAINED:]}
    asking = _asking(record.outcomes, since_ms=now_ms - ANSWERABLE_MS - SKEW_MS)
    waiting_ids = {one.id for one in waiting_texts(record.outcomes)[-_LATE_RETAINED:]}
    retained_ids = shown | newest | _late(record.outcomes) | asking | waiting_ids | (required_ids or frozenset())
    retained_ids |= _telling(record.outcomes, retained_ids)
    passed = tuple(
        replace(recap, passed_ms=recap.passed_ms or now_ms)
        for recap in (*record.passed_recaps, *(one for one in record.recaps[: -limits.recaps] if one.text))
    )
    lasting = {one.id for one in passed if required_ids is None or one.id in required_ids}
    lasting |= {one.id for one in passed[-_PASSED_RETAINED:] if one.passed_ms > now_ms - ANSWERABLE_MS - SKEW_MS}
    handed_over = hand_over_sources(
        replace(record, recaps=recaps, passed_recaps=passed), {one.id for one in recaps} | lasting | retained_ids
    )
    return replace(
        handed_over,
        messages=tuple(sorted((*sources[-limits.sources :], *verbatim), key=by_time)),
        outcomes=tuple(one for one in handed_over.outcomes if one.webhook_event_id in retained_ids),
        passed_recaps=tuple(one for one in handed_over.passed_recaps if one.id in lasting or not one.passed_ms),
    )


def without_recap(record: SnapshotRecord) -> tuple[MessageRecord, ...]:
    """Return the messages without a recap, oldest first."""
    summed_up = _summed_up_ids(record.recaps)
    return tuple(one for one in record.messages if one.line_message_id not in summed_up)


def with_leaving(before: SnapshotRecord, after: SnapshotRecord) -> SnapshotRecord:
    """Return the bounded snapshot `after`; everything only in `before` waits there.

    Left out are presses of buttons, and outcomes that repeat no message. An answer or a recap without words waits, too: the sources
    still count for later records.
    """
    messages = {one.line_message_id for one in after.messages}
    outcomes = {one.webhook_event_id for one in after.outcomes}
    recaps = {one.id for one in after.all_recaps}
    leaving = _merged(
        after.leaving,
        messages=(one for one in before.messages if one.line_message_id not in messages and _is_archived(one)),
        outcomes=(one for one in before.outcomes if one.webhook_event_id not in outcomes and _is_answer(one)),
        recaps=(one for one in before.all_recaps if one.id not in recaps),
    )
    return replace(after, leaving=leaving)


def full_segments(leaving: Segment, *, size: int) -> tuple[Segment, list[Segment]]:
    """Return the records that go on waiting, and the full segments: `size` messages each, with the answers and recaps of the same time.

    For example, 450 waiting messages with `size` 200 give two segments; 50 messages go on waiting.
    """
    waiting: tuple[MessageRecord | ArchivedAnswer | Recap, ...] = (*leaving.recaps, *leaving.messages, *leaving.answers)
    segments: list[Segment] = []
    part = _Part()
    for record in sorted(waiting, key=lambda record: record.timestamp_ms):
        part.add(record)
        if part.is_full(size) and len(segments) < NAMED:
            segments.append(part.segment)
            part = _Part()
    rest = part.segment
    return replace(leaving, messages=rest.messages, answers=rest.answers, recaps=rest.recaps), segments


def cut(record: SnapshotRecord, *, size: int, last_number: int) -> Cut:
    """Return the snapshot without the full segments; the new numbers follow the last listed number."""
    leaving, segments = full_segments(record.leaving, size=size)
    first = 1 + max((last_number, *(SegmentName.parse(one).number for one in record.segments)))
    encoded = ((number, segment, encode_segment(segment)) for number, segment in enumerate(segments, first))
    written = tuple(
        WrittenSegment(name=name_of(segment, data, number=number), data=data) for number, segment, data in encoded
    )
    names = (*record.segments, *(one.name.file for one in written))[-NAMED:]
    return Cut(record=replace(record, leaving=leaving, segments=names), segments=written)


def _summed_up_ids(recaps: Iterable[Recap]) -> frozenset[str]:
    return frozenset(one for recap in recaps for one in recap.summed_up_ids)


def _asking(outcomes: Iterable[OutcomeRecord], *, since_ms: int) -> frozenset[str]:
    """Return the newest questions and proposals open to a press, with the outcomes of their presses: a press counts once."""
    all_outcomes = tuple(outcomes)
    asking = (one for one in all_outcomes if one.timestamp_ms > since_ms and one.offer.may_be_pressed)
    ids = frozenset([one.webhook_event_id for one in asking][-_LATE_RETAINED:])
    return ids.union(one.webhook_event_id for one in all_outcomes if not ids.isdisjoint(one.answers))


def _late(outcomes: Iterable[OutcomeRecord]) -> frozenset[str]:
    """Return the newest deferrals and stored answers, with the outcomes that fulfil them, so a press finds that the answer was sent."""
    all_outcomes = tuple(outcomes)
    late = [one for one in all_outcomes if one.offer.is_deferral or one.kind is OutcomeKind.STORED][-_LATE_RETAINED:]
    roots = frozenset(root for one in late for root in one.answers)
    return frozenset(one.webhook_event_id for one in all_outcomes if one in late or not roots.isdisjoint(one.answers))


def _telling(outcomes: Iterable[OutcomeRecord], retained_ids: AbstractSet[str]) -> frozenset[str]:
    """Return the outcomes that tell retained postponed texts, so that a told text does not seem to wait.

    For example, a member leaves while the bot thinks about an older message, and the answer tells of the leaving: memory would lose the
    answer, which has the time of its message, before the text of the leaving.
    """
    all_outcomes = tuple(outcomes)
    postponed = frozenset(one.id for one in all_outcomes if one.offer.is_postponed and one.id in retained_ids)
    return frozenset(one.id for one in all_outcomes if not postponed.isdisjoint(one.answers))


def _merged(
    leaving: Segment, *, messages: Iterable[MessageRecord], outcomes: Iterable[OutcomeRecord], recaps: Iterable[Recap]
) -> Segment:
    return replace(
        leaving,
        messages=in_order((*leaving.messages, *map(archived_message, messages))),
        answers=answers_in_order((*leaving.answers, *map(archived_answer, outcomes))),
        recaps=tuple({one.id: one for one in (*leaving.recaps, *recaps)}.values()),
    )


def _is_archived(message: MessageRecord) -> bool:
    return bool(message.text) and message.presses is None


def _is_answer(outcome: OutcomeRecord) -> bool:
    """Whether later records may repeat the outcome's words: an apology names what was done outside, as in "✓ Created page “Milk”"."""
    has_receipt = outcome.kind is OutcomeKind.APOLOGISED and bool(outcome.text) and not outcome.is_fixed
    return has_receipt or outcome.kind not in _WITHOUT_PROVENANCE


@dataclass(slots=True, kw_only=True)
class _Part:
    """A segment that is being filled, in the order of time."""

    messages: list[MessageRecord] = field(default_factory=list)
    answers: list[ArchivedAnswer] = field(default_factory=list)
    recaps: list[Recap] = field(default_factory=list)
    length: int = 0

    def add(self, record: MessageRecord | ArchivedAnswer | Recap) -> None:
        match record:
            case MessageRecord():
                self.messages.append(record)
            case ArchivedAnswer():
                self.answers.append(record)
            case Recap():
                self.recaps.append(record)
        self.length += len(record.text or "")

    def is_full(self, size: int) -> bool:
        return max(len(self.messages), len(self.answers), len(self.recaps)) >= size or self.length >= _LONGEST

    @property
    def segment(self) -> Segment:
        return Segment(messages=tuple(self.messages), answers=tuple(self.answers), recaps=tuple(self.recaps))
