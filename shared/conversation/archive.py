"""The archive of a chat: records from the snapshot, in segments of about 200 messages.  Readers find segments by listing their names.

    archive/{conversation_id}/{first_ms}-{last_ms}-{number}-{digest}.json

Records wait in the snapshot until they fill a segment, so a reader reads both. A message may be in both places while moving, but is always
in one; readers take each message once. If the archive cannot be read, the tool that asked for it fails, never the turn.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from typing import Final

from shared import logs
from shared.clock import Clock
from shared.conversation.amendment_log import AmendmentLog
from shared.conversation.amendments import Amendments
from shared.conversation.lifetime import Cut, WrittenSegment, cut, full_segments, with_leaving
from shared.conversation.records import MessageRecord, OutcomeKind
from shared.conversation.segments import answers_in_order, decode_segment, in_order
from shared.conversation.snapshot import Snapshot
from shared.conversation.snapshot_records import ArchivedAnswer, Segment, SnapshotRecord
from shared.errors import CorruptRecordError, StorageUnavailableError, UnknownRecordVersionError, UnusableIdError
from shared.frozen import frozen
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ListedObject
from shared.storage.segment_name import SegmentName

ARCHIVE_DAYS: Final = 365
SEGMENT_MESSAGES: Final = 200
SEGMENTS_READ: Final = 100
_LISTED_AGAIN: Final = 3
_DAY_MS: Final = 24 * 3_600_000
_SENT: Final = frozenset({OutcomeKind.REPLIED, OutcomeKind.UNKNOWN})


@frozen
class ArchivedSpan:
    """The messages and answers of a span, each once, by LINE's timestamp: no withdrawn messages, and the newest words of edited messages.

    `answers` were sent, or may have been. `left_out`: some of the span was not read, because the segments are older than the newest
    hundred, or unreadable.
    """

    messages: tuple[MessageRecord, ...] = ()
    answers: tuple[ArchivedAnswer, ...] = ()
    left_out: bool = False


@frozen
class ListedSegment:
    """A listed segment, with the parsed name."""

    listed_object: ListedObject
    name: SegmentName


@frozen
class Archive:
    """One chat's archive.  `days`: how far back to read; 0: no archive.  `size`: how many messages fill a segment."""

    names: ObjectNames
    objects: ObjectCache = field(repr=False)
    amendments: AmendmentLog = field(repr=False)
    snapshot: Snapshot = field(repr=False)
    clock: Clock = field(repr=False)
    days: int = ARCHIVE_DAYS
    size: int = SEGMENT_MESSAGES

    def read(self, *, since_ms: int | None = None, until_ms: int | None = None) -> ArchivedSpan:
        """Return the records that left memory between the timestamps, both included.

        This takes two round trips, and a third if a record was amended long ago; cached segments are not read again. Of a span in more than
        SEGMENTS_READ segments the newest are read. An unreadable segment is logged and left out. Callers read the chat's history *before*,
        to miss nothing that moves meanwhile. For example, `read(until_ms=1_700_000_000_000)` returns everything up to 2023-11-14 22:13:20
        UTC. Raises: StorageUnavailableError, if the bucket does not list the segments and the amendments.
        """
        if not self.days:
            return ArchivedSpan()
        oldest_ms = self.clock.now_ms() - self.days * _DAY_MS
        since_ms = oldest_ms if since_ms is None else max(since_ms, oldest_ms)
        end_look = self.amendments.begin_look()
        segments, left_out = self._read_span(since_ms, until_ms)
        messages = [message for segment in segments for message in segment.messages]
        amendments = self.amendments.with_words_of(end_look(), messages)
        return _shown(segments, amendments, since_ms=since_ms, until_ms=until_ms, left_out=left_out)

    def list_segments(self) -> tuple[ListedSegment, ...]:
        """Return the stored segments, by their first timestamps.  Raises: StorageUnavailableError."""
        segments: list[ListedSegment] = []
        for listed_object in self.objects.store.list(self.names.archive_prefix):
            try:
                segments.append(ListedSegment(listed_object=listed_object, name=SegmentName.parse(listed_object.name)))
            except UnusableIdError as cause:
                logs.error("record_unreadable", cause=cause)
        return tuple(segments)

    def with_waiting(self, before: SnapshotRecord, after: SnapshotRecord) -> SnapshotRecord:
        """Return the bounded snapshot `after`; everything only in `before` waits there, but nothing waits without an archive."""
        return with_leaving(before, after) if self.days else replace(after, leaving=Segment())

    def cut(self, record: SnapshotRecord) -> Cut:
        """Return the snapshot without the full segments; lists the archive only if a segment is full.  Raises: StorageUnavailableError."""
        if not full_segments(record.leaving, size=self.size)[1]:
            return Cut(record=record)
        last_number = max((one.name.number for one in self.list_segments()), default=0)
        return cut(record, size=self.size, last_number=last_number)

    def write(self, segments: Iterable[WrittenSegment]) -> None:
        """The segments are stored, before a snapshot names them.  Repeated: changes nothing.  Raises: StorageUnavailableError."""
        store, names = self.objects.store, self.names
        list(self.objects.reads.map(lambda segment: store.create(names.segment(segment.name), segment.data), segments))

    def remove_needless(self) -> None:
        """Delete the segments that no snapshot will name, and segments older than `days`.

        The snapshot is read after the listing. A snapshot read before might not name segments written since; after an erasure their numbers
        begin anew, so they would look like segments of a lost swap. Repeated: does nothing. Raises: StorageUnavailableError.
        """
        listed_segments = self.list_segments()
        named_segments = {SegmentName.parse(one) for one in self.snapshot.read().record.segments}
        oldest_ms = self.clock.now_ms() - self.days * _DAY_MS
        for segment in listed_segments:
            if _was_lost(segment.name, named_segments) or segment.name.last_ms < oldest_ms:
                self.objects.store.delete(segment.listed_object.name, generation=segment.listed_object.generation)

    def _read_span(self, since_ms: int, until_ms: int | None) -> tuple[list[Segment], bool]:
        """Return the segments that reach into the span, and the records waiting for a segment; and whether some were left out.

        Snapshot and listing are read in parallel. If the snapshot names a segment that is not listed, or a listed segment is deleted, a
        compaction passed: both are read again.
        """
        for retries_left in reversed(range(_LISTED_AGAIN)):
            reading = self.objects.reads.submit(self.snapshot.read)
            segments = self.list_segments()
            record = reading.result().record
            in_span = sorted(
                (one for one in segments if _reaches(one.name, since_ms, until_ms)),
                key=lambda segment: segment.name.last_ms,
            )
            newest = in_span[-SEGMENTS_READ:]
            bodies = self._bodies(newest)
            if retries_left and (None in bodies or _is_behind(segments, record, since_ms, until_ms)):
                continue
            decoded = [segment for one in bodies if one is not None and (segment := _decoded(one)) is not None]
            return [*decoded, record.leaving], len(decoded) < len(in_span)
        raise AssertionError("unreachable")

    def _bodies(self, segments: Sequence[ListedSegment]) -> list[bytes | None]:
        """Return the bytes of each segment; None if the segment is deleted, b"" if the bucket does not answer."""

        def body(segment: ListedSegment) -> bytes | None:
            try:
                return self.objects.read(segment.listed_object)
            except StorageUnavailableError:
                return b""

        return list(self.objects.reads.map(body, segments))


def _was_lost(name: SegmentName, named_segments: AbstractSet[SegmentName]) -> bool:
    """Whether the segment was written for a lost swap: an unnamed number between two numbers named by the snapshot.

    Later swaps name larger numbers only. For example, segment 5 was lost if the snapshot names 4 and 6.
    """
    numbers = [one.number for one in named_segments]
    return bool(numbers) and min(numbers) <= name.number <= max(numbers) and name not in named_segments


def _reaches(name: SegmentName, since_ms: int, until_ms: int | None) -> bool:
    return name.last_ms >= since_ms and (until_ms is None or name.first_ms <= until_ms)


def _is_behind(segments: Iterable[ListedSegment], record: SnapshotRecord, since_ms: int, until_ms: int | None) -> bool:
    """Whether the snapshot is newer than the listing: a named segment that reaches into the span is not listed.

    A compaction writes its segments in parallel, so a listing may show the last of them and lack the one before.
    """
    listed_names = {one.name for one in segments}
    named_segments = map(SegmentName.parse, record.segments)
    return any(_reaches(one, since_ms, until_ms) and one not in listed_names for one in named_segments)


def _decoded(data: bytes) -> Segment | None:
    try:
        return decode_segment(data)
    except (CorruptRecordError, UnknownRecordVersionError) as cause:
        logs.error("record_unreadable", cause=cause)
        return None


def _shown(
    segments: Sequence[Segment], amendments: Amendments, *, since_ms: int, until_ms: int | None, left_out: bool
) -> ArchivedSpan:
    """Return the visible part of the span: no withdrawn or erased record, no answer that repeats one, and the newest words."""

    def is_within(timestamp_ms: int) -> bool:
        return since_ms <= timestamp_ms and (until_ms is None or timestamp_ms <= until_ms)

    messages = in_order(one for segment in segments for one in segment.messages if is_within(one.timestamp_ms))
    answers = answers_in_order([one for segment in segments for one in segment.answers if is_within(one.timestamp_ms)])
    return ArchivedSpan(
        messages=tuple(amendments.overlay(one) for one in messages if not amendments.hides(one)),
        answers=tuple(
            answer
            for answer in answers
            if answer.words
            and answer.kind in _SENT
            and not answer.provenance.is_redacted_by(amendments, answer.webhook_event_id)
        ),
        left_out=left_out,
    )
