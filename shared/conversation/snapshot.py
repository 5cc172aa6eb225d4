"""The snapshot of a chat: what was folded out of the journal, bounded in every direction, rewritten by compare-and-swap.

A withdrawal rewrites it even where nothing in it changes, so that a compaction in flight loses its swap.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, SnapshotRecord, by_time
from shared.storage.codec import decode, encode
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ObjectStore

TIMELINE_KEPT: Final = 500
_OUTCOMES_KEPT: Final = 100
_NEWEST_KEPT: Final = 20  # the turn names the last one, which must be known as recorded
_LATE_KEPT: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLimits:
    """How much of a chat is kept, in messages and recaps.

    More than `journalled` messages in the journal are folded. `verbatim` are shown in prompts as they are; of what is older, `summed_up`
    at a time become a recap, `recaps_at_once` recaps in one compaction; `recaps` are kept, and at most `sources` messages of theirs.
    """

    journalled: int = 20
    verbatim: int = 50
    summed_up: int = 10
    recaps_at_once: int = 2
    recaps: int = 10
    sources: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenSnapshot:
    """The snapshot as it was at `generation`; 0 where there was none yet."""

    record: SnapshotRecord
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One chat's snapshot.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    names: ObjectNames
    store: ObjectStore

    def read(self) -> SeenSnapshot:
        """Return the snapshot; empty where there never was one."""
        stored = self.store.read(self.names.snapshot)
        if stored is None:
            return SeenSnapshot(record=SnapshotRecord(), generation=0)
        return SeenSnapshot(record=decode(SnapshotRecord, stored.data), generation=stored.generation)

    def swap(self, seen: SeenSnapshot, record: SnapshotRecord) -> SeenSnapshot | None:
        """Return the snapshot as written over `seen`, or None where another worker wrote first."""
        generation = self.store.replace(self.names.snapshot, encode(record), generation=seen.generation)
        return SeenSnapshot(record=record, generation=generation) if generation is not None else None


def cleaned(snapshot: SnapshotRecord, amendments: Amendments) -> SnapshotRecord:
    """Return the snapshot without the words of what was withdrawn, and with those of what was edited."""
    withdrawn_ms = [at for one, at in snapshot.timeline.items() if one in amendments.withdrawn]

    def is_affected(provenance: Provenance) -> bool:
        return provenance.is_affected_by(amendments) or any(map(provenance.spans, withdrawn_ms))

    return replace(
        snapshot,
        messages=tuple(amendments.overlay(one) for one in snapshot.messages if not amendments.is_withdrawn(one)),
        outcomes=tuple(
            one.without_words() if one.holds_words and is_affected(one.provenance) else one
            for one in snapshot.outcomes
            if one.timestamp_ms > amendments.erased_ms
        ),
        recaps=tuple(one for one in snapshot.recaps if not is_affected(one.provenance)),
        timeline={one: at for one, at in snapshot.timeline.items() if at > amendments.erased_ms},
    )


def bounded(record: SnapshotRecord, limits: MemoryLimits) -> SnapshotRecord:
    """Return the record within its limits; the oldest goes first, a recap with its sources."""
    forgotten = frozenset(one for recap in record.recaps[: -limits.recaps] for one in recap.covers)
    messages = tuple(one for one in record.messages if one.line_message_id not in forgotten)
    record = replace(record, recaps=record.recaps[-limits.recaps :], messages=messages)
    verbatim = without_recap(record)[-(2 * limits.verbatim + limits.recaps_at_once * limits.summed_up) :]
    sources = [one for one in record.messages if one.line_message_id in _in_recaps(record)]
    oldest_ms = min((one.timestamp_ms for one in verbatim), default=0)
    shown = {one.webhook_event_id for one in record.outcomes[-_OUTCOMES_KEPT:] if one.timestamp_ms >= oldest_ms}
    newest_ones = {one.webhook_event_id for one in record.outcomes[-_NEWEST_KEPT:]}
    late = {one.webhook_event_id for one in [one for one in record.outcomes if _is_late(one)][-_LATE_KEPT:]}
    return replace(
        record,
        messages=tuple(sorted((*sources[-limits.sources :], *verbatim), key=by_time)),
        outcomes=tuple(one for one in record.outcomes if one.webhook_event_id in shown | newest_ones | late),
    )


def without_recap(record: SnapshotRecord) -> tuple[MessageRecord, ...]:
    """Return the messages that no recap sums up, oldest first."""
    summed_up = _in_recaps(record)
    return tuple(one for one in record.messages if one.line_message_id not in summed_up)


def newest(timeline: Mapping[str, int]) -> dict[str, int]:
    """Return the newest part of a timeline, oldest first."""
    return dict(sorted(timeline.items(), key=lambda one: one[1])[-TIMELINE_KEPT:])


def between(timeline: Mapping[str, int], since_ms: int, until_ms: int) -> Iterable[str]:
    """Return the messages whose timestamps lie between two, both included."""
    return (one for one, at in timeline.items() if since_ms <= at <= until_ms)


def _in_recaps(record: SnapshotRecord) -> frozenset[str]:
    return frozenset(one for recap in record.recaps for one in recap.covers)


def _is_late(outcome: OutcomeRecord) -> bool:
    return outcome.has_button or outcome.kind is OutcomeKind.STORED
