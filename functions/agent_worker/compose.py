"""The composition root of the agent worker: settings in, a push endpoint out."""

import random
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from answer import Answer, Knowledge
from dispatch import Dispatch
from greet import Greet

from shared import logs
from shared.adapters.gcs import GcsObjectStore
from shared.adapters.gemini import GeminiModel
from shared.adapters.line_api import LineApi
from shared.agent.executor import ToolExecutor
from shared.agent.limits import Limits
from shared.agent.loop import Agent
from shared.agent.prompt import Chat, system_instruction
from shared.agent.tools import Registry, Tool, load_schema
from shared.bus.endpoint import PushEndpoint
from shared.clock import SystemClock
from shared.conversation.bodies import Bodies
from shared.conversation.journal import Journal
from shared.conversation.speaking import Speaker
from shared.conversation.turn import Turns
from shared.conversation.turn_taking import TurnTaking
from shared.knowledge.classification import Classifier
from shared.knowledge.filing import Filing
from shared.knowledge.index import KnowledgeIndex
from shared.knowledge.overlay import EntryOverlay
from shared.knowledge.stored_entries import StoredEntries
from shared.line.phrases import Phrase, phrase
from shared.settings.agent_worker import AgentWorkerSettings, agent_worker_settings
from shared.tools.core import core_tools
from shared.tools.knowledge import KNOWLEDGE_GUIDE, KnowledgeTools
from shared.tools.knowledge_reading import KnowledgeReadingTools

_NAME_OF_LAST_RESORT: Final = "Aizuchi"
_READ_THREADS: Final = 32
_WORK_THREADS: Final = 64


def compose(env: Mapping[str, str]) -> PushEndpoint:
    """Build the worker.  Raises: SettingsError."""
    settings = agent_worker_settings(env)
    logs.configure()
    clock = SystemClock()
    line = LineApi(channel_access_token=settings.channel_access_token, base_url=settings.line_api_base_url)
    store = GcsObjectStore(
        project_id=settings.project_id, bucket=settings.history_bucket, connections=_READ_THREADS + _WORK_THREADS
    )
    threads = ThreadPoolExecutor(_WORK_THREADS, thread_name_prefix="work")
    turns = Turns(store=store, clock=clock, new_id=lambda: uuid.uuid4().hex, lease_s=settings.lease_s)
    reads = ThreadPoolExecutor(_READ_THREADS, thread_name_prefix="read")
    journal = Journal(store=store, bodies=Bodies(store=store), turns=turns, reads=reads)
    speaker = Speaker(journal=journal, line=line, clock=clock)
    chance = random.Random()  # noqa: S311 - spreads retries, guards nothing
    taking = TurnTaking(journal=journal, turns=turns, speaker=speaker, background=threads, clock=clock, chance=chance)
    bot = settings.bot
    model = GeminiModel(settings.gemini)
    files = "knowledge" in settings.toolsets
    entries = StoredEntries(store=store, reads=reads)
    tools = (*core_tools(), *(_knowledge_tools(settings, model) if files else ()))
    guides = (KNOWLEDGE_GUIDE,) if files else ()

    def bot_name() -> str:
        return bot.name or line.display_name() or _NAME_OF_LAST_RESORT

    def say(which: Phrase) -> str:
        return phrase(which, locale=bot.locale, bot_name=bot_name())

    answer = Answer(
        journal=journal,
        turns=taking,
        agent=Agent(
            model=model,
            tools=ToolExecutor(registry=Registry(tools), threads=threads),
            limits=Limits(),
            clock=clock,
            chance=chance,
        ),
        chat=Chat(time_zone=bot.time_zone),
        presence=line,
        background=threads,
        clock=clock,
        settle_s=settings.settle_s,
        system_instruction=lambda: system_instruction(bot_name=bot_name(), persona=bot.persona, guides=guides),
        phrase=say,
        knowledge=Knowledge(index=KnowledgeIndex(entries=entries).read, overlay=_overlays(entries)) if files else None,
    )
    greet = Greet(journal=journal, speaker=speaker, phrase=say)
    return PushEndpoint(handle=Dispatch(answer=answer, greet=greet), clock=clock)


def _knowledge_tools(settings: AgentWorkerSettings, model: GeminiModel) -> tuple[Tool, ...]:
    bot = settings.bot
    changing = KnowledgeTools(
        classifier=Classifier(model=model, schema=load_schema("classify_and_capture.classification")),
        filing=Filing(new_id=lambda: str(uuid.uuid4()), threshold=settings.confidence_threshold),
        time_zone=bot.time_zone,
    )
    return (*changing.tools(), *KnowledgeReadingTools(time_zone=bot.time_zone, locale=bot.locale).tools())


def _overlays(entries: StoredEntries) -> Callable[[str, int], EntryOverlay]:
    return lambda conversation_id, sequence: EntryOverlay(
        entries=entries, conversation_id=conversation_id, sequence=sequence
    )
