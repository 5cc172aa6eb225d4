"""The tools that the settings name, on their adapters."""

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from shared import logs
from shared.adapters.gemini_search import GeminiWebSearch
from shared.agent.model import JsonModel
from shared.agent.tools import Tool, TurnContext, load_schema
from shared.clock import Clock
from shared.conversation.external_calls import Calls
from shared.conversation.store import Memory
from shared.knowledge.classification import Classifier
from shared.knowledge.filing import Filing
from shared.settings.agent_worker import AgentWorkerSettings
from shared.tools.core import core_tools
from shared.tools.idempotency import Ledger
from shared.tools.knowledge import KNOWLEDGE_GUIDE, KnowledgeTools
from shared.tools.knowledge_queries import KnowledgeReadingTools
from shared.tools.notion.databases import Databases, Kept
from shared.tools.notion.toolset import NotionTools
from shared.tools.web import web_tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolsets:
    """The tools of a deployment.

    `guides` tell the model when to use them; `done_before` tells what an earlier attempt at a turn has done outside already.
    """

    tools: tuple[Tool, ...]
    guides: tuple[str, ...]
    done_before: Callable[[TurnContext], tuple[str, ...]] = field(repr=False)


def toolsets(
    settings: AgentWorkerSettings, memory: Memory, *, model: JsonModel, clock: Clock, chance: random.Random
) -> Toolsets:
    """Return the core tools and those of every toolset that the settings name."""
    ledger = Ledger(calls=Calls(store=memory.bodies.store), is_withdrawn=memory.amendments.hold, clock=clock)
    notion = _notion(settings, ledger=ledger, clock=clock, chance=chance)
    web = web_tools(GeminiWebSearch(settings.gemini)) if "web" in settings.toolsets else ()

    def done_before(context: TurnContext) -> tuple[str, ...]:
        writes = any(tool.only_in is None or context.conversation_id in tool.only_in for tool in notion)
        return ledger.done_before(context) if writes else ()

    knowledge = _knowledge(settings, model) if "knowledge" in settings.toolsets else ()
    return Toolsets(
        tools=(*core_tools(), *knowledge, *web, *notion),
        guides=(KNOWLEDGE_GUIDE,) if knowledge else (),
        done_before=done_before,
    )


def _knowledge(settings: AgentWorkerSettings, model: JsonModel) -> tuple[Tool, ...]:
    bot = settings.bot
    changing = KnowledgeTools(
        classifier=Classifier(model=model, schema=load_schema("classify_and_capture.classification")),
        filing=Filing(new_id=lambda: str(uuid.uuid4()), threshold=settings.confidence_threshold),
        time_zone=bot.time_zone,
    )
    return (*changing.tools(), *KnowledgeReadingTools(time_zone=bot.time_zone, locale=bot.locale).tools())


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
