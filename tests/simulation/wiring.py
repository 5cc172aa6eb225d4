"""The product on the ports of the simulation; functions/*/compose.py does the same on the real ones."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from shared.access.admission import Access, Admissions
from shared.access.budgets import Limits
from shared.access.unadmitted_chats import UnadmittedChats
from shared.adapters.memory import MemoryFiles
from shared.bus.endpoint import PushEndpoint
from shared.composition.assembly import assemble
from shared.composition.ports import NotionPort, Options, Threads
from shared.composition.ports import Ports as WorkerPorts
from shared.conversation.amendment_views import AmendmentTimes, AmendmentViews
from shared.conversation.archive import ARCHIVE_DAYS
from shared.conversation.snapshot import MemoryLimits
from shared.conversation.store import Conversation, Conversations
from shared.conversation.turn import FENCE
from shared.handlers.traces import Traces
from shared.handlers.unsend import UnsendHandler, withdrawal_of
from shared.line.addressing import GroupPolicy
from shared.reminders.delivery import Reminding
from shared.storage.object_cache import ObjectCache
from shared.turns.background import Background
from shared.turns.deferral import LateReply
from tests.simulation.bucket import Bucket
from tests.simulation.holders import Holders
from tests.simulation.line import Line
from tests.simulation.mind import FirstFails, FirstModel, Mind
from tests.simulation.notion import DATABASE, Workspace
from tests.simulation.pages import Pages
from tests.simulation.people import MEMBERS
from tests.simulation.scheduler import Process
from tests.simulation.threads import Event, NoPool, Pool
from tests.simulation.times import LEASE_S
from tests.simulation.withdrawals import Withdrawals
from tests.simulation.world import TICK, ProcessClock, World
from tests.support.calendars import calendar_port
from tests.support.hooks import hook_port
from tests.support.reminders import reminding_tool

Endpoint: TypeAlias = Callable[[str, bytes], tuple[str, int]]
THREADS: Final = 40
"""Requests that an instance handles at once.  Source: infra/terraform, `concurrency`, which is also THREADS of functions-framework."""
READ_THREADS: Final = 32
SMALL: Final = MemoryLimits(journalled=2, verbatim=3, summed_up=2, recaps_at_once=2, recaps=2, sources=4)
"""So that a chat of a few messages is folded and summed up."""
TINY: Final = MemoryLimits(journalled=1, verbatim=1, summed_up=1, recaps_at_once=1, recaps=1, sources=1)
"""So that most of such a chat is archived."""
LEAST: Final = MemoryLimits(journalled=0, verbatim=0, summed_up=1, recaps_at_once=1, recaps=1, sources=1)
"""So that nearly all of a chat is archived at once."""
SMALL_SEGMENT: Final = 2
"""Messages of a segment of the archive, so that a chat of a few messages fills some."""
AMENDMENT_TIMES: Final = AmendmentTimes(reach_s=30.0, seen_s=120.0, folded_after_s=180.0)
"""So short that events are folded within a schedule."""
NO_LIMITS: Final = Limits(turns_per_chat_day=0, tokens_per_chat_day=0, tokens_per_day=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a deployment that schedules vary."""

    late_reply: LateReply = LateReply.BUTTON
    lease_s: float = LEASE_S
    limits: MemoryLimits = SMALL
    budget: Limits = NO_LIMITS
    access: Access = Access.OPEN
    group_policy: GroupPolicy = GroupPolicy.MENTION
    has_knowledge: bool = False
    has_notion: bool = False
    has_embeddings: bool = False
    has_expenses: bool = False
    has_lists: bool = False
    has_links: bool = False
    has_polls: bool = False
    has_hooks: bool = False
    has_calendar: bool = False
    has_translation: bool = False
    reminding: Reminding = Reminding.OFF
    reminder_pushes_per_day: int = 0
    has_archive: bool = True
    segment_messages: int = SMALL_SEGMENT
    threads: int = THREADS
    first_fails: FirstFails | None = None

    @property
    def fence_s(self) -> float:
        """How long after a renewal a holder may write."""
        return self.lease_s * FENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The ports that all processes share."""

    world: World
    holders: Holders
    line: Line
    mind: Mind
    notion: Workspace
    settings: Settings
    withdrawals: Withdrawals


def agent_worker(ports: Ports, process: Process) -> Endpoint:
    """Return the endpoint of a process of functions/agent_worker."""
    world = ports.world
    clock, pool = ProcessClock(world, process), Pool(world.scheduler, process)
    new_event = partial(Event, world.scheduler)
    background = Background(threads=pool, new_event=new_event)
    fails = ports.settings.first_fails
    worker = WorkerPorts(
        conversations=_conversations(ports, process),
        line=ports.line,
        profiles=ports.line.profiles,
        media=ports.line,
        files=MemoryFiles(),
        model=FirstModel(world, fails) if fails is not None else ports.mind,
        fallback_model=ports.mind if fails is not None else None,
        json_model=ports.mind if ports.settings.has_knowledge else None,
        translating_model=ports.mind if ports.settings.has_translation else None,
        embedder=ports.mind if ports.settings.has_embeddings else None,
        links=Pages(world) if ports.settings.has_links else None,
        notion=_notion(ports) if ports.settings.has_notion else None,
        hooks=hook_port() if ports.settings.has_hooks else None,
        calendar=calendar_port() if ports.settings.has_calendar else None,
        threads=replace(Threads.on(pool), presence=NoPool(), background=background, new_event=new_event),
        clock=clock,
        chance=world.rng,
        instance=f"instance-{world.number()}",  # a process that starts again is another instance
        new_entry_id=lambda: f"entry {world.number()}",
    )
    options = Options(
        bot_name="Aizuchi",
        late_reply=ports.settings.late_reply,
        memory=ports.settings.limits,
        group_policy=ports.settings.group_policy,
        limits=ports.settings.budget,
        access=ports.settings.access,
        has_lists=ports.settings.has_lists,
        currency="JPY" if ports.settings.has_expenses else None,
        has_polls=ports.settings.has_polls,
        reminding=ports.settings.reminding,
        reminder_pushes_per_day=ports.settings.reminder_pushes_per_day,
        more_tools=() if ports.settings.reminding is Reminding.OFF else (reminding_tool(),),
    )
    return PushEndpoint(handle=assemble(worker, options), clock=clock)


def _notion(ports: Ports) -> NotionPort:
    return NotionPort(api=ports.notion, databases={DATABASE: ports.notion.database_id}, conversations=None)


def unsend(ports: Ports, process: Process) -> Endpoint:
    """Return the endpoint of a process of functions/unsend."""
    clock = ProcessClock(ports.world, process)
    conversations = _conversations(ports, process)
    admissions = Admissions(store=conversations.objects.store, clock=clock)
    traces = Traces(access=ports.settings.access, admissions=admissions, unadmitted=UnadmittedChats(clock=clock))
    handler = UnsendHandler(conversations=conversations, withdrawal=withdrawal_of(clock), traces=traces)
    return PushEndpoint(handle=handler, clock=clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conversations(Conversations):
    """The chats of a process.  A tick acts for the chat whose marker it carries out; any other request acts for its own.

    What a tick sends to a member's own chat, it sends for the group.
    """

    world: World

    def of(self, conversation_id: str) -> Conversation:
        task = self.world.scheduler.current()
        if task.request.startswith(TICK) and conversation_id not in MEMBERS:
            task.chat = conversation_id
        return Conversations.of(self, conversation_id)


def _conversations(ports: Ports, process: Process) -> Conversations:
    world, reads = ports.world, Pool(ports.world.scheduler, process, size=READ_THREADS)
    return _Conversations(
        objects=ObjectCache(store=Bucket(world, ports.holders, ports.withdrawals), reads=reads),
        clock=ProcessClock(world, process),
        lease_s=ports.settings.lease_s,
        new_id=lambda: f"id-{world.number()}",
        ledger=world.new_ledger(),
        archive_days=ARCHIVE_DAYS if ports.settings.has_archive else 0,
        segment_messages=ports.settings.segment_messages,
        views=AmendmentViews(times=AMENDMENT_TIMES),
        world=world,
    )
