"""The model's part of a turn: a lease that is renewed, amendments looked at before every call, "still thinking" in time."""

from dataclasses import dataclass, replace

from tests.simulation.model import turn
from tests.simulation.model.late import Errand, defer, is_due, seconds_until_due, store
from tests.simulation.model.reading import View, read_amendments
from tests.simulation.model.records import Amendments, Line, Message, Outcome, StagedWrite
from tests.simulation.model.world import Held, KilledError, Run, Steps
from tests.simulation.product.times import FENCE_S, RENEW_S, TRIES

SORRY = "sorry"
_ENTRIES = 2


def draft_of(run: Run, view: View, errand: Errand, own: Message) -> Outcome:
    """Return what is known of the outcome before anybody thinks.  Its id is the newest message's; its own receipt may be fresher."""
    newest = errand.todo[-1]
    fresh = {one.id: one.token for one in errand.todo}
    if own.id in fresh and own.token.received_s > fresh[own.id].received_s:
        fresh[own.id] = own.token
    return Outcome(
        id=newest.id,
        kind="skipped",
        covers=tuple(one.id for one in errand.todo),
        saw=view.saw,
        since_s=view.since_s if run.guards.outcomes_tell_since else errand.todo[0].timestamp_s,
        newest_s=newest.timestamp_s,
        text=None,
        tokens=tuple(fresh.values()),
        answers=errand.answers,
    )


def apology(draft: Outcome) -> Outcome:
    """Return the words for when there are none.  Nothing is made good by them."""
    return replace(draft, kind="apologised", text=SORRY, saw=(), answers=())


def decide(run: Run, held: Held, view: View, errand: Errand, draft: Outcome) -> Steps[Outcome | None]:
    """Return the outcome to commit.  None: there is nothing (more) to commit in this turn; look at the chat again."""
    if errand.settled:
        return replace(draft, saw=())
    if errand.stored is not None:
        saw = tuple(sorted({*errand.stored.covers, *errand.stored.saw}))
        since_s = min(errand.stored.since_s, *(one.timestamp_s for one in errand.todo))
        return replace(
            draft, kind="replied", text=errand.stored.text, writes=errand.stored.writes, saw=saw, since_s=since_s
        )
    if held.turn.tries >= TRIES:
        return apology(draft)
    return (yield from _thought(run, held, view, errand, draft))


def _thought(run: Run, held: Held, view: View, errand: Errand, draft: Outcome) -> Steps[Outcome | None]:
    mind = run.world.mind
    seconds = run.world.rng.uniform(*mind.seconds) / mind.rounds
    deferred = False
    for _ in range(mind.rounds):
        looked_s, fence_s = run.monotonic_s, run.fence_s()
        amendments = yield from read_amendments(run)
        if run.guards.looks_before_model and (amendments.touch(draft) or _edited(view, amendments)):
            if not deferred:
                yield from turn.release(run, held)
            return None
        yield "model"
        run.check_fence(fence_s if deferred else held.fence_s)
        _ask(run, view, looked_s)
        answered = yield from _nap(run, held, draft, seconds, deferred=deferred)
        if answered is None:
            return None
        deferred = answered.deferred
    outcome = _said(run, view, errand, draft)
    if deferred:
        yield from store(run, outcome)
        return None
    return outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    deferred: bool


def _nap(run: Run, held: Held, draft: Outcome, seconds: float, *, deferred: bool) -> Steps[_Answered | None]:
    """The model answered; meanwhile the lease was renewed, or "still thinking" was said.  None: begin again."""
    left_s = seconds
    while left_s > 0:
        if not deferred and is_due(run, draft):
            deferred = yield from defer(run, held, draft)
            if not deferred:
                return None
        nap_s = left_s if deferred else min(left_s, _until_renewal(run, held), seconds_until_due(run, draft))
        yield nap_s
        left_s -= nap_s
        overdue = not deferred and run.guards.renews_lease and _until_renewal(run, held) <= 0
        if overdue and not (yield from turn.renew(run, held, draft)):
            return None
    return _Answered(deferred=deferred)


def _until_renewal(run: Run, held: Held) -> float:
    """Seconds since the last swap count, not model calls: a renewal may meet 429 and a lost answer before the fence."""
    renewed_s = held.fence_s - FENCE_S
    return max(renewed_s + RENEW_S - run.monotonic_s, 0.0) if run.guards.renews_lease else RENEW_S


def _edited(view: View, amendments: Amendments) -> bool:
    return any(amendments.overlaid(one).text != one.text for one in view.messages.values())


def _ask(run: Run, view: View, looked_s: float) -> None:
    """The prompt goes out: everything that is known, so that withdrawn words have every chance to survive."""
    world, truth = run.world, run.world.truth
    texts = " ".join(one.text for one in view.messages.values())
    said = " ".join(one.text or "" for one in view.said)
    truth.model_calls += 1
    if any(word in texts or word in said for word in truth.forgotten):
        world.broken("I4: a prompt that started after the withdrawal held withdrawn words")
    if any(word in texts and handled_s < looked_s for word, handled_s in truth.superseded.items()):
        world.broken("I4: a prompt that started after an edit held the old text")
    if world.mind.poison & set(view.messages):
        raise KilledError


def _said(run: Run, view: View, errand: Errand, draft: Outcome) -> Outcome:
    """The model answers by repeating its whole prompt, files what it was asked, or has nothing to say, or is down."""
    world, mind = run.world, run.world.mind
    if world.rng.random() < mind.downs:
        return apology(draft)
    if world.rng.random() < mind.skips:
        return draft
    texts = " ".join((*(one.text for one in view.messages.values()), *(one.text or "" for one in view.said)))
    files = world.rng.random() < mind.files
    writes = tuple(
        StagedWrite(
            entry=f"notes-{world.rng.randrange(_ENTRIES)}",
            line=Line(text=f"note {world.number()}: {one.text}", line_message_id=one.id, timestamp_s=one.timestamp_s),
        )
        for one in errand.todo
        if files and one.presses is None
    )
    return replace(draft, kind="replied", text=f"re: {texts}", writes=writes)
