"""The snapshot of a chat: records folded out of the journal, bounded in every direction, rewritten by compare-and-swap.

A writer of people's words looks at the amendments after the swap, because a withdrawal may have passed just before.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Final, TypeAlias

from shared.clock import MINUTE_MS
from shared.conversation.amendment_log import AmendmentLog
from shared.conversation.amendments import Amendments
from shared.conversation.numbering import Numbered
from shared.conversation.records import OutcomeRecord
from shared.conversation.redaction.source_handover import without_names, without_redacted
from shared.conversation.refusals import Refusal, standing
from shared.conversation.segments import cleaned_segment, with_provenance, without_provenance
from shared.conversation.snapshot_records import ArchivedAnswer, Recap, SnapshotRecord
from shared.frozen import frozen
from shared.storage.codec import decode, decode_if_readable, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import StoredObject
from shared.storage.segment_name import SegmentName
from shared.storage.versioned import Versioned

_DECODED_CACHED: Final = 32  # of about 140 kB each, and the bytes as their key take as much again


@frozen
class MemoryLimits:
    """How much of a chat is stored, in messages and recaps.

    More than `journalled` messages in the journal are folded. `verbatim` are shown in prompts unchanged; of the older messages, `summed_up`
    at a time become a recap, `recaps_at_once` recaps in one compaction; `recaps` are retained, with at most `sources` of their messages.
    """

    journalled: int = 20
    verbatim: int = 50
    summed_up: int = 10
    recaps_at_once: int = 2
    recaps: int = 10
    sources: int = 100


StoredSnapshot: TypeAlias = Versioned[SnapshotRecord]


@frozen
class Snapshot:
    """One chat's snapshot.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    names: ObjectNames
    objects: ObjectCache

    def read(self) -> StoredSnapshot:
        """Return the snapshot; empty where none was stored."""
        stored = self.objects.read_newest(self.names.snapshot)
        if stored is None:
            return Versioned(record=SnapshotRecord(), generation=0)
        return Versioned(record=_decoded(stored.data), generation=stored.generation)

    def swap(self, expected: StoredSnapshot, record: SnapshotRecord) -> StoredSnapshot | None:
        """Return the snapshot as written over `expected`, or None where another worker wrote first."""
        data = encode(with_numbers(record))
        generation = self.objects.store.replace(self.names.snapshot, data, generation=expected.generation)
        if generation is None:
            return None
        self.objects.keep_newest(self.names.snapshot, StoredObject(data=data, generation=generation))
        return Versioned(record=record, generation=generation)

    def clean(self, amendments: Amendments) -> None:
        """Apply the amendments to the snapshot.  Nothing is written if nothing changes, so many withdrawals cost few writes."""

        def clean(data: bytes | None) -> bytes | None:
            record = with_sources(decode(SnapshotRecord, data)) if data is not None else SnapshotRecord()
            clean_record = cleaned(record, amendments)
            return encode(with_numbers(clean_record)) if clean_record != record else None

        update_by_swap(self.objects.store, self.names.snapshot, clean, what="the snapshot")

    def refuse(self, refusals: Iterable[Refusal], log: AmendmentLog) -> None:
        """Prompts leave out the marked records, unless withdrawn, erased or edited since.

        Repeated: changes nothing.
        """
        new, looked = tuple(refusals), log.look()

        def marked(data: bytes | None) -> bytes | None:
            record = decode(SnapshotRecord, data) if data is not None else SnapshotRecord()
            refused = standing((*record.refused, *new), looked)
            return encode(replace(record, refused=refused)) if refused != record.refused else None

        update_by_swap(self.objects.store, self.names.snapshot, marked, what="the snapshot")
        self.settle(log, looked)

    def overtake(self, *, now_ms: int) -> None:
        """Rewrite the snapshot, at most once a minute, so a worker that read it before loses its swap, however long the worker has slept.

        The minutes are those of ticks: a second pass comes in a later minute than its amendment, so one write serves all second passes of a
        minute. For example, at 12:00:59 nothing is written after a rewrite at 12:00:01. An unreadable snapshot is rewritten unchanged.
        """

        def overtaken(data: bytes | None) -> bytes | None:
            record = decode_if_readable(SnapshotRecord, data) if data is not None else SnapshotRecord()
            if record is None:
                return data
            if record.overtaken_ms // MINUTE_MS == now_ms // MINUTE_MS:
                return None
            return encode(replace(record, overtaken_ms=now_ms))

        update_by_swap(self.objects.store, self.names.snapshot, overtaken, what="the snapshot")

    def settle(self, log: AmendmentLog, looked: Amendments) -> Amendments:
        """Clean the snapshot of words amended since the look `looked`, until a look finds nothing new.

        Return the last look that found something, or `looked`.
        """
        while (now := log.look()).adds_to(looked):
            self.clean(now)
            looked = now
        return looked


@lru_cache(maxsize=_DECODED_CACHED)
def _decoded(data: bytes) -> SnapshotRecord:
    """Return the snapshot as read.  Most reads between two compactions find the same bytes."""
    return with_sources(decode(SnapshotRecord, data))


def cleaned(snapshot: SnapshotRecord, amendments: Amendments) -> SnapshotRecord:
    """Return the snapshot without withdrawn words, and with the newest words of edited messages.

    Answers keep the words of an edited message; recaps, which are written anew, do not.
    """

    def is_redacted(record: OutcomeRecord | Recap) -> bool:
        is_outdated = isinstance(record, Recap) and record.is_outdated_by(amendments.edited_ms)
        return is_outdated or record.provenance.is_redacted_by(amendments, record.id)

    unerased = replace(
        snapshot,
        outcomes=tuple(one for one in snapshot.outcomes if one.timestamp_ms > amendments.erased_ms),
        recaps=tuple(one for one in snapshot.recaps if one.provenance.since_ms > amendments.erased_ms),
        passed_recaps=tuple(one for one in snapshot.passed_recaps if one.provenance.since_ms > amendments.erased_ms),
    )
    clean = without_names(without_redacted(unerased, is_redacted), amendments.redacted.keys())
    return replace(
        clean,
        unknown_fields=clean.wordless_fields,
        messages=tuple(amendments.overlay(one) for one in snapshot.messages if not amendments.is_withdrawn(one)),
        leaving=cleaned_segment(snapshot.leaving, amendments),
        refused=standing(snapshot.refused, amendments),
        segments=tuple(one for one in snapshot.segments if SegmentName.parse(one).last_ms > amendments.erased_ms),
    )


def with_numbers(record: SnapshotRecord) -> SnapshotRecord:
    """Return the snapshot as stored: the sources of outcomes as runs of numbers, because their windows overlap.

    An outcome without words keeps its sources: a compaction may remove the words before the withdrawal has compared them.
    """
    answers: tuple[ArchivedAnswer | OutcomeRecord, ...] = (*record.leaving.answers, *record.outcomes)
    return replace(
        record,
        outcomes=tuple(map(without_provenance, record.outcomes)),
        leaving=replace(record.leaving, answers=tuple(map(without_provenance, record.leaving.answers))),
        numbered=Numbered.of({one.webhook_event_id: one.provenance for one in answers}),
    )


def with_sources(stored: SnapshotRecord) -> SnapshotRecord:
    """Return the snapshot as read: every outcome with its sources."""
    return replace(
        stored,
        outcomes=with_provenance(stored.outcomes, stored.numbered),
        leaving=replace(stored.leaving, answers=with_provenance(stored.leaving.answers, stored.numbered)),
        numbered=Numbered(),
    )
