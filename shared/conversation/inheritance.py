"""Inheritance: what repeats an answer that is not kept any more takes over whose words it held.

An answer names the answers in its prompt, and those name what they had seen. When one of these goes because the memory is bounded, the
chain would end; so whatever repeats it, or a message among its sources, names these from then on.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from shared.conversation.literal_runs import Signs
from shared.conversation.records import OutcomeRecord, Recap, SnapshotRecord

SAW_KEPT: Final = 1_000
"""What would have to name more loses its words instead."""
_Kept = TypeVar("_Kept", OutcomeRecord, Recap)


def with_inheritance(record: SnapshotRecord, kept: AbstractSet[str]) -> SnapshotRecord:
    """Return the snapshot in which nothing that repeats what is not `kept`, by own ids, still relies on it.  Nothing is removed yet."""
    outcomes = [_Heir.of(one.webhook_event_id, one) for one in record.outcomes]
    recaps = [_Heir.of(one.id, one) for one in record.recaps]
    passed = [_Heir.of(one.id, one) for one in record.passed_recaps]
    heirs = [*passed, *recaps, *outcomes]
    going = [one for one in heirs if one.id and one.id not in kept and one.record.words]
    texts = {one.line_message_id: one.text for one in record.messages}
    for gone in sorted(going, key=lambda one: one.record.timestamp_ms):
        signs = Signs()
        signs.add((*gone.record.words, *(texts[one] for one in gone.sources if one in texts)))
        for heir in heirs:
            if gone.id in heir.saw:
                heir.succeed(gone, signs)
    bounded = (
        _settled(one, by) if len(by.saw) <= SAW_KEPT else one.without_words()
        for one, by in zip(record.outcomes, outcomes, strict=True)
    )
    return replace(
        record,
        outcomes=tuple(bounded),
        recaps=_bounded(record.recaps, recaps),
        passed_recaps=_bounded(record.passed_recaps, passed),
    )


def _bounded(recaps: Sequence[Recap], heirs: Sequence["_Heir"]) -> tuple[Recap, ...]:
    return tuple(_settled(one, by) for one, by in zip(recaps, heirs, strict=True) if len(by.saw) <= SAW_KEPT)


@dataclass(kw_only=True)
class _Heir:
    """An answer or a recap, with what it names so far, in order, and the start of that."""

    id: str
    record: OutcomeRecord | Recap = field(repr=False)
    saw: dict[str, None]
    since_ms: int

    @classmethod
    def of(cls, own_id: str, record: OutcomeRecord | Recap) -> "_Heir":
        """Return the record as it names its sources before anything goes."""
        return cls(id=own_id, record=record, saw=dict.fromkeys(record.saw), since_ms=record.since_ms)

    @property
    def sources(self) -> tuple[str, ...]:
        """The messages, answers and recaps that its words may come from."""
        return (*self.record.covers, *self.saw)

    def succeed(self, gone: "_Heir", signs: Signs) -> None:
        """Name the sources of what goes instead of it, if the words of this show its signs; else name it no more."""
        del self.saw[gone.id]
        if signs.are_in(self.record.words):
            self.saw.update(dict.fromkeys(gone.sources))
            self.since_ms = min(self.since_ms, gone.since_ms)


def _settled(one: _Kept, heir: _Heir) -> _Kept:
    return one if tuple(heir.saw) == one.saw else replace(one, saw=tuple(heir.saw), since_ms=heir.since_ms)
