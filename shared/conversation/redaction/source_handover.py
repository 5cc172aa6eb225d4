"""The handover of sources: when an answer or a recap is dropped or loses its words, the records that repeat it get its sources.

An answer names the answers in its prompt, and those name their own sources. When one of these goes, the chain would end. So what repeats
it, or a message among its sources, names these sources from then on. If such a message has left memory, its words cannot be compared: then
the name of what goes stays, under which an archive holds it. If the words of what goes are gone already, nothing can be compared: then
everything that names it gets its sources.
"""

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeVar

from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.snapshot_records import Recap, SnapshotRecord
from shared.search.literal_runs import Signs

NAMES_LIMIT: Final = 1_000
"""An answer or recap that would have to name more loses its words instead.  Of its own, it keeps all that its prompt held."""
_Record = TypeVar("_Record", OutcomeRecord, Recap)


def hand_over_sources(snapshot: SnapshotRecord, kept_ids: AbstractSet[str]) -> SnapshotRecord:
    """Return the snapshot in which the sources of what is not kept (own ids) are named by what repeats it; drops nothing."""
    outcomes, recaps = _heirs_of(snapshot.outcomes), _heirs_of(snapshot.recaps)
    passed = _heirs_of(snapshot.passed_recaps)
    heirs: list[_Heir[OutcomeRecord] | _Heir[Recap]] = [*passed, *recaps, *outcomes]
    texts = {message.line_message_id: message.words for message in snapshot.messages}
    dropped = (heir for heir in heirs if heir.record.id and heir.record.id not in kept_ids)
    for leaver in sorted(dropped, key=lambda heir: heir.record.timestamp_ms):
        own_id, sources = leaver.record.id, leaver.provenance.ids
        signs = Signs()
        signs.add((*leaver.record.words, *(text for source in sources for text in texts.get(source, ()))))
        for heir in heirs:
            if own_id not in heir.provenance.derived_ids:
                continue
            if not leaver.record.words or _may_repeat(heir.record, signs):
                heir.provenance = heir.provenance.without({own_id}) | leaver.provenance
            elif texts.keys() >= sources:
                heir.provenance = heir.provenance.without({own_id})
    return replace(
        snapshot,
        outcomes=tuple(heir.settled or heir.record.without_words() for heir in outcomes),
        recaps=tuple(heir.settled for heir in recaps if heir.settled is not None),
        passed_recaps=(
            *(heir.settled or heir.record.without_words() for heir in passed),
            *(heir.record.without_words() for heir in recaps if heir.settled is None),
        ),
    )


def without_lost(snapshot: SnapshotRecord, is_lost: Callable[[OutcomeRecord | Recap], bool]) -> SnapshotRecord:
    """Return the snapshot without the words of what is lost, directly or by the sources that something lost hands over.

    A recap that is lost leaves the prompts. It stays beside them without words, because an answer in the journal may name it.
    """
    nameable = (recap for recap in snapshot.recaps if (recap.id and recap.text) or not is_lost(recap))
    snapshot = replace(snapshot, recaps=tuple(nameable))
    while True:
        derived: tuple[OutcomeRecord | Recap, ...] = (*snapshot.outcomes, *snapshot.recaps, *snapshot.passed_recaps)
        lost_ids = {record.id for record in derived if record.words and is_lost(record)}
        if not lost_ids:
            return snapshot
        snapshot = hand_over_sources(snapshot, {record.id for record in derived} - lost_ids)
        lost_recaps = (recap for recap in snapshot.recaps if recap.id in lost_ids)
        snapshot = replace(
            snapshot,
            outcomes=tuple(_without_words(snapshot.outcomes, lost_ids)),
            recaps=tuple(recap for recap in snapshot.recaps if recap.id not in lost_ids),
            passed_recaps=tuple(_without_words((*snapshot.passed_recaps, *lost_recaps), lost_ids)),
        )


def without_names(snapshot: SnapshotRecord, ids: AbstractSet[str]) -> SnapshotRecord:
    """Return the snapshot in which nothing names these answers and recaps: a withdrawal found that the rest repeats nothing of them."""

    def nameless(record: _Record) -> _Record:
        is_affected = not ids.isdisjoint(record.provenance.derived_ids)
        return replace(record, provenance=record.provenance.without(ids)) if is_affected else record

    return replace(
        snapshot,
        outcomes=tuple(map(nameless, snapshot.outcomes)),
        recaps=tuple(map(nameless, snapshot.recaps)),
        passed_recaps=tuple(map(nameless, snapshot.passed_recaps)),
    )


@dataclass(kw_only=True)
class _Heir(Generic[_Record]):
    """An answer or a recap, with what it names so far."""

    record: _Record = field(repr=False)
    provenance: Provenance

    @property
    def settled(self) -> _Record | None:
        """The record with all that it names; None if it would have to name too much."""
        if len(self.provenance.ids) > max(NAMES_LIMIT, len(self.record.provenance.ids)):
            return None
        return (
            self.record
            if self.provenance == self.record.provenance
            else replace(self.record, provenance=self.provenance)
        )


def _heirs_of(records: Iterable[_Record]) -> list[_Heir[_Record]]:
    return [_Heir(record=record, provenance=record.provenance) for record in records]


def _without_words(records: Iterable[_Record], ids: AbstractSet[str]) -> Iterator[_Record]:
    """Yield the records, those with one of these ids without their words."""
    return (record.without_words() if record.id in ids else record for record in records)


def _may_repeat(record: OutcomeRecord | Recap, signs: Signs) -> bool:
    """Whether its words show the signs, or were taken out, so that they cannot be compared."""
    had_words = isinstance(record, Recap) or record.kind is not OutcomeKind.SKIPPED
    return (had_words and not record.words) or signs.are_in(record.words)
