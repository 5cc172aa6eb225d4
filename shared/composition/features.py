"""The features of a deployment, each with a connected port: without a Notion port, neither `create_page` nor Notion's guide is offered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shared.agent.chat_memory import ChatMemory
from shared.agent.metered_model import MeteredJsonModel
from shared.agent.model import JsonModel
from shared.agent.second_chance import SecondJsonChance
from shared.agent.staged import BeginOverlay
from shared.agent.tools import Tool, load_schema
from shared.agent.turn_context import TurnContext
from shared.composition.ports import NotionPort, Options, Ports
from shared.conversation.history_reader import ThingBlock
from shared.conversation.records import OutcomeRecord
from shared.conversation.switch import SwitchesOf
from shared.expenses.staging import ExpenseOverlay
from shared.expenses.switches import expense_switches
from shared.features.calendars import CALENDARS
from shared.features.chat_feature import ChatFeature
from shared.features.entries import ENTRIES
from shared.features.expenses import EXPENSES
from shared.features.hooks import HOOKS
from shared.features.polls import POLLS
from shared.features.stored_feature import StoredFeature
from shared.features.stored_features import CALLS, MEDIA
from shared.features.translation import TRANSLATION
from shared.frozen import frozen
from shared.knowledge.classification import Classifier
from shared.knowledge.entry_editor import EntryEditor
from shared.knowledge.list_editor import ListEditor
from shared.knowledge.staging import EntryOverlay
from shared.knowledge.switches import list_switches
from shared.line.messaging import OutgoingMessage
from shared.metering import Metering
from shared.polls.staging import PollOverlay
from shared.polls.switches import poll_switches
from shared.reminders.delivery import Reminding
from shared.tools.core import core_tools
from shared.tools.expenses import ExpenseTools
from shared.tools.guides.expenses import EXPENSES_GUIDE
from shared.tools.guides.handover import HANDOVER_GUIDE
from shared.tools.guides.knowledge import KNOWLEDGE_GUIDE
from shared.tools.guides.links import LINKS_GUIDE
from shared.tools.guides.lists import lists_guide
from shared.tools.guides.memory import MEMORY_GUIDE
from shared.tools.guides.notion import notion_guide
from shared.tools.guides.web import WEB_GUIDE
from shared.tools.handover import HandoverTools
from shared.tools.idempotency import IdempotentWrites
from shared.tools.knowledge import KnowledgeTools
from shared.tools.knowledge_queries import KnowledgeQueryTools
from shared.tools.link_port import MeteredLinkReader
from shared.tools.links import link_tools
from shared.tools.lists import ListTools
from shared.tools.mcp.listings import ToolListings
from shared.tools.mcp.toolset import ServedTools
from shared.tools.own_facts import OwnFactTools
from shared.tools.polls import PollTools
from shared.tools.recall import MemoryTools
from shared.tools.translation import translation_tools
from shared.tools.undo import undo_tools
from shared.tools.videos import video_tools
from shared.tools.web import MeteredWebSearch, web_tools
from shared.translation.switches import translation_switches
from shared.turns.outbox import Attachments

if TYPE_CHECKING:
    from shared.knowledge.embeddings import EntryEmbeddings


@frozen
class Features:
    """The features of a deployment, listed once; the worker takes tools, guides, overlays, objects and cards from here.

    `served`: the tools of connected servers, which may change while the process runs.
    """

    offered: tuple[ChatFeature, ...]
    writes: IdempotentWrites
    served: ServedTools
    more_tools: tuple[Tool, ...] = ()

    @classmethod
    def of(
        cls,
        ports: Ports,
        options: Options,
        metering: Metering,
        memory: ChatMemory,
        *made: ChatFeature,
    ) -> "Features":
        """Return the features of a deployment, in the order in which their tools are declared.

        `made`: features that the assembly makes, because other handlers share their parts: reminders, expenses, and polls.
        """
        writes = IdempotentWrites(clock=ports.clock)
        stored = ChatFeature(name="calls", stored=CALLS), ChatFeature(name="media", stored=MEDIA)
        return cls(
            offered=(
                *stored,
                _memory(memory, options),
                _entries(ports, options, metering, memory),
                _lists(ports, options),
                *made,
                _handover(options),
                _hooks(ports),
                _translation(ports),
                _web(ports, metering),
                _links(ports, options, metering),
                _notion(ports, options, writes),
                *options.more_features,
                _calendars(ports),
            ),
            writes=writes,
            served=_served(ports, writes),
            more_tools=options.more_tools,
        )

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of all features, after the tools that end a turn; one of them undoes what any feature has staged."""
        tools = [tool for feature in self.offered for tool in feature.tools]
        can_undo = any(feature.overlay is not None and feature.tools for feature in self.offered)
        return (*core_tools(), *tools, *(undo_tools() if can_undo else ()), *self.more_tools)

    @property
    def guides(self) -> tuple[str, ...]:
        """The guides for the model, of the features that offer tools."""
        return tuple(feature.guide for feature in self.offered if feature.tools and feature.guide)

    @property
    def overlays(self) -> tuple[BeginOverlay, ...]:
        """An overlay for each feature that stages."""
        return tuple(feature.overlay for feature in self.offered if feature.overlay is not None)

    @property
    def stored(self) -> tuple[StoredFeature, ...]:
        """What the features store."""
        return tuple(feature.stored for feature in self.offered if feature.stored is not None)

    @property
    def blocks(self) -> tuple[ThingBlock, ...]:
        """What prompts show of the features' things, of the features that offer tools."""
        return tuple(feature.block for feature in self.offered if feature.block is not None and feature.tools)

    @property
    def outside(self) -> tuple[Tool, ...]:
        """The tools that write outside of the bucket."""
        return tuple(tool for feature in self.offered if feature.acts_outside for tool in feature.tools)

    @property
    def switches(self) -> tuple[SwitchesOf, ...]:
        """What of each feature is on in a chat."""
        return tuple(feature.switches for feature in self.offered)

    @property
    def cards(self) -> Attachments:
        """The messages after an answer, of every feature."""
        return _Cards(tuple(feature.card for feature in self.offered if feature.card is not None))

    def describe_earlier(self, context: TurnContext) -> tuple[str, ...]:
        """Return the external calls of earlier attempts at the turn; none if the chat has no tool for external calls."""
        has_writes = any(tool.is_offered_to(context) for tool in (*self.outside, *self.served.tools()))
        return self.writes.describe_earlier(context) if has_writes else ()


@dataclass(frozen=True, slots=True)
class _Cards:
    """Attachments of several features, in the features' order."""

    cards: Sequence[Attachments]

    def of(self, outcome: OutcomeRecord) -> Sequence[OutgoingMessage]:
        return tuple(message for card in self.cards for message in card.of(outcome))


def _memory(memory: ChatMemory, options: Options) -> ChatFeature:
    tools = MemoryTools(memory=memory, time_zone=options.time_zone).tools()
    return ChatFeature(name="memory", tools=tools, guide=MEMORY_GUIDE)


def _entries(ports: Ports, options: Options, metering: Metering, memory: ChatMemory) -> ChatFeature:
    """Entries are stored and forgotten in every deployment; without a classifying model nothing new is filed."""
    model = metered_json_model(ports.json_model, ports.fallback_json_model, ports, metering)
    own_facts = OwnFactTools(memory=memory, time_zone=options.time_zone)
    tools = (*_knowledge_tools(model, ports, options, metering), *own_facts.tools()) if model is not None else ()
    return ChatFeature(name="entries", tools=tools, guide=KNOWLEDGE_GUIDE, overlay=EntryOverlay, stored=ENTRIES)


def _lists(ports: Ports, options: Options) -> ChatFeature:
    """Items are entries, so only the tools are lists' own; without the index of entries nothing would show them."""
    if ports.json_model is None or not options.has_lists:
        return ChatFeature(name="lists")
    notion = ports.notion
    tools = ListTools(
        editor=ListEditor(new_id=ports.new_entry_id),
        time_zone=options.time_zone,
        elsewhere=frozenset(notion.databases) if notion is not None else frozenset(),
        elsewhere_in=notion.conversations if notion is not None else None,
    )
    return ChatFeature(
        name="lists",
        tools=tools.tools(),
        guide=lists_guide(notion.databases if notion is not None else ()),
        switches=list_switches,
    )


def expenses_feature(options: Options, memory: ChatMemory, size_of: Callable[[str], int | None]) -> ChatFeature:
    """Expenses are stored and forgotten in every deployment; without a currency nothing new is noted."""
    if options.currency is None:
        return ChatFeature(name="expenses", overlay=ExpenseOverlay, stored=EXPENSES)
    tools = ExpenseTools(
        people=memory.people, size_of=size_of, currency=options.currency, time_zone=options.time_zone
    ).tools()
    return ChatFeature(
        name="expenses",
        tools=tools,
        guide=EXPENSES_GUIDE,
        overlay=ExpenseOverlay,
        stored=EXPENSES,
        switches=expense_switches,
    )


def polls_feature(options: Options, memory: ChatMemory, size_of: Callable[[str], int | None]) -> ChatFeature:
    """Polls are stored and forgotten in every deployment; without the toolset nobody makes one."""
    tools = PollTools(
        people=memory.people,
        size_of=size_of,
        pushes=options.reminding is Reminding.PUSH,
        zone=options.time_zone.key,
        locale=options.locale,
    ).tools()
    if not options.has_polls:
        return ChatFeature(name="polls", overlay=PollOverlay, stored=POLLS)
    return ChatFeature(name="polls", tools=tools, overlay=PollOverlay, stored=POLLS, switches=poll_switches)


def _handover(options: Options) -> ChatFeature:
    operator_id = options.operator.user_id
    tools = HandoverTools(operator_id=operator_id).tools() if operator_id is not None else ()
    return ChatFeature(name="handover", tools=tools, guide=HANDOVER_GUIDE)


def _hooks(ports: Ports) -> ChatFeature:
    """Hooks are counted, exported and forgotten in every deployment; with HOOKS=on their tokens are shown."""
    if ports.hooks is None:
        return ChatFeature(name="hooks", stored=HOOKS)
    from shared.handlers.hooks import HookTokens  # noqa: PLC0415 - only with HOOKS=on, so that no cold start pays for it
    from shared.hooks.switches import hook_switches  # noqa: PLC0415 - as above

    return ChatFeature(name="hooks", stored=HOOKS, card=HookTokens(key=ports.hooks.key), switches=hook_switches)


def _translation(ports: Ports) -> ChatFeature:
    """A translation setting is counted and forgotten in every deployment; without a translating model nobody begins one."""
    if ports.translating_model is None:
        return ChatFeature(name="translation", stored=TRANSLATION)
    return ChatFeature(name="translation", tools=translation_tools(), stored=TRANSLATION, switches=translation_switches)


def _calendars(ports: Ports) -> ChatFeature:
    """Calendars are cleaned and forgotten in every deployment; with CALENDAR=on they follow what turns write, and are shown."""
    if ports.calendar is None:
        return ChatFeature(name="calendars", stored=replace(CALENDARS, writer=None))
    from shared.calendars.switches import calendar_switches  # noqa: PLC0415 - as above
    from shared.handlers.calendar import FeedAddress  # noqa: PLC0415 - only with CALENDAR=on, so that no cold start pays for it

    return ChatFeature(name="calendars", stored=CALENDARS, card=FeedAddress(), switches=calendar_switches)


def _web(ports: Ports, metering: Metering) -> ChatFeature:
    tools = web_tools(MeteredWebSearch(web=ports.web, metering=metering)) if ports.web is not None else ()
    return ChatFeature(name="web", tools=tools, guide=WEB_GUIDE)


def _links(ports: Ports, options: Options, metering: Metering) -> ChatFeature:
    if ports.links is None:
        return ChatFeature(name="links")
    reader = MeteredLinkReader(reader=ports.links, metering=metering)
    videos = video_tools(reader, remaining_tokens=metering.remaining_tokens, locale=options.locale)
    return ChatFeature(name="links", tools=(*link_tools(reader), *videos), guide=LINKS_GUIDE)


def _notion(ports: Ports, options: Options, writes: IdempotentWrites) -> ChatFeature:
    if ports.notion is None:
        return ChatFeature(name="notion", acts_outside=True)
    return ChatFeature(
        name="notion",
        tools=_notion_tools(ports.notion, ports, options, writes),
        guide=notion_guide(ports.notion.databases),
        acts_outside=True,
    )


def _served(ports: Ports, writes: IdempotentWrites) -> ServedTools:
    listings = ToolListings(
        store=ports.conversations.objects.store,
        servers=ports.tool_servers,
        clock=ports.clock,
        threads=ports.threads.tools,
    )
    return ServedTools(servers=ports.tool_servers, listings=listings, writes=writes)


def metered_json_model(
    model: JsonModel | None, second: JsonModel | None, ports: Ports, metering: Metering
) -> JsonModel | None:
    """Return a model of single requests that are counted, with the second model behind it; None where there is no model."""
    if model is None:
        return None
    first = MeteredJsonModel(model=model, metering=metering)
    if second is None:
        return first
    return SecondJsonChance(model=first, second=MeteredJsonModel(model=second, metering=metering), clock=ports.clock)


def _knowledge_tools(model: JsonModel, ports: Ports, options: Options, metering: Metering) -> tuple[Tool, ...]:
    changing = KnowledgeTools(
        classifier=Classifier(model=model, schema=load_schema("classify_and_capture.classification")),
        editor=EntryEditor(new_id=ports.new_entry_id, threshold=options.confidence_threshold),
        time_zone=options.time_zone,
    )
    reading = KnowledgeQueryTools(
        time_zone=options.time_zone,
        locale=options.locale,
        embeddings=_embeddings(ports, metering),
    )
    return (*changing.tools(), *reading.tools())


def _embeddings(ports: Ports, metering: Metering) -> "EntryEmbeddings | None":
    if ports.embedder is None:
        return None
    from shared.knowledge.embeddings import EntryEmbeddings  # noqa: PLC0415 - as above

    return EntryEmbeddings(embedder=ports.embedder, metering=metering, clock=ports.clock)


def _notion_tools(notion: NotionPort, ports: Ports, options: Options, writes: IdempotentWrites) -> tuple[Tool, ...]:
    from shared.tools.notion.databases import Databases, TtlCache  # noqa: PLC0415 - as above
    from shared.tools.notion.known_properties import KnownProperties  # noqa: PLC0415 - as above
    from shared.tools.notion.toolset import NotionTools  # noqa: PLC0415 - as above

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
