"""The tools of a deployment: the core toolset, and every toolset with a connected port.

Example: without a Notion port, neither `create_page` nor Notion's guide is offered.
"""

from dataclasses import dataclass

from shared.agent.chat_memory import ChatMemory
from shared.agent.metered_model import MeteredJsonModel
from shared.agent.model import JsonModel
from shared.agent.second_chance import SecondJsonChance
from shared.agent.tools import Tool, load_schema
from shared.agent.turn_context import TurnContext
from shared.composition.ports import NotionPort, Options, Ports
from shared.knowledge.classification import Classifier
from shared.knowledge.embeddings import EntryEmbeddings
from shared.knowledge.entry_editor import EntryEditor
from shared.metering import Metering
from shared.tools.core import core_tools
from shared.tools.guides.knowledge import KNOWLEDGE_GUIDE
from shared.tools.guides.memory import MEMORY_GUIDE
from shared.tools.guides.notion import notion_guide
from shared.tools.guides.reminders import REMINDERS_GUIDE
from shared.tools.guides.web import WEB_GUIDE
from shared.tools.idempotency import IdempotentWrites
from shared.tools.knowledge import KnowledgeTools
from shared.tools.knowledge_queries import KnowledgeQueryTools
from shared.tools.notion.databases import Databases, TtlCache
from shared.tools.notion.known_properties import KnownProperties
from shared.tools.notion.toolset import NotionTools
from shared.tools.own_facts import OwnFactTools
from shared.tools.recall import MemoryTools
from shared.tools.undo import undo_tools
from shared.tools.web import MeteredWebSearch, web_tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolsets:
    """The tools of a deployment, guides for the model about their use, and the tools that write `outside` of the bucket."""

    tools: tuple[Tool, ...]
    guides: tuple[str, ...]
    outside: tuple[Tool, ...]
    writes: IdempotentWrites

    @classmethod
    def of(
        cls, ports: Ports, options: Options, metering: Metering, memory: ChatMemory, reminders: tuple[Tool, ...]
    ) -> "Toolsets":
        """Return the tools of the core, the chat's memory and reminders, and of every toolset with a connected port."""
        writes = IdempotentWrites(clock=ports.clock)
        model = _json_model(ports, metering)
        own_facts = OwnFactTools(memory=memory, time_zone=options.time_zone)
        knowledge = (
            (*_knowledge_tools(model, ports, options, metering), *own_facts.tools()) if model is not None else ()
        )
        web = web_tools(MeteredWebSearch(web=ports.web, metering=metering)) if ports.web is not None else ()
        notion = _notion_tools(ports.notion, ports, options, writes) if ports.notion is not None else ()
        return cls(
            tools=(
                *core_tools(),
                *MemoryTools(memory=memory, time_zone=options.time_zone).tools(),
                *knowledge,
                *reminders,
                *(undo_tools() if knowledge or reminders else ()),
                *web,
                *notion,
                *options.more_tools,
            ),
            guides=(
                MEMORY_GUIDE,
                *((KNOWLEDGE_GUIDE,) if knowledge else ()),
                *((REMINDERS_GUIDE,) if reminders else ()),
                *((WEB_GUIDE,) if web else ()),
                *((notion_guide(ports.notion.databases),) if ports.notion is not None else ()),
            ),
            outside=notion,
            writes=writes,
        )

    def describe_earlier(self, context: TurnContext) -> tuple[str, ...]:
        """Return the external calls of earlier attempts at the turn; none if the chat has no tool for external calls."""
        has_writes = any(tool.is_offered_to(context) for tool in self.outside)
        return self.writes.describe_earlier(context) if has_writes else ()


def _json_model(ports: Ports, metering: Metering) -> JsonModel | None:
    """Return the classifying model, with the second model behind it; None: nothing is filed."""
    if ports.json_model is None:
        return None
    first = MeteredJsonModel(model=ports.json_model, metering=metering)
    if ports.fallback_json_model is None:
        return first
    second = MeteredJsonModel(model=ports.fallback_json_model, metering=metering)
    return SecondJsonChance(model=first, second=second, clock=ports.clock)


def _knowledge_tools(model: JsonModel, ports: Ports, options: Options, metering: Metering) -> tuple[Tool, ...]:
    changing = KnowledgeTools(
        classifier=Classifier(model=model, schema=load_schema("classify_and_capture.classification")),
        editor=EntryEditor(new_id=ports.new_entry_id, threshold=options.confidence_threshold),
        time_zone=options.time_zone,
    )
    reading = KnowledgeQueryTools(
        time_zone=options.time_zone,
        locale=options.locale,
        embeddings=EntryEmbeddings(embedder=ports.embedder, metering=metering, clock=ports.clock)
        if ports.embedder is not None
        else None,
    )
    return (*changing.tools(), *reading.tools())


def _notion_tools(notion: NotionPort, ports: Ports, options: Options, writes: IdempotentWrites) -> tuple[Tool, ...]:
    databases = Databases(api=notion.api, ids=notion.databases, cache=TtlCache(ports.clock))
    tools = NotionTools(
        databases=databases,
        properties=KnownProperties(databases, ports.clock),
        notion=notion.api,
        writes=writes,
        time_zone=options.time_zone.key,
        conversations=notion.conversations,
    )
    return tools.tools()
