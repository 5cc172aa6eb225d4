"""The agent worker's use cases on any ports: what functions/agent_worker/compose.py builds on the real ones."""

import random
import zoneinfo
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Protocol

from functions.agent_worker.amend import Edit, Erase
from functions.agent_worker.answer import Answer
from functions.agent_worker.command import Commands
from functions.agent_worker.dispatch import Dispatch
from functions.agent_worker.greet import Greet
from shared.adapters.memory import MemoryMedia, MemoryProfiles
from shared.agent.executor import ToolExecutor
from shared.agent.loop import Agent, Limits
from shared.agent.media_parts import Showing
from shared.agent.model import JsonModel, Model
from shared.agent.prompt import Chat, People
from shared.agent.summaries import Descriptions, Recaps
from shared.agent.tools import Registry, Tool, TurnContext, load_schema
from shared.clock import Clock
from shared.conversation.captions import Describing
from shared.conversation.compaction import Compaction, MemoryLimits
from shared.conversation.media import Media
from shared.conversation.store import Memory
from shared.handlers.assembly import Talk
from shared.handlers.intake import Hearing
from shared.knowledge.classification import Classifier
from shared.knowledge.entry_store import StoredEntries
from shared.knowledge.filing import Filing
from shared.knowledge.staging import EntryOverlay
from shared.line.display_names import Names, Profiles
from shared.line.media import MediaSource
from shared.line.mentions import GroupPolicy
from shared.line.messaging import Membership
from shared.line.phrases import Phrase, Say, phrase
from shared.line.presence import Presence, PresenceApi
from shared.tools.core import core_tools
from shared.tools.knowledge import KnowledgeTools
from shared.tools.knowledge_queries import KnowledgeReadingTools
from shared.turns.background import Background
from shared.turns.interjection import Chiming
from shared.turns.late_reply import LateReply
from shared.turns.outbox import Messenger
from shared.turns.settle_window import Gathering

BOT_NAMES = ("Aizuchi",)


class Line(Messenger, PresenceApi, Membership, Protocol):
    """What the worker asks of LINE."""


def says(which: Phrase, **facts: str) -> str:
    """Return a fixed text as a Japanese bot says it."""
    return phrase(which, locale="ja", bot_name="Aizuchi", **facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPorts:
    """What a worker meets outside of itself, its memory, and what a test may want to have otherwise than in production."""

    memory: Memory
    line: Line
    model: Model
    clock: Clock
    tools: Executor
    background: Background
    presence: Executor
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    late_reply: LateReply = LateReply.BUTTON
    settle_s: float = 0.5
    limits: MemoryLimits = field(default_factory=MemoryLimits)
    phrase: Say = says
    profiles: Profiles = field(default_factory=MemoryProfiles)
    media: MediaSource = field(default_factory=MemoryMedia)
    policy: GroupPolicy = GroupPolicy.MENTION
    loading_after_s: float = 1.0
    bucket: str | None = None
    more_tools: tuple[Tool, ...] = ()
    json_model: JsonModel | None = None
    registry: Registry | None = None
    done_before: Callable[[TurnContext], tuple[str, ...]] = lambda _: ()


def worker_on(ports: WorkerPorts) -> Dispatch:
    """Return what handles every event."""
    memory, clock, chat = ports.memory, ports.clock, Chat(locale="ja")
    talk = Talk.on(
        memory,
        line=ports.line,
        clock=clock,
        chance=ports.chance,
        background=ports.background,
        phrase=ports.phrase,
        late_reply=ports.late_reply,
    )
    entries = StoredEntries(store=memory.bodies.store, reads=memory.bodies.reads)
    tools = (*core_tools(), *_knowledge_tools(ports.json_model), *ports.more_tools)
    registry = ports.registry or Registry(tools)
    people = People(names=Names(profiles=ports.profiles, threads=ports.tools), bot_names=lambda: BOT_NAMES)
    showing = Showing(
        media=Media(store=memory.bodies.store, amendments=memory.amendments, source=ports.media, clock=clock),
        bucket=ports.bucket,
        threads=ports.tools,
        clock=clock,
    )
    presence = Presence(api=ports.line, threads=ports.presence, after_s=ports.loading_after_s)
    hearing = Hearing(reader=memory.reader, policy=ports.policy, bot_names=lambda: BOT_NAMES)
    answer = Answer(
        hearing=hearing,
        journal=memory.journal,
        answering=talk.answering,
        chiming=Chiming(answering=talk.answering, clock=clock),
        gathering=Gathering(reader=memory.reader, clock=clock),
        compaction=Compaction.on(
            memory,
            clock=clock,
            summarise=Recaps(model=ports.model, chat=chat, people=people),
            limits=ports.limits,
        ),
        describing=Describing.on(memory, clock=clock, describe=Descriptions(model=ports.model, showing=showing)),
        agent=Agent(
            model=ports.model,
            tools=ToolExecutor(registry=registry, threads=ports.tools),
            limits=Limits(),
            clock=clock,
            chance=ports.chance,
        ),
        chat=chat,
        people=people,
        showing=showing,
        presence=presence,
        clock=clock,
        settle_s=ports.settle_s,
        system_instruction=lambda: "be kind",
        phrase=ports.phrase,
        overlay=lambda conversation_id, question: EntryOverlay(
            entries=entries,
            conversation_id=conversation_id,
            sequence=question.sequence,
            withdrawn=question.history.amendments.take_out_of_entries,
        ),
        done_before=ports.done_before,
    )
    commands = Commands(
        announce=talk.announcing,
        withdrawal=memory.withdrawal,
        reader=memory.reader,
        membership=ports.line,
        presence=presence,
        phrase=ports.phrase,
    )
    return Dispatch(
        clock=clock,
        answer=answer,
        press=answer.press,
        command_of=hearing.command,
        command=commands,
        confirm=commands.confirm,
        greet=Greet(announce=talk.announcing, phrase=ports.phrase),
        edit=Edit(withdrawal=memory.withdrawal, words=hearing.edited_words),
        erase=Erase(withdrawal=memory.withdrawal),
    )


def _knowledge_tools(model: JsonModel | None) -> tuple[Tool, ...]:
    """The knowledge toolset, where a test brings a model that classifies."""
    if model is None:
        return ()
    classifier = Classifier(model=model, schema=load_schema("classify_and_capture.classification"))
    filing = Filing(new_id=lambda: "id", threshold=0.6)
    changing = KnowledgeTools(classifier=classifier, filing=filing, time_zone=zoneinfo.ZoneInfo("Asia/Tokyo"))
    return (*changing.tools(), *KnowledgeReadingTools(time_zone=changing.time_zone, locale="ja").tools())
