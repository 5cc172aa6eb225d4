"""A chat's memory on in-memory ports."""

import itertools
from concurrent.futures import Executor

from shared.adapters.memory import FixedClock
from shared.clock import Clock
from shared.conversation.bodies import Bodies
from shared.conversation.journal import Journal
from shared.conversation.object_store import ObjectStore
from shared.conversation.turn import Turns


def turns_on(store: ObjectStore, clock: Clock | None = None, *, lease_s: float = 25.0) -> Turns:
    """Return the turns of a bucket; ids are numbers."""
    numbers = itertools.count(1)
    return Turns(store=store, clock=clock or FixedClock(), new_id=lambda: f"id-{next(numbers)}", lease_s=lease_s)


def journal_on(store: ObjectStore, reads: Executor, turns: Turns | None = None) -> Journal:
    """Return the journal of a bucket."""
    return Journal(store=store, bodies=Bodies(store=store), turns=turns or turns_on(store), reads=reads)
