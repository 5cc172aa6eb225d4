"""What a request knows of the chat: the amendments, and journal and snapshot overlaid with them."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from tests.simulation.model.bucket import Stored
from tests.simulation.model.records import Amendment, Amendments, Message, Outcome, Snapshot, Watermark
from tests.simulation.model.world import ERASED, SNAPSHOT, Run, Steps
from tests.simulation.product.times import ANSWERABLE_S

JOURNAL = "journal/"
AMENDED = "amended/"
OUTCOME = ".outcome"
_BodyT = TypeVar("_BodyT", Message, Outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The chat as of one reading, without what was withdrawn; messages by LINE's timestamp."""

    messages: Mapping[str, Message]
    outcomes: Mapping[str, Outcome]
    amendments: Amendments
    pending: tuple[Message, ...]

    @property
    def said(self) -> tuple[Outcome, ...]:
        """Outcomes whose text a prompt shows."""
        return tuple(outcome for outcome in self.outcomes.values() if outcome.text is not None)

    @property
    def saw(self) -> tuple[str, ...]:
        """Every message whose words a prompt made of this can hold, also inside answers that repeat them."""
        repeated = (one for outcome in self.said for one in (*outcome.covers, *outcome.saw))
        return tuple(sorted({*self.messages, *repeated}))

    @property
    def since_s(self) -> float:
        """The oldest timestamp among what `saw` names."""
        stamps = (*(one.timestamp_s for one in self.messages.values()), *(one.since_s for one in self.said))
        return min(stamps)


def read_amendments(run: Run) -> Steps[Amendments]:
    """Look at what was withdrawn, erased and edited."""
    watermark = yield from run.read(ERASED, Watermark)
    found: dict[str, Amendment] = {}
    for name in (yield from run.names(AMENDED)):
        stored = yield from run.read(name, Amendment)
        if stored is not None:
            found[stored.value.line_message_id] = stored.value
    return Amendments(
        edits={one: amendment for one, amendment in found.items() if amendment.text is not None},
        withdrawn=frozenset(one for one, amendment in found.items() if amendment.text is None),
        erased_s=watermark.value.timestamp_s if watermark else -1.0,
    )


def look(run: Run) -> Steps[View | None]:
    """Read the chat in two rounds: listings beside the snapshot, then the bodies beside the snapshot's generation.

    None: a compaction passed, begin again. Between the listing and a body, the listed object is gone; between the snapshot and the
    listing, only the snapshot's generation tells.
    """
    found = yield from _first_round(run)
    messages = dict(found.snapshot.value.messages)
    outcomes = dict(found.snapshot.value.outcomes)
    calls = [SNAPSHOT, *found.names]
    run.world.rng.shuffle(calls)
    for name in calls:
        if name == SNAPSHOT:
            generation = (yield from run.read_snapshot()).generation
            if run.guards.checks_snapshot_again and generation != found.snapshot.generation:
                return None
            continue
        if name.endswith(OUTCOME):
            there = yield from _add(run, name, outcomes, Outcome)
        else:
            there = yield from _add(run, name, messages, Message)
        if not there and run.guards.begins_again_when_gone:
            return None
    return _view(run, messages.values(), outcomes, found.amendments)


def _add(run: Run, name: str, records: dict[str, _BodyT], kind: type[_BodyT]) -> Steps[bool]:
    stored = yield from run.read(name, kind)
    if stored is not None:
        records[stored.value.id] = stored.value
    return stored is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    names: tuple[str, ...]
    amendments: Amendments
    snapshot: Stored[Snapshot]


def _first_round(run: Run) -> Steps[_Found]:
    found = _Found(
        names=(), amendments=Amendments(edits={}, withdrawn=frozenset(), erased_s=-1.0), snapshot=Stored(Snapshot(), 0)
    )
    calls = [JOURNAL, AMENDED, SNAPSHOT]
    run.world.rng.shuffle(calls)
    for call in calls:
        if call == JOURNAL:
            found = replace(found, names=(yield from run.names(JOURNAL)))
        elif call == AMENDED:
            found = replace(found, amendments=(yield from read_amendments(run)))
        else:
            found = replace(found, snapshot=(yield from run.read_snapshot()))
    return found


def _view(run: Run, messages: Iterable[Message], outcomes: Mapping[str, Outcome], amendments: Amendments) -> View:
    standing = [amendments.overlaid(one) for one in messages if not amendments.withdraw(one)]
    shown = sorted(standing, key=lambda message: message.timestamp_s)
    covered = {one for outcome in outcomes.values() for one in outcome.covers}
    young = run.wall_s - ANSWERABLE_S if run.guards.answers_young_only else -math.inf
    return View(
        messages={message.id: message for message in shown},
        outcomes={
            one: outcome.without_words() if amendments.touch(outcome) else outcome for one, outcome in outcomes.items()
        },
        amendments=amendments,
        pending=tuple(one for one in shown if one.addressed and one.id not in covered and one.timestamp_s > young),
    )


def message_name(line_message_id: str) -> str:
    """Return where a message is journalled."""
    return f"{JOURNAL}{line_message_id}"


def outcome_name(outcome_id: str) -> str:
    """Return where an outcome is recorded."""
    return f"{JOURNAL}{outcome_id}{OUTCOME}"


def amended_name(line_message_id: str) -> str:
    """Return where a message's amendment is kept."""
    return f"{AMENDED}{line_message_id}"
