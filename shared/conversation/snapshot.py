"""The snapshot of a chat: what was folded out of the journal, bounded in every direction, rewritten by compare-and-swap.

Who takes words away rewrites it even where there is nothing to take, so that a compaction under way loses its swap.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from shared.conversation.amendments import Amendments
from shared.conversation.records import OutcomeRecord, Recap, SnapshotRecord
from shared.storage.codec import decode, encode
from shared.storage.object_names import snapshot_name
from shared.storage.object_store import ObjectStore

TIMELINE_KEPT: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenSnapshot:
    """The snapshot as it was at `generation`; 0 where there was none yet."""

    record: SnapshotRecord
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshots:
    """The snapshots of all chats.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    store: ObjectStore

    def read(self, conversation_id: str) -> SeenSnapshot:
        """Return the snapshot of a chat; empty where there never was one."""
        stored = self.store.read(snapshot_name(conversation_id))
        if stored is None:
            return SeenSnapshot(record=SnapshotRecord(), generation=0)
        return SeenSnapshot(record=decode(SnapshotRecord, stored.data), generation=stored.generation)

    def swap(self, conversation_id: str, seen: SeenSnapshot, record: SnapshotRecord) -> SeenSnapshot | None:
        """Return the snapshot as written over `seen`, or None where somebody else wrote first."""
        generation = self.store.replace(snapshot_name(conversation_id), encode(record), generation=seen.generation)
        return SeenSnapshot(record=record, generation=generation) if generation is not None else None


def cleaned(snapshot: SnapshotRecord, amendments: Amendments) -> SnapshotRecord:
    """Return the snapshot without the words of what was taken back, and with those of what was edited."""
    taken_back = [at for one, at in snapshot.timeline.items() if one in amendments.withdrawn]

    def touched(record: OutcomeRecord | Recap, until_ms: int) -> bool:
        ids = (*record.covers, *record.saw) if isinstance(record, OutcomeRecord) else record.covers
        return (
            record.since_ms <= amendments.erased_ms
            or not amendments.withdrawn.isdisjoint(ids)
            or any(record.since_ms <= at <= until_ms for at in taken_back)
        )

    return replace(
        snapshot,
        messages=tuple(amendments.overlaid(one) for one in snapshot.messages if not amendments.take_back(one)),
        outcomes=tuple(
            one.without_words() if one.holds_words and touched(one, one.until_ms) else one
            for one in snapshot.outcomes
            if one.timestamp_ms > amendments.erased_ms
        ),
        recaps=tuple(one for one in snapshot.recaps if not touched(one, one.until_ms)),
        timeline={one: at for one, at in snapshot.timeline.items() if at > amendments.erased_ms},
    )


def newest(timeline: Mapping[str, int]) -> dict[str, int]:
    """Return the newest part of a timeline, oldest first."""
    return dict(sorted(timeline.items(), key=lambda one: one[1])[-TIMELINE_KEPT:])


def between(timeline: Mapping[str, int], since_ms: int, until_ms: int) -> Iterable[str]:
    """Return the messages whose timestamps lie between two, both included."""
    return (one for one, at in timeline.items() if since_ms <= at <= until_ms)
