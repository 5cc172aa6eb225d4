"""The composition root of the agent worker: settings in, a push endpoint out."""

import random
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from answer import Answer
from dispatch import Dispatch
from greet import Greet

from shared import logs
from shared.adapters.gcs import GcsObjectStore
from shared.adapters.gemini import GeminiModel
from shared.adapters.gemini_search import GeminiWebSearch
from shared.adapters.line_api import LineApi
from shared.agent.executor import ToolExecutor
from shared.agent.limits import Limits
from shared.agent.loop import Agent
from shared.agent.prompt import Chat, system_instruction
from shared.agent.tools import Registry, Tool, TurnContext
from shared.bus.endpoint import PushEndpoint
from shared.clock import Clock, SystemClock
from shared.conversation.bodies import Bodies
from shared.conversation.calls import Calls
from shared.conversation.journal import Journal
from shared.conversation.speaking import Speaker
from shared.conversation.turn import Turns
from shared.conversation.turn_taking import TurnTaking
from shared.line.phrases import Phrase, phrase
from shared.settings.agent_worker import AgentWorkerSettings, agent_worker_settings
from shared.tools.core import core_tools
from shared.tools.ledger import Ledger
from shared.tools.notion.databases import Databases, Kept
from shared.tools.notion.toolset import NotionTools
from shared.tools.web import web_tools

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
    journal = Journal(
        store=store,
        bodies=Bodies(store=store),
        turns=turns,
        reads=ThreadPoolExecutor(_READ_THREADS, thread_name_prefix="read"),
    )
    speaker = Speaker(journal=journal, line=line, clock=clock)
    chance = random.Random()  # noqa: S311 - spreads retries, guards nothing
    taking = TurnTaking(journal=journal, turns=turns, speaker=speaker, background=threads, clock=clock, chance=chance)
    bot = settings.bot
    ledger = Ledger(calls=Calls(store=store), is_withdrawn=journal.is_withdrawn, clock=clock)
    notion = _notion(settings, ledger=ledger, clock=clock, chance=chance)

    def bot_name() -> str:
        return bot.name or line.display_name() or _NAME_OF_LAST_RESORT

    def say(which: Phrase) -> str:
        return phrase(which, locale=bot.locale, bot_name=bot_name())

    def done_before(context: TurnContext) -> tuple[str, ...]:
        writes = any(tool.only_in is None or context.conversation_id in tool.only_in for tool in notion)
        return ledger.done_before(context) if writes else ()

    answer = Answer(
        journal=journal,
        turns=taking,
        agent=Agent(
            model=GeminiModel(settings.gemini),
            tools=ToolExecutor(registry=Registry((*core_tools(), *_web(settings), *notion)), threads=threads),
            limits=Limits(),
            clock=clock,
            chance=chance,
        ),
        chat=Chat(time_zone=bot.time_zone),
        presence=line,
        background=threads,
        clock=clock,
        settle_s=settings.settle_s,
        system_instruction=lambda: system_instruction(bot_name=bot_name(), persona=bot.persona),
        phrase=say,
        done_before=done_before,
    )
    greet = Greet(journal=journal, speaker=speaker, phrase=say)
    return PushEndpoint(handle=Dispatch(answer=answer, greet=greet), clock=clock)


def _web(settings: AgentWorkerSettings) -> tuple[Tool, ...]:
    return web_tools(GeminiWebSearch(settings.gemini)) if "web" in settings.toolsets else ()


def _notion(settings: AgentWorkerSettings, *, ledger: Ledger, clock: Clock, chance: random.Random) -> tuple[Tool, ...]:
    if settings.notion is None:
        return ()
    from shared.adapters.notion import NotionApi  # noqa: PLC0415 - 0.15 s of a cold start, paid only where it is used

    if settings.notion.conversations is None:
        logs.warning("notion_open_to_every_chat")
    notion = NotionApi(settings.notion, clock=clock, chance=chance)
    tools = NotionTools(
        databases=Databases(api=notion, ids=settings.notion.databases, kept=Kept(clock)),
        notion=notion,
        ledger=ledger,
        time_zone=settings.bot.time_zone.key,
        conversations=settings.notion.conversations,
    )
    return tools.tools()
