"""Compact: fold what is answered, or mere context, or too old to be answered, into the snapshot."""

from dataclasses import replace

from tests.simulation.model.reading import JOURNAL, OUTCOME, message_name, outcome_name, read_amendments
from tests.simulation.model.records import Message, Outcome
from tests.simulation.model.unsend import cleaned
from tests.simulation.model.world import SNAPSHOT, Run, Steps
from tests.simulation.product.times import ANSWERABLE_S, SKEW_S


def compact(run: Run) -> Steps[None]:
    """The journal is shorter, and readers see the same.

    Snapshot, then amendments, then outcomes, then messages; swap; delete messages, then outcomes.  Repeated: finds less to do.
    """
    snapshot = yield from run.read_snapshot()
    amendments = yield from read_amendments(run)
    outcomes = yield from _outcomes(run)
    messages = yield from _messages(run)
    covered = {one for outcome in outcomes.values() for one in outcome.covers}
    old_s = run.wall_s - ANSWERABLE_S - SKEW_S
    folded = {
        one: message
        for one, message in messages.items()
        if not amendments.withdraw(message) and (one in covered or not message.addressed or message.timestamp_s < old_s)
    }
    there = {*folded, *snapshot.value.messages}
    done = {
        one: outcome
        for one, outcome in outcomes.items()
        if all(message in there or message not in messages for message in outcome.covers)
    }
    value = cleaned({**snapshot.value.messages, **folded}, {**snapshot.value.outcomes, **done}, amendments)
    swapped = replace(value, writer=run.world.number())
    if (yield from run.write(SNAPSHOT, swapped, snapshot.generation)) is None:
        return
    for one in folded:
        yield from run.delete(message_name(one))
    for one in done:
        yield from run.delete(outcome_name(one))


def _outcomes(run: Run) -> Steps[dict[str, Outcome]]:
    found = {}
    for name in (yield from run.names(JOURNAL)):
        if name.endswith(OUTCOME):
            stored = yield from run.read(name, Outcome)
            if stored is not None:
                found[stored.value.id] = stored.value
    return found


def _messages(run: Run) -> Steps[dict[str, Message]]:
    found = {}
    for name in (yield from run.names(JOURNAL)):
        if not name.endswith(OUTCOME):
            stored = yield from run.read(name, Message)
            if stored is not None:
                found[stored.value.id] = stored.value
    return found
