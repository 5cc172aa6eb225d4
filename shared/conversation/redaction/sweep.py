"""Sweep: a withdrawal removes words from the archive.  Segments whose bytes hold an affected id are decoded and rewritten.

A segment's name does not list its contents, so every listed segment is read once, several in parallel, whether named by a snapshot or not.
Segments that end long before the messages were sent are left out, where the time of sending is known.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.archive import Archive, ListedSegment
from shared.conversation.lifetime import WrittenSegment
from shared.conversation.records import MessageRecord
from shared.conversation.segments import cleaned_segment, decode_segment, encode_segment
from shared.conversation.snapshot_records import Segment
from shared.errors import CorruptRecordError
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_store import ListedObject

_AT_ONCE: Final = 32
_DAY_MS: Final = 24 * 3_600_000
_FEW: Final = 20
_QUOTED: Final = re.compile(rb'"([0-9A-Za-z_-]{1,64})"')


@dataclass(slots=True, kw_only=True)
class Sweep:
    """One withdrawal, edit or erasure in an archive.  Every method raises StorageUnavailableError, UnknownRecordVersionError."""

    archive: Archive
    _since_ms: int = -1
    _sent_ms: dict[str, int] = field(default_factory=dict, repr=False)
    _searched: dict[ListedObject, bytes] = field(default_factory=dict, repr=False)
    _yielded: set[ListedObject] = field(default_factory=set, repr=False)

    def add_sent_times(self, messages: Iterable[MessageRecord]) -> None:
        """Add the times at which the messages were sent."""
        self._sent_ms |= {one.line_message_id: one.timestamp_ms for one in messages}

    def skip_segments_before(self, line_message_ids: AbstractSet[str]) -> None:
        """Leave out the segments that end a day before the first of the messages was sent, if the time of every message is known.

        An answer that names a message had the message in its prompt, so may have a timestamp minutes older than the message, but not a day.
        """
        if line_message_ids <= self._sent_ms.keys():
            self._since_ms = min(self._sent_ms[one] for one in line_message_ids) - _DAY_MS

    def find(self, ids: AbstractSet[str]) -> Iterator[Segment]:
        """Yield the segments with any of the ids, of messages, answers, recaps or people; unreadable segments are left out."""
        return (segment for _, data in self._hits(ids) if (segment := _decoded(data)) is not None)

    def find_more(self, ids: AbstractSet[str]) -> Iterator[Segment]:
        """Yield the same as `find`, but no segment yielded before, unless rewritten since."""
        for listed_segment, data in self._hits(ids, except_for=self._yielded):
            self._yielded.add(listed_segment.listed_object)
            if (segment := _decoded(data)) is not None:
                yield segment

    def segments_after(self, timestamp_ms: int) -> Iterator[Segment]:
        """Yield the readable segments that hold anything later than the timestamp."""
        for batch in _batches(one for one in self.archive.list_segments() if one.name.last_ms > timestamp_ms):
            for data in self._read(batch):
                if data is not None and (segment := _decoded(data)) is not None:
                    yield segment

    def clean(self, amendments: Amendments, ids: AbstractSet[str]) -> None:
        """No segment with any of the ids holds words removed by the amendments.  An unreadable segment is deleted."""
        for segment, _ in self._hits(ids):
            self._rewrite(segment.listed_object.name, amendments)

    def clean_segments(self, segments: Iterable[WrittenSegment], amendments: Amendments) -> None:
        """Apply the amendments to the segments, if they are stored."""
        for segment in segments:
            self._rewrite(self.archive.names.segment(segment.name), amendments)

    def clean_all(self, amendments: Amendments) -> None:
        """Apply the amendments to every segment; delete the wholly erased segments."""
        for segment in self.archive.list_segments():
            listed_object, is_erased = segment.listed_object, segment.name.last_ms <= amendments.erased_ms
            if not is_erased or not self.archive.objects.store.delete(
                listed_object.name, generation=listed_object.generation
            ):
                self._rewrite(listed_object.name, amendments)

    def _hits(
        self, ids: AbstractSet[str], *, except_for: AbstractSet[ListedObject] = frozenset()
    ) -> Iterator[tuple[ListedSegment, bytes]]:
        """Yield the segments, except for some, whose bytes hold any of the ids; a segment searched before is tested by its cached ids."""
        is_hit = _matcher(frozenset(ids))
        segments = (
            segment
            for segment in self.archive.list_segments()
            if segment.name.last_ms >= self._since_ms
            and segment.listed_object not in except_for
            and (segment.listed_object not in self._searched or is_hit(self._searched[segment.listed_object]))
        )
        for batch in _batches(segments):
            for segment, data in zip(batch, self._read(batch), strict=True):
                if data is not None:
                    self._searched[segment.listed_object] = _named_in(data)
                if data is not None and is_hit(data):
                    yield segment, data

    def _read(self, batch: tuple[ListedSegment, ...]) -> list[bytes | None]:
        return self.archive.objects.read_all([one.listed_object for one in batch])

    def _rewrite(self, name: str, amendments: Amendments) -> None:
        is_unreadable = False

        def rewritten(data: bytes | None) -> bytes | None:
            nonlocal is_unreadable
            segment = _decoded(data) if data is not None else None
            is_unreadable = data is not None and segment is None
            if segment is None:
                return None
            clean_segment = cleaned_segment(segment, amendments)
            return None if clean_segment == segment else encode_segment(clean_segment)

        stored = update_by_swap(self.archive.objects.store, name, rewritten, what="a segment")
        if is_unreadable and stored is not None:
            self.archive.objects.store.delete(name, generation=stored.generation)


def _batches(segments: Iterable[ListedSegment]) -> Iterator[tuple[ListedSegment, ...]]:
    remaining_segments = iter(segments)
    while batch := tuple(islice(remaining_segments, _AT_ONCE)):
        yield batch


def _named_in(data: bytes) -> bytes:
    """Return every id and key in the bytes, once and in quotes: some kilobytes of a segment.

    For example, `_named_in(b'{"id":"450"}')` is `b'"id""450"'`.
    """
    return b"".join(b'"%b"' % one for one in dict.fromkeys(_QUOTED.findall(data)))


def _matcher(ids: frozenset[str]) -> Callable[[bytes], bool]:
    """Return a function to test whether bytes hold any of the ids.

    For example, `_matcher(frozenset({"450"}))` accepts the bytes `{"id":"450"}`, but not `{"id":"4501"}`.
    """
    if len(ids) <= _FEW:
        needles = [f'"{one}"'.encode() for one in ids]
        return lambda data: any(needle in data for needle in needles)
    encoded_ids = {one.encode() for one in ids}
    return lambda data: any(one[1] in encoded_ids for one in _QUOTED.finditer(data))


def _decoded(data: bytes) -> Segment | None:
    try:
        return decode_segment(data)
    except CorruptRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        return None
