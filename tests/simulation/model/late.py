"""The button: "still thinking" before the token dies, the answer stored, and what a press of the button gets.

A deferral's id is its button's. A press may be deferred in its turn; that deferral prolongs the first. An outcome says which it makes good.
"""

from dataclasses import dataclass, replace

from tests.simulation.model import turn
from tests.simulation.model.reading import View, outcome_name, read_amendments
from tests.simulation.model.records import Message, Outcome
from tests.simulation.model.speaking import finish, first_route, take_words_out
from tests.simulation.model.world import Held, Run, Steps
from tests.simulation.product.times import DEFER_S

STILL_THINKING = "still thinking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """What a turn is for: what it covers, and the deferrals that it makes good.

    `stored` is the answer that was thought already, `settled` tells that everything was said before.
    """

    todo: tuple[Message, ...]
    answers: tuple[str, ...] = ()
    stored: Outcome | None = None
    settled: bool = False


def errand(run: Run, view: View) -> Errand:
    """A press whose answer is stored gets a turn of its own, which is short; everything else that is pending is answered together.

    An answer is sent only if nothing of what it answers was delivered, or perhaps delivered, by another one.
    """
    delivered = _delivered(view) if run.guards.asks_delivered_already else frozenset()
    wanted = {press.id: _open(view, press, delivered) for press in view.pending if press.presses is not None}
    stored = _stored(view, {root for roots in wanted.values() for root in roots}, delivered)
    if stored is not None:
        todo = tuple(one for one in view.pending if set(wanted.get(one.id, ())) & set(stored.answers))
        made_good = {root for one in _answering(view) for root in one.answers}
        if made_good & set(stored.answers):  # it was carried before, in vain, and its writes with it
            stored = replace(stored, writes=())
        return Errand(todo=todo, answers=stored.answers, stored=stored)
    answers = tuple(sorted({root for roots in wanted.values() for root in roots}))
    return Errand(
        todo=view.pending, answers=answers, settled=len(wanted) == len(view.pending) and not any(wanted.values())
    )


def is_due(run: Run, draft: Outcome) -> bool:
    """Whether the freshest token has just enough life left to say "still thinking"."""
    if run.world.late_reply != "button" or not run.guards.defers:
        return False
    received_s = max(token.received_s for token in draft.tokens)
    return run.wall_s - received_s >= DEFER_S and not run.token_is_dead(received_s)


def seconds_until_due(run: Run, draft: Outcome) -> float:
    """Return how long a thinking holder may nap before it has to defer."""
    due_s = max(token.received_s for token in draft.tokens) + DEFER_S - run.wall_s
    return due_s if run.world.late_reply == "button" and run.guards.defers and due_s > 0 else DEFER_S


def defer(run: Run, held: Held, draft: Outcome) -> Steps[bool]:
    """ "Still thinking" is committed and finished, with a button.  False: the turn is lost, or has to begin again."""
    roots = (draft.id, *draft.answers) if run.guards.keeps_roots else (draft.id,)
    deferral = replace(
        draft,
        kind="deferred",
        saw=(),
        text=STILL_THINKING,
        route=first_route(run, draft),
        answers=roots,
        has_button=True,
    )
    committed = yield from turn.commit(run, held, deferral)
    return committed is not None and (yield from finish(run, held, committed, taken_over=False))


def store(run: Run, outcome: Outcome) -> Steps[None]:
    """The late answer waits for a press, unless something in it was withdrawn.  A look is good for one lease; then another is due."""
    if outcome.kind != "replied":
        return
    roots = (outcome.id, *outcome.answers) if run.guards.keeps_roots else (outcome.id,)
    late = replace(outcome, id=f"{outcome.id}.late", kind="stored", tokens=(), route=None, answers=roots)
    name = outcome_name(late.id)
    while True:
        fence_s = run.fence_s()
        if run.guards.looks_before_storing and (yield from read_amendments(run)).touch(late):
            return
        yield "store"
        if run.monotonic_s < fence_s or not run.guards.looks_before_storing:
            break
    yield from run.write(name, late, 0)
    if run.guards.looks_after_storing and (yield from read_amendments(run)).touch(late):
        yield from take_words_out(run, name)


def _answering(view: View) -> tuple[Outcome, ...]:
    return tuple(one for one in view.outcomes.values() if not one.has_button and one.kind != "stored")


def _delivered(view: View) -> frozenset[str]:
    """Deferrals whose answer arrived, or may have."""
    return frozenset(root for one in _answering(view) if one.kind in {"replied", "unknown"} for root in one.answers)


def _open(view: View, press: Message, delivered: frozenset[str]) -> tuple[str, ...]:
    """The deferrals behind a button that still want an answer: not delivered, and some question of theirs still stands.

    A press is no question: a deferral that covers presses only stands for those that it prolongs.
    """
    deferral = view.outcomes.get(press.presses or "")
    roots = deferral.answers if deferral else ()
    return tuple(root for root in roots if root not in delivered and _stands(view, root))


def _stands(view: View, root: str) -> bool:
    deferral = view.outcomes.get(root)
    if deferral is None:
        return False
    return any(one in view.messages and view.messages[one].presses is None for one in deferral.covers)


def _stored(view: View, wanted: set[str], delivered: frozenset[str]) -> Outcome | None:
    fitting = [
        one
        for one in view.outcomes.values()
        if one.kind == "stored"
        and one.text is not None
        and wanted & set(one.answers)
        and not delivered & set(one.answers)
    ]
    return max(fitting, key=lambda one: (one.newest_s, one.id), default=None)
