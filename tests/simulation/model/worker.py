"""Answer a message: record it, take the turn or wait for it, think, commit, finish; acknowledge only what came to its end."""

from dataclasses import replace

from tests.simulation.model import turn
from tests.simulation.model.bucket import Stored
from tests.simulation.model.entries import apply_writes
from tests.simulation.model.late import errand
from tests.simulation.model.reading import View, look, message_name, read_amendments
from tests.simulation.model.records import Message, Outcome, Turn
from tests.simulation.model.speaking import finish, first_route
from tests.simulation.model.thinking import decide, draft_of
from tests.simulation.model.world import Held, LapsedError, NackError, Run, Steps
from tests.simulation.product.times import OPEN_S, SETTLE_S

_POLL_S = 0.5


def answer(run: Run, message: Message) -> Steps[None]:
    """The message is covered by an outcome, withdrawn, or mere context.  Repeated: as often as you like."""
    stands = yield from record(run, message)
    if not stands or not message.addressed:
        return
    yield SETTLE_S
    covered = False
    while not covered:
        try:
            covered = yield from _turn(run, message)
        except LapsedError:
            continue


def record(run: Run, message: Message) -> Steps[bool]:
    """Return whether the message stands: it is journalled with its newest text, or it was withdrawn.

    Whoever writes words of people looks at the amendments after the write, because an unsend or an edit may have passed before it.
    """
    name = message_name(message.id)
    snapshot = yield from run.read_snapshot()
    if message.id not in snapshot.value.messages:
        yield from run.write(name, message, 0)
    if not run.guards.looks_after_record:
        return True
    amendments = yield from read_amendments(run)
    if amendments.withdraw(message):
        yield from run.delete(name)
        return False
    if message.id in amendments.edits:
        yield from bring_up_to_date(run, message.id)
    return True


def bring_up_to_date(run: Run, line_message_id: str) -> Steps[None]:
    """The journal holds the newest text, if it holds the message at all.  Message, then amendments, then swap: no older edit wins."""
    name = message_name(line_message_id)
    while run.guards.rewrites_edited_record:
        stored = yield from run.read(name, Message)
        if stored is None:
            return
        amendments = yield from read_amendments(run)
        edited = amendments.overlaid(stored.value)
        if edited == stored.value or (yield from run.write(name, edited, stored.generation)) is not None:
            return


def _turn(run: Run, message: Message) -> Steps[bool]:
    """One look at the chat, and what has to be done about it.  True: the message is covered, or not to be answered any more.

    Raises: NackError, where the request is too old to open a turn; the next delivery has all its time.
    """
    if run.guards.reads_turn_before_list:
        stored = yield from run.read_turn()
        view = yield from look(run)
    else:
        view = yield from look(run)
        stored = yield from run.read_turn()
    if view is None:
        return False
    current = stored.value
    unfinished = current.outcome is not None and current.outcome.id not in view.outcomes
    if message.id not in {one.id for one in view.pending} and not (unfinished and _finishes(run, current, message)):
        return True
    taken = current.state == "thinking" or unfinished
    if taken and run.wall_s < current.expires_s and (run.guards.waits_for_live_holder or unfinished):
        if not run.guards.acknowledges_own_only:
            return True
        yield from _wait(run, stored)
    elif unfinished and current.outcome is not None:
        held = yield from turn.take_over(run, stored)
        if held is not None:
            yield from finish(run, held, current.outcome, taken_over=True)
    elif run.monotonic_s - run.started_s > OPEN_S and run.guards.opens_in_time:
        raise NackError
    else:
        tries = current.tries + 1 if current.state == "thinking" and run.guards.counts_tries else 0
        held = yield from turn.open_turn(run, stored, tries=tries)
        if held is not None:
            yield from _answer(run, held, view, message)
    return False


def _finishes(run: Run, current: Turn, message: Message) -> bool:
    """Whether a committed outcome needs this delivery: its messages may have grown too old to be pending before it was recorded."""
    return run.guards.finishes_own_outcome and current.outcome is not None and message.id in current.outcome.covers


def _wait(run: Run, stored: Stored[Turn]) -> Steps[None]:
    """Until the turn moved, or its lease is over.  Whether a committed outcome was recorded only the journal tells: look there again."""
    while True:
        yield _POLL_S + run.world.rng.random() * _POLL_S
        if stored.value.state == "committed" or run.wall_s >= stored.value.expires_s:
            return
        if (yield from run.read_turn()).generation != stored.generation:
            return


def _answer(run: Run, held: Held, view: View, message: Message) -> Steps[None]:
    """Think, commit, finish.  Nothing is sent, and nothing filed, that was not committed first."""
    what = errand(run, view)
    outcome = yield from decide(run, held, view, what, draft_of(run, view, what, message))
    if outcome is None:
        return
    outcome = replace(outcome, route=first_route(run, outcome) if outcome.text is not None else None)
    yield from _too_early(run, held, outcome)
    committed = yield from turn.commit(run, held, outcome)
    if committed is not None:
        yield from finish(run, held, committed, taken_over=False)


def _too_early(run: Run, held: Held, outcome: Outcome) -> Steps[None]:
    """What a worker does that does not wait for the commit."""
    if not run.guards.writes_after_commit:
        yield from apply_writes(run, held, replace(outcome, sequence=held.turn.sequence + 1))
    if not run.guards.commits_before_send and outcome.text is not None and outcome.route is not None:
        yield "reply"
        run.world.line.reply(outcome.route, outcome, outcome.text, now_s=run.world.now_s)
