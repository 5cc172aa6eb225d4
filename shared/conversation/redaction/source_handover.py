"""The handover of sources: when an answer or a recap is dropped or redacted, the records that repeat it get its sources.

An answer names the answers in its prompt, and each answer there names its own sources. When an answer is dropped, the chain would end. So a
record that repeats the answer, or a message among the answer's sources, names the sources from then on. If a source has left memory, there
are no words to compare: the record still names the answer, as stored in an archive. If the answer has no words any more, nothing can be
compared: every record that names the answer gets the sources.

For example, recap-1 names answer e1, and e1 names message 450. When e1 is dropped, and recap-1 repeats a phrase of e1, recap-1 names 450.
"""

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, Generic, TypeVar

from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.snapshot_records import Recap, SnapshotRecord
from shared.search.folding import fold
from shared.search.literal_runs import Signs

NAMES_LIMIT: Final = 1_000
"""An answer or recap with more sources after a handover loses its words.  Sources from its own prompt are not limited."""
_Record = TypeVar("_Record", OutcomeRecord, Recap)


def hand_over_sources(snapshot: SnapshotRecord, retained_ids: AbstractSet[str]) -> SnapshotRecord:
    """Return the snapshot after a handover from every record not in `retained_ids` to the records that repeat it; drops nothing."""
    outcomes, recaps = _drafts_of(snapshot.outcomes), _drafts_of(snapshot.recaps)
    passed = _drafts_of(snapshot.passed_recaps)
    drafts: list[_Draft[OutcomeRecord] | _Draft[Recap]] = [*passed, *recaps, *outcomes]
    texts = {message.line_message_id: message.words for message in snapshot.messages}
    folding = cache(fold)
    dropped = (draft for draft in drafts if draft.record.id and draft.record.id not in retained_ids)
    for leaver in sorted(dropped, key=lambda draft: draft.record.timestamp_ms):
        own_id, sources = leaver.record.id, leaver.provenance.message_ids
        signs = Signs(folding)
        signs.add((*leaver.record.words, *(text for source in sources for text in texts.get(source, ()))))
        for draft in drafts:
            if own_id not in draft.provenance.derived_ids:
                continue
            if not leaver.record.words or _may_repeat(draft.record, signs):
                draft.provenance = draft.provenance.without_derived({own_id}) | leaver.provenance
            elif not leaver.provenance.derived_ids and texts.keys() >= sources:
                draft.provenance = draft.provenance.without_derived({own_id})
    return replace(
        snapshot,
        outcomes=tuple(draft.settled or draft.record.without_words() for draft in outcomes),
        recaps=tuple(draft.settled for draft in recaps if draft.settled is not None),
        passed_recaps=(
            *(draft.settled or draft.record.without_words() for draft in passed),
            *(draft.record.without_words() for draft in recaps if draft.settled is None),
        ),
    )


def without_redacted(snapshot: SnapshotRecord, is_redacted: Callable[[OutcomeRecord | Recap], bool]) -> SnapshotRecord:
    """Return the snapshot without the words of redacted records, redacted directly or by sources handed over by another redacted record.

    A redacted recap leaves the prompts, but is retained without words, because an answer in the journal may name it.
    """
    nameable = (recap for recap in snapshot.recaps if recap.text or not is_redacted(recap))
    snapshot = replace(snapshot, recaps=tuple(nameable))
    while True:
        derived: tuple[OutcomeRecord | Recap, ...] = (*snapshot.outcomes, *snapshot.recaps, *snapshot.passed_recaps)
        redacted_ids = {record.id for record in derived if is_redacted(record) and record.words}
        if not redacted_ids:
            return snapshot
        snapshot = hand_over_sources(snapshot, {record.id for record in derived} - redacted_ids)
        redacted_recaps = (recap for recap in snapshot.recaps if recap.id in redacted_ids)
        snapshot = replace(
            snapshot,
            outcomes=tuple(_without_words(snapshot.outcomes, redacted_ids)),
            recaps=tuple(recap for recap in snapshot.recaps if recap.id not in redacted_ids),
            passed_recaps=tuple(_without_words((*snapshot.passed_recaps, *redacted_recaps), redacted_ids)),
        )


def without_names(snapshot: SnapshotRecord, ids: AbstractSet[str]) -> SnapshotRecord:
    """Return the snapshot in which no record names the answers and recaps: a withdrawal found no repetition of them."""

    def nameless(record: _Record) -> _Record:
        is_affected = not ids.isdisjoint(record.provenance.derived_ids)
        return replace(record, provenance=record.provenance.without_derived(ids)) if is_affected else record

    return replace(
        snapshot,
        outcomes=tuple(map(nameless, snapshot.outcomes)),
        recaps=tuple(map(nameless, snapshot.recaps)),
        passed_recaps=tuple(map(nameless, snapshot.passed_recaps)),
    )


@dataclass(kw_only=True)
class _Draft(Generic[_Record]):
    """An answer or a recap, with its sources so far."""

    record: _Record = field(repr=False)
    provenance: Provenance

    @property
    def settled(self) -> _Record | None:
        """The record with all sources; None above NAMES_LIMIT, unless the record itself named as many before.

        For example, None for a record that named 3 sources and would now name 1,001.
        """
        if len(self.provenance.ids) > max(NAMES_LIMIT, len(self.record.provenance.ids)):
            return None
        return (
            self.record
            if self.provenance == self.record.provenance
            else replace(self.record, provenance=self.provenance)
        )


def _drafts_of(records: Iterable[_Record]) -> list[_Draft[_Record]]:
    return [_Draft(record=record, provenance=record.provenance) for record in records]


def _without_words(records: Iterable[_Record], ids: AbstractSet[str]) -> Iterator[_Record]:
    """Yield the records, without the words of the records listed in `ids`."""
    return (record.without_words() if record.id in ids else record for record in records)


def _may_repeat(record: OutcomeRecord | Recap, signs: Signs) -> bool:
    """Whether the record's words show the signs, or were removed, so cannot be compared."""
    had_words = isinstance(record, Recap) or record.kind is not OutcomeKind.SKIPPED
    return (had_words and not record.words) or signs.are_in(record.words)
