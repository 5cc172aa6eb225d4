"""Inheritance: what repeats an answer that is not kept any more takes over whose words it held.

An answer names the answers in its prompt, and those name what they had seen. When one of these goes because the memory is bounded, the
chain would end; so whatever shares a literal run with it names its sources from then on.
"""

from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, TypeVar

from shared.conversation.literal_runs import Runs
from shared.conversation.records import OutcomeRecord, Recap, SnapshotRecord

SAW_KEPT: Final = 1_000
"""What would have to name more loses its words instead."""
_Holder = TypeVar("_Holder", OutcomeRecord, Recap)


def with_inheritance(record: SnapshotRecord, kept: AbstractSet[str]) -> SnapshotRecord:
    """Return the snapshot in which nothing that repeats what is not `kept`, by own ids, still relies on it.  Nothing is removed yet."""
    outcomes, recaps = list(record.outcomes), list(record.recaps)
    going: list[OutcomeRecord | Recap] = [
        *(one for one in recaps if one.id not in kept and one.id),
        *(one for one in outcomes if one.webhook_event_id not in kept and one.words),
    ]
    runs: dict[str, Runs] = {}
    for oldest in sorted(going, key=lambda one: one.timestamp_ms):
        own_id = _id_of(oldest)
        there: list[OutcomeRecord | Recap] = [*outcomes, *recaps]
        gone = next((one for one in there if _id_of(one) == own_id), oldest)
        outcomes = [_heir(one, gone, runs) if own_id in one.saw else one for one in outcomes]
        recaps = [_heir(one, gone, runs) if own_id in one.saw else one for one in recaps]
    lasting = tuple(one for one in recaps if len(one.saw) <= SAW_KEPT)
    bounded = tuple(one if len(one.saw) <= SAW_KEPT else one.without_words() for one in outcomes)
    return replace(record, outcomes=bounded, recaps=lasting)


def _heir(one: _Holder, gone: OutcomeRecord | Recap, runs: dict[str, Runs]) -> _Holder:
    """Return one that names the sources of what goes, if it repeats it; else one that names it no more."""
    rest: tuple[str, ...] = tuple(named for named in one.saw if named != _id_of(gone))
    if not _runs_of(one, runs).shares(_runs_of(gone, runs)):
        return replace(one, saw=rest)
    known = dict.fromkeys((*rest, *gone.covers, *gone.saw))
    return replace(one, saw=tuple(known), since_ms=min(one.since_ms, gone.since_ms))


def _runs_of(one: OutcomeRecord | Recap, runs: dict[str, Runs]) -> Runs:
    own_id = _id_of(one)
    if own_id not in runs:
        runs[own_id] = Runs(frozenset(run for text in one.words for run in Runs.of(text).folded))
    return runs[own_id]


def _id_of(one: OutcomeRecord | Recap) -> str:
    return one.webhook_event_id if isinstance(one, OutcomeRecord) else one.id
