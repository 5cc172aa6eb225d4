"""The agent worker's use cases on any ports: what functions/agent_worker/compose.py builds on the real ones."""

import random
import zoneinfo
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Protocol

from functions.agent_worker.amend import Edit, Erase
from functions.agent_worker.answer import Answer, Presence
from functions.agent_worker.dispatch import Dispatch
from functions.agent_worker.greet import Greet
from shared.agent.executor import ToolExecutor
from shared.agent.limits import Limits
from shared.agent.loop import Agent
from shared.agent.model import JsonModel, Model
from shared.agent.prompt import Chat
from shared.agent.recaps import Recaps
from shared.agent.tools import Registry, Tool, TurnContext, load_schema
from shared.background import Background
from shared.clock import Clock
from shared.conversation.compaction import Compaction, MemoryLimits
from shared.conversation.memory import Memory
from shared.conversation.speaking import Messenger
from shared.conversation.talk import Talk
from shared.knowledge.classification import Classifier
from shared.knowledge.filing import Filing
from shared.knowledge.overlay import EntryOverlay
from shared.knowledge.stored_entries import StoredEntries
from shared.line.lateness import LateReply
from shared.line.phrases import Phrase, phrase
from shared.tools.core import core_tools
from shared.tools.knowledge import KnowledgeTools
from shared.tools.knowledge_reading import KnowledgeReadingTools


class Line(Messenger, Presence, Protocol):
    """What the worker asks of LINE."""


def says(which: Phrase) -> str:
    """Return a fixed text as a Japanese bot says it."""
    return phrase(which, locale="ja", bot_name="Aizuchi")


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
    phrase: Callable[[Phrase], str] = says
    more_tools: tuple[Tool, ...] = ()
    json_model: JsonModel | None = None
    registry: Registry | None = None
    done_before: Callable[[TurnContext], tuple[str, ...]] = lambda _: ()


def worker_on(ports: WorkerPorts) -> Dispatch:
    """Return what handles every event."""
    memory, clock, chat = ports.memory, ports.clock, Chat()
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
    recaps = Recaps(model=ports.model, chat=chat)
    answer = Answer(
        journal=memory.journal,
        answering=talk.answering,
        compaction=Compaction.on(memory, clock=clock, summarise=recaps, limits=ports.limits),
        agent=Agent(
            model=ports.model,
            tools=ToolExecutor(registry=registry, threads=ports.tools),
            limits=Limits(),
            clock=clock,
            chance=ports.chance,
        ),
        chat=chat,
        presence=ports.line,
        background=ports.presence,
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
    return Dispatch(
        answer=answer,
        press=answer.press,
        greet=Greet(announce=talk.announcing, clock=clock, phrase=ports.phrase),
        edit=Edit(withdrawal=memory.withdrawal),
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
