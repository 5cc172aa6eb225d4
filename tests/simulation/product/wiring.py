"""The composition of the product on the simulation's ports: what functions/*/compose.py does on the real ones."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from functions.agent_worker.amend import Edit, Erase
from functions.agent_worker.answer import Answer
from functions.agent_worker.dispatch import Dispatch
from functions.agent_worker.greet import Greet
from functions.unsend.withdraw import Withdraw
from shared.agent.executor import ToolExecutor
from shared.agent.limits import Limits
from shared.agent.loop import Agent
from shared.agent.prompt import Chat
from shared.agent.recaps import Recaps
from shared.agent.tools import Registry
from shared.bus.endpoint import PushEndpoint
from shared.conversation.compaction import Compaction, MemoryLimits
from shared.conversation.memory import Memory
from shared.conversation.talk import Talk
from shared.line.lateness import LateReply
from shared.line.phrases import Phrase, phrase
from shared.tools.core import core_tools
from tests.simulation.model.times import LEASE_S, SETTLE_S
from tests.simulation.product.bucket import Bucket
from tests.simulation.product.holders import Holders
from tests.simulation.product.line import Line
from tests.simulation.product.mind import Mind
from tests.simulation.product.scheduler import Process
from tests.simulation.product.threads import Background, InlinePool, Pool
from tests.simulation.product.world import ProcessClock, World

Endpoint: TypeAlias = Callable[[str, bytes], tuple[str, int]]
_REGISTRY: Final = Registry(core_tools())
_CHAT: Final = Chat()
# Small, so that a chat of a few messages is folded and summed up.
_LIMITS: Final = MemoryLimits(journalled=2, verbatim=3, summed_up=2, recaps_at_once=2, recaps=2, sources=4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """What all processes meet outside of themselves."""

    world: World
    holders: Holders
    line: Line
    mind: Mind
    late_reply: LateReply


def agent_worker(ports: Ports, process: Process) -> Endpoint:
    """Return the endpoint of a process of functions/agent_worker."""
    world, memory = ports.world, _memory(ports, process)
    clock, pool = ProcessClock(world, process), Pool(world.scheduler, process)
    talk = Talk.on(
        memory,
        line=ports.line,
        clock=clock,
        chance=world.rng,
        background=Background(world.scheduler, pool),
        phrase=_say,
        late_reply=ports.late_reply,
    )
    recaps = Recaps(model=ports.mind, chat=_CHAT)
    answer = Answer(
        journal=memory.journal,
        answering=talk.answering,
        compaction=Compaction.on(memory, clock=clock, summarise=recaps, limits=_LIMITS),
        agent=Agent(
            model=ports.mind,
            tools=ToolExecutor(registry=_REGISTRY, threads=pool),
            limits=Limits(),
            clock=clock,
            chance=world.rng,
        ),
        chat=_CHAT,
        presence=ports.line,
        background=InlinePool(),
        clock=clock,
        settle_s=SETTLE_S,
        system_instruction=lambda: "be kind",
        phrase=_say,
    )
    dispatch = Dispatch(
        answer=answer,
        press=answer.press,
        greet=Greet(announce=talk.announcing, clock=clock, phrase=_say),
        edit=Edit(withdrawal=memory.withdrawal),
        erase=Erase(withdrawal=memory.withdrawal),
    )
    return PushEndpoint(handle=dispatch, clock=clock)


def unsend(ports: Ports, process: Process) -> Endpoint:
    """Return the endpoint of a process of functions/unsend."""
    withdraw = Withdraw(withdrawal=_memory(ports, process).withdrawal)
    return PushEndpoint(handle=withdraw, clock=ProcessClock(ports.world, process))


def _memory(ports: Ports, process: Process) -> Memory:
    world = ports.world
    return Memory.on(
        Bucket(world, ports.holders),
        reads=Pool(world.scheduler, process),
        clock=ProcessClock(world, process),
        lease_s=LEASE_S,
        new_id=lambda: f"id-{world.number()}",
    )


def _say(which: Phrase) -> str:
    return phrase(which, locale="ja", bot_name="Aizuchi")
