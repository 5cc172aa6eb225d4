"""Finish a committed outcome: spend its token, apply its writes, record it.  Every step may be repeated by whoever takes over."""

from dataclasses import replace
from typing import Final

from tests.simulation.model import turn
from tests.simulation.model.entries import apply_writes, clean_entries
from tests.simulation.model.line import Fate
from tests.simulation.model.reading import outcome_name, read_amendments
from tests.simulation.model.records import PUSH, Kind, Outcome
from tests.simulation.model.world import Held, LapsedError, Run, Steps
from tests.simulation.product.times import ANSWERABLE_S, SKEW_S

_CALLS: Final = 3
_PAUSE_S: Final = 0.5


def finish(run: Run, held: Held, outcome: Outcome, *, taken_over: bool) -> Steps[bool]:
    """The outcome is recorded, and said if there was anything to say.  False: it was touched before anybody asked LINE; think again.

    Repeated, by whoever takes over: same text, same route, one record.
    """
    amendments = yield from read_amendments(run)
    if run.guards.looks_before_send and amendments.touch(outcome):
        if not taken_over or not run.guards.withdraws_when_taken_over:
            yield from turn.release(run, held)
            return False
        outcome = outcome.without_words("withdrawn")
        if (yield from turn.amend(run, held, outcome)) is None:
            raise LapsedError
    elif outcome.text is not None:
        spoken = yield from _spoken(run, held, outcome, taken_over=taken_over)
        if spoken is None:
            yield from turn.release(run, held)
            return False
        outcome = spoken
    yield from apply_writes(run, held, outcome)
    yield from _record(run, held, replace(outcome, writes=()))
    return True


def first_route(run: Run, outcome: Outcome) -> str | None:
    """Return the way that the outcome goes: its freshest token that may be alive, or the late way."""
    return _next_route(run, outcome, tried=())


def take_words_out(run: Run, name: str) -> Steps[None]:
    """A recorded outcome keeps its kind and loses its words.  Gone: a compaction folded it, and the snapshot is rewritten anyway."""
    while True:
        stored = yield from run.read(name, Outcome)
        if stored is None or not stored.value.holds_words:
            return
        if (yield from run.write(name, stored.value.without_words(), stored.generation)) is not None:
            return


def _spoken(run: Run, held: Held, outcome: Outcome, *, taken_over: bool) -> Steps[Outcome | None]:
    """Spend the route.  A refused token leads to the next freshest, and the turn says so before that one is used.

    None: withdrawn on the way, and it is certain that nothing arrived.
    """
    tried: list[str] = []
    while outcome.route is not None:
        kind = yield from _asked(run, held, outcome, taken_over=taken_over)
        if kind is not None:
            return replace(outcome, kind=kind)
        tried.append(outcome.route)
        outcome = replace(outcome, route=_next_route(run, outcome, tried=tuple(tried)))
        if not run.guards.commits_route:
            continue
        amended = yield from turn.amend(run, held, outcome)
        if amended is None:
            raise LapsedError
        if amended.text is None:
            return None
    return replace(outcome, kind="undelivered")


def _asked(run: Run, held: Held, outcome: Outcome, *, taken_over: bool) -> Steps[Kind | None]:
    """Return the kind that this route makes of the outcome, or None where it is certain that nothing arrived."""
    asked_before = taken_over
    for _ in range(_CALLS):
        if outcome.route == PUSH and _is_old(run, outcome):
            return "unknown" if asked_before else "undelivered"
        yield "reply"
        run.check_fence(held.fence_s)
        fate = _call(run, outcome)
        if fate == "delivered":
            return outcome.kind
        if fate == "refused":
            return _after_400(run, outcome, asked_before=asked_before)
        asked_before = True
        yield _PAUSE_S
    return "unknown"


def _call(run: Run, outcome: Outcome) -> Fate:
    world = run.world
    text = outcome.text or ""
    if any(word in text for word in world.truth.forgotten):
        world.broken("I4: withdrawn words were said after the withdrawal was handled")
    committed_s = world.truth.committed_s.get(outcome.sequence, world.now_s)
    if any(world.truth.withdrawn_s.get(one, committed_s) < committed_s for one in (*outcome.covers, *outcome.saw)):
        world.broken("I4: something was said although it had been taken back before the commit")
    if outcome.route == PUSH:
        if world.now_s - outcome.newest_s > ANSWERABLE_S:
            world.broken("I6: an answer was pushed more than 20 minutes after its question")
        key = outcome.id if run.guards.uses_retry_key else None
        return world.line.push(key, outcome, text, now_s=world.now_s)
    return world.line.reply(outcome.route or "", outcome, text, now_s=world.now_s)


def _after_400(run: Run, outcome: Outcome, *, asked_before: bool) -> Kind | None:
    """The committing run's first call was refused.  A repeated one met a spent token if the token is alive; if not, nobody knows."""
    guards = run.guards
    if not asked_before:
        return None if guards.first_400_is_refused else outcome.kind
    received_s = max(token.received_s for token in outcome.tokens if token.reply_token == outcome.route)
    if run.token_is_sure(received_s):
        return outcome.kind if guards.young_repeated_400_is_spent else None
    return "unknown" if guards.late_repeated_400_is_unknown else None


def _next_route(run: Run, outcome: Outcome, *, tried: tuple[str, ...]) -> str | None:
    fresh = sorted(outcome.tokens, key=lambda token: token.received_s, reverse=True)
    left = [one for one in fresh if one.reply_token not in tried and not run.token_is_dead(one.received_s)]
    if left and (run.guards.tries_next_token or not tried):
        return left[0].reply_token
    late = run.world.late_reply == "push" and PUSH not in tried and not _is_old(run, outcome)
    return PUSH if late else None


def _is_old(run: Run, outcome: Outcome) -> bool:
    return run.guards.pushes_young_only and run.wall_s + SKEW_S - outcome.newest_s >= ANSWERABLE_S


def _record(run: Run, held: Held, outcome: Outcome) -> Steps[None]:
    """The outcome is recorded, created once; whoever writes words of people looks once more after it."""
    name = outcome_name(outcome.id)
    snapshot = yield from run.read_snapshot()
    if outcome.id not in snapshot.value.outcomes:
        yield from run.write(name, outcome, 0, held=held)
    if not run.guards.looks_after_outcome:
        return
    amendments = yield from read_amendments(run)
    if amendments.touch(outcome):
        yield from take_words_out(run, name)
        yield from turn.amend(run, held, outcome.without_words())
        yield from clean_entries(run, amendments)
