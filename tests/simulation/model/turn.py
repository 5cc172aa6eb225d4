"""The turn as a state machine: compare-and-swap is its only transition, so whoever holds the newest generation holds the turn.

idle -> thinking -> committed -> (recorded: as good as idle)
        expired: anybody may open anew; committed and expired: anybody may take over, by a swap as well
"""

from dataclasses import replace

from tests.simulation.model.bucket import Stored
from tests.simulation.model.records import Outcome, Turn
from tests.simulation.model.world import TURN, Held, Run, Steps
from tests.simulation.product.times import LEASE_S


def open_turn(run: Run, stored: Stored[Turn], *, tries: int) -> Steps[Held | None]:
    """Take the turn at the generation read.  None: somebody was faster."""
    held = _held(run, stored)
    turn = Turn(state="thinking", holder=held.holder, tries=tries, sequence=stored.value.sequence)
    return held if (yield from _swap(run, held, turn, fenced=False)) else None


def take_over(run: Run, stored: Stored[Turn]) -> Steps[Held | None]:
    """Take a committed outcome from a holder who is late.  A swap: the holder's next one is lost.  None: somebody was faster."""
    held = _held(run, stored)
    if not run.guards.takes_over_by_swap:
        return held
    return held if (yield from _swap(run, held, replace(stored.value, holder=held.holder), fenced=False)) else None


def renew(run: Run, held: Held, prompt: Outcome) -> Steps[bool]:
    """The lease begins anew.  False: the turn is lost, or something in the prompt was withdrawn or edited."""
    while not (yield from _swap(run, held, held.turn)):
        if not (yield from _still_thinking(run, held, prompt)):
            return False
    return True


def commit(run: Run, held: Held, outcome: Outcome) -> Steps[Outcome | None]:
    """Return the outcome as committed.  None: the turn is lost, or something in the outcome was withdrawn or edited."""
    while True:
        numbered = replace(outcome, sequence=held.turn.sequence + 1)
        turn = Turn(state="committed", holder=held.holder, outcome=numbered, sequence=numbered.sequence)
        if (yield from _swap(run, held, turn)):
            return numbered
        if not (yield from _still_thinking(run, held, outcome)):
            return None


def amend(run: Run, held: Held, outcome: Outcome) -> Steps[Outcome | None]:
    """The committed outcome changed its route, or lost its words; return it as it stands.  None: somebody took over."""
    while not (yield from _swap(run, held, replace(held.turn, outcome=outcome))):
        stored = yield from run.read_turn()
        turn = stored.value
        if turn.state != "committed" or turn.holder != held.holder or turn.outcome is None:
            return None
        if not turn.outcome.holds_words:  # an unsend passed, and what it took stays out
            outcome = outcome.without_words()
        held.turn, held.generation = turn, stored.generation
    return outcome


def release(run: Run, held: Held) -> Steps[None]:
    """The turn is idle again, unless somebody else has it."""
    while not (yield from _swap(run, held, Turn(sequence=held.turn.sequence))):
        stored = yield from run.read_turn()
        mine = stored.value.state == held.turn.state and stored.value.holder == held.holder
        if not mine:
            return
        held.turn, held.generation = stored.value, stored.generation


def _held(run: Run, stored: Stored[Turn]) -> Held:
    return Held(
        holder=run.world.number(), turn=stored.value, generation=stored.generation, fence_s=run.fence_s(), run=run
    )


def _swap(run: Run, held: Held, turn: Turn, *, fenced: bool = True) -> Steps[bool]:
    """Every swap by the holder renews the lease, from before it was sent."""
    fence_s = run.fence_s()
    turn = replace(turn, expires_s=run.wall_s + LEASE_S, writer=run.world.number())
    generation = yield from run.write(TURN, turn, held.generation, held=held if fenced else None)
    if generation is None:
        return False
    held.turn, held.generation, held.fence_s = turn, generation, fence_s
    run.world.holders[held.holder] = held
    return True


def _still_thinking(run: Run, held: Held, prompt: Outcome) -> Steps[bool]:
    """A swap was lost: go on at the newest generation if that was an unsend of something that the prompt does not hold."""
    stored = yield from run.read_turn()
    turn = stored.value
    if turn.state != "thinking" or turn.holder != held.holder:
        run.world.truth.lost_turns += 1
        if run.guards.checks_holder_on_commit:
            return False
    held.turn, held.generation = turn, stored.generation
    if run.guards.heeds_cancelled and prompt.holds(turn.cancelled, turn.erased_s):
        yield from release(run, held)
        return False
    return True
