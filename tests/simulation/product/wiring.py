"""The composition of the product on the simulation's ports: what functions/*/compose.py does on the real ones."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from functions.unsend.withdraw import Withdraw
from shared.agent.tools import Registry
from shared.bus.endpoint import PushEndpoint
from shared.conversation.compaction import MemoryLimits
from shared.conversation.store import Memory
from shared.knowledge.entry_store import StoredEntries
from shared.knowledge.filed_entries import FiledEntries
from shared.tools.core import core_tools
from shared.turns.late_reply import LateReply
from tests.simulation.model.times import LEASE_S, SETTLE_S
from tests.simulation.product.bucket import Bucket
from tests.simulation.product.holders import Holders
from tests.simulation.product.line import Line
from tests.simulation.product.mind import Mind
from tests.simulation.product.scheduler import Process
from tests.simulation.product.threads import Background, NoPool, Pool
from tests.simulation.product.world import ProcessClock, World
from tests.support.workers import WorkerPorts, worker_on

Endpoint: TypeAlias = Callable[[str, bytes], tuple[str, int]]
_REGISTRY: Final = Registry(core_tools())
SMALL: Final = MemoryLimits(journalled=2, verbatim=3, summed_up=2, recaps_at_once=2, recaps=2, sources=4)
"""So that a chat of a few messages is folded and summed up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a deployment chooses."""

    late_reply: LateReply = LateReply.BUTTON
    settle_s: float = SETTLE_S
    limits: MemoryLimits = SMALL


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """What all processes meet outside of themselves."""

    world: World
    holders: Holders
    line: Line
    mind: Mind
    settings: Settings


def agent_worker(ports: Ports, process: Process) -> Endpoint:
    """Return the endpoint of a process of functions/agent_worker."""
    world, memory = ports.world, _memory(ports, process)
    clock, pool = ProcessClock(world, process), Pool(world.scheduler, process)
    parts = WorkerPorts(
        memory=memory,
        line=ports.line,
        model=ports.mind,
        clock=clock,
        tools=pool,
        background=Background(world.scheduler, pool),
        presence=NoPool(),
        chance=world.rng,
        late_reply=ports.settings.late_reply,
        settle_s=ports.settings.settle_s,
        limits=ports.settings.limits,
        registry=_REGISTRY,
    )
    return PushEndpoint(handle=worker_on(parts), clock=clock)


def unsend(ports: Ports, process: Process) -> Endpoint:
    """Return the endpoint of a process of functions/unsend."""
    withdraw = Withdraw(withdrawal=_memory(ports, process).withdrawal)
    return PushEndpoint(handle=withdraw, clock=ProcessClock(ports.world, process))


def _memory(ports: Ports, process: Process) -> Memory:
    world = ports.world
    store, reads = Bucket(world, ports.holders), Pool(world.scheduler, process)
    return Memory.on(
        store,
        reads=reads,
        filed=FiledEntries(entries=StoredEntries(store=store, reads=reads), are_shown=False),
        clock=ProcessClock(world, process),
        lease_s=LEASE_S,
        new_id=lambda: f"id-{world.number()}",
    )
