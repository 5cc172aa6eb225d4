"""Inheritance: what repeats an answer or a recap takes over its sources when that is dropped or loses its words.

An answer names the answers in its prompt, and those name their own sources. When one of these goes, the chain would end. So what repeats
it, or a message among its sources, names these sources from then on. If such a message has left memory, its words cannot be compared: then
the name of what goes stays, under which an archive holds it. If the words of what goes are gone already, nothing can be compared: then
everything that names it takes over its sources.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from shared.conversation.literal_runs import Signs
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.snapshot_records import Recap, SnapshotRecord

NAMES_KEPT: Final = 1_000
"""An answer or recap that would have to take over more names loses its words instead.  Of its own, it keeps all that its prompt held."""
_Kept = TypeVar("_Kept", OutcomeRecord, Recap)


def with_inheritance(record: SnapshotRecord, kept: AbstractSet[str]) -> SnapshotRecord:
    """Return the snapshot in which everything has taken over the sources of what it repeats and is not `kept` (own ids); drops nothing."""
    outcomes = [_Heir.of(one.webhook_event_id, one) for one in record.outcomes]
    recaps = [_Heir.of(one.id, one) for one in record.recaps]
    passed = [_Heir.of(one.id, one) for one in record.passed_recaps]
    heirs = [*passed, *recaps, *outcomes]
    going = [one for one in heirs if one.id and one.id not in kept]
    texts = {one.line_message_id: one.words for one in record.messages}
    for gone in sorted(going, key=lambda one: one.record.timestamp_ms):
        signs = Signs()
        sources = gone.provenance.ids
        signs.add((*gone.record.words, *(text for one in sorted(sources) for text in texts.get(one, ()))))
        is_known = texts.keys() >= sources
        for heir in (one for one in heirs if gone.id in one.provenance.derived_ids):
            if not gone.record.words or heir.may_repeat(signs):
                heir.succeed(gone)
            elif is_known:
                heir.provenance = heir.provenance.without({gone.id})
    return replace(
        record,
        outcomes=tuple(
            _settled(one, by) or one.without_words() for one, by in zip(record.outcomes, outcomes, strict=True)
        ),
        recaps=tuple(one for one in map(_settled, record.recaps, recaps) if one is not None),
        passed_recaps=(
            *(_settled(one, by) or one.without_words() for one, by in zip(record.passed_recaps, passed, strict=True)),
            *(one.without_words() for one, by in zip(record.recaps, recaps, strict=True) if _settled(one, by) is None),
        ),
    )


def without_lost(record: SnapshotRecord, is_lost: Callable[[OutcomeRecord | Recap], bool]) -> SnapshotRecord:
    """Return the snapshot without the words of what is lost, directly or by the sources that it inherits from something lost.

    A recap that is lost leaves the prompts. It stays beside them without words, because an answer in the journal may name it.
    """
    repeatable = (one for one in record.recaps if (one.id and one.text) or not is_lost(one))
    record = replace(record, recaps=tuple(repeatable))
    while True:
        known: tuple[OutcomeRecord | Recap, ...] = (*record.outcomes, *record.recaps, *record.passed_recaps)
        lost = {own_id_of(one) for one in known if one.words and is_lost(one)}
        if not lost:
            return record
        record = with_inheritance(record, {own_id_of(one) for one in known} - lost)
        record = replace(
            record,
            outcomes=tuple(one.without_words() if one.webhook_event_id in lost else one for one in record.outcomes),
            recaps=tuple(one for one in record.recaps if one.id not in lost),
            passed_recaps=tuple(
                one.without_words() if one.id in lost else one
                for one in (*record.passed_recaps, *(one for one in record.recaps if one.id in lost))
            ),
        )


def without_names(record: SnapshotRecord, ids: AbstractSet[str]) -> SnapshotRecord:
    """Return the snapshot in which nothing names these answers and recaps: a withdrawal found that the rest repeats nothing of them."""
    if not ids:
        return record

    def nameless(one: _Kept) -> _Kept:
        is_affected = not ids.isdisjoint(one.provenance.derived_ids)
        return replace(one, provenance=one.provenance.without(ids)) if is_affected else one

    return replace(
        record,
        outcomes=tuple(map(nameless, record.outcomes)),
        recaps=tuple(map(nameless, record.recaps)),
        passed_recaps=tuple(map(nameless, record.passed_recaps)),
    )


def own_id_of(one: OutcomeRecord | Recap) -> str:
    """Return the id by which prompts name it; empty for a recap of an earlier release."""
    return one.webhook_event_id if isinstance(one, OutcomeRecord) else one.id


@dataclass(kw_only=True)
class _Heir:
    """An answer or a recap, with what it names so far."""

    id: str
    record: OutcomeRecord | Recap = field(repr=False)
    provenance: Provenance

    @classmethod
    def of(cls, own_id: str, record: OutcomeRecord | Recap) -> "_Heir":
        """Return the record as it names its sources before anything goes."""
        return cls(id=own_id, record=record, provenance=record.provenance)

    def may_repeat(self, signs: Signs) -> bool:
        """Whether its words show the signs, or were taken out, so that they cannot be compared."""
        has_lost_words = not self.record.words and (
            isinstance(self.record, Recap) or self.record.kind is not OutcomeKind.SKIPPED
        )
        return has_lost_words or signs.are_in(self.record.words)

    def succeed(self, gone: "_Heir") -> None:
        """Name the sources of what goes instead of it."""
        self.provenance = self.provenance.without({gone.id}) | gone.provenance


def _settled(one: _Kept, heir: _Heir) -> _Kept | None:
    """Return the record with the sources of its heir; None if it has taken over too many."""
    if len(heir.provenance.ids) > max(NAMES_KEPT, len(one.provenance.ids)):
        return None
    return one if heir.provenance == one.provenance else replace(one, provenance=heir.provenance)
