"""The composition root of the agent worker: settings in, a push endpoint out."""

import random
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from amend import Edit, Erase
from answer import Answer
from compose_tools import toolsets
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
from shared.agent.recaps import Recaps
from shared.agent.tools import Registry
from shared.background import ThreadBackground
from shared.bus.endpoint import PushEndpoint
from shared.clock import SystemClock
from shared.conversation.compaction import Compaction
from shared.conversation.memory import Memory
from shared.conversation.talk import Talk
from shared.knowledge.filed_entries import FiledEntries
from shared.knowledge.overlay import EntryOverlay
from shared.knowledge.stored_entries import StoredEntries
from shared.line.phrases import Phrase, phrase
from shared.settings.agent_worker import agent_worker_settings

_NAME_OF_LAST_RESORT: Final = "Aizuchi"
_READ_THREADS: Final = 32
_TOOL_THREADS: Final = 64
_TURN_THREADS: Final = 80  # one for every turn that thinks: no lease waits for a tool


def compose(env: Mapping[str, str]) -> PushEndpoint:
    """Build the worker.  Raises: SettingsError."""
    settings = agent_worker_settings(env)
    logs.configure()
    bot, clock = settings.bot, SystemClock()
    line = LineApi(channel_access_token=settings.channel_access_token, base_url=settings.line_api_base_url)

    def bot_name() -> str:
        return bot.name or line.display_name() or _NAME_OF_LAST_RESORT

    def say(which: Phrase) -> str:
        return phrase(which, locale=bot.locale, bot_name=bot_name())

    store = GcsObjectStore(
        project_id=settings.project_id, bucket=settings.history_bucket, connections=_READ_THREADS + _TOOL_THREADS
    )
    reads = ThreadPoolExecutor(_READ_THREADS, thread_name_prefix="read")
    tools = ThreadPoolExecutor(_TOOL_THREADS, thread_name_prefix="tool")
    turns = ThreadPoolExecutor(_TURN_THREADS, thread_name_prefix="turn")
    chance = random.Random()  # noqa: S311 - spreads retries, guards nothing
    entries = StoredEntries(store=store, reads=reads)
    filed = FiledEntries(entries=entries, are_shown="knowledge" in settings.toolsets)
    memory = Memory.on(store, reads=reads, clock=clock, lease_s=settings.lease_s, filed=filed)
    talk = Talk.on(
        memory,
        line=line,
        clock=clock,
        chance=chance,
        background=ThreadBackground(threads=turns),
        phrase=say,
        late_reply=bot.late_reply,
    )
    model, chat = GeminiModel(settings.gemini), Chat(time_zone=bot.time_zone)
    offered = toolsets(settings, memory, model=model, clock=clock, chance=chance)
    answer = Answer(
        journal=memory.journal,
        answering=talk.answering,
        compaction=Compaction.on(memory, clock=clock, summarise=Recaps(model=model, chat=chat)),
        agent=Agent(
            model=model,
            tools=ToolExecutor(registry=Registry(offered.tools), threads=tools),
            limits=Limits(),
            clock=clock,
            chance=chance,
        ),
        chat=chat,
        presence=line,
        background=tools,
        clock=clock,
        settle_s=settings.settle_s,
        system_instruction=lambda: system_instruction(bot_name=bot_name(), persona=bot.persona, guides=offered.guides),
        phrase=say,
        overlay=lambda conversation_id, question: EntryOverlay(
            entries=entries,
            conversation_id=conversation_id,
            sequence=question.sequence,
            withdrawn=question.history.amendments.take_out_of_entries,
        ),
        done_before=offered.done_before,
    )
    dispatch = Dispatch(
        answer=answer,
        press=answer.press,
        greet=Greet(announce=talk.announcing, clock=clock, phrase=say),
        edit=Edit(withdrawal=memory.withdrawal),
        erase=Erase(withdrawal=memory.withdrawal),
    )
    return PushEndpoint(handle=dispatch, clock=clock)
