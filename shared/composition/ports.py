"""The parts of the agent worker: its ports, its threads, and the options of a deployment."""

import random
import threading
import uuid
import zoneinfo
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from shared.access.admission import Access
from shared.access.budgets import Limits
from shared.agent.file_parts import FileReader
from shared.agent.model import JsonModel, Model
from shared.agent.tools import Tool
from shared.clock import Clock
from shared.conversation.snapshot import MemoryLimits
from shared.conversation.store import Conversations
from shared.features.chat_feature import ChatFeature
from shared.frozen import frozen
from shared.handlers.heartbeat import ModelChecker
from shared.handlers.silence import Operator
from shared.line.addressing import GroupPolicy
from shared.line.bot_name import Account
from shared.line.display_names import Profiles
from shared.line.forwarding import Owned
from shared.line.media_content import MediaSource
from shared.line.messaging import Membership, Messenger
from shared.line.presence import PresenceApi
from shared.line.quota import QuotaApi
from shared.line.webhook_check import WebhookAddress, WebhookChecker
from shared.metering import Charges, NoCharges
from shared.reminders.delivery import Reminding
from shared.settings.secret import Secret
from shared.tools.link_port import LinkReader
from shared.tools.mcp.port import ConnectedServer
from shared.tools.web import WebSearch
from shared.turns.background import Background, Event
from shared.turns.deferral import LateReply

if TYPE_CHECKING:
    from shared.knowledge.embeddings import Embedder
    from shared.tools.notion.port import Notion


def _new_entry_id() -> str:
    return str(uuid.uuid4())


class Line(Messenger, PresenceApi, Membership, Account, QuotaApi, Protocol):
    """The worker's part of LINE's Messaging API."""


@frozen
class Threads:
    """The threads that work during a request.

    Leases (`background`) and `presence` have threads of their own, to wait for no tool. So have `ticks`, whose tasks read on `reads`, and
    `requests` to the model, which go on after a follow-up has ended the wait for them.
    """

    reads: Executor
    tools: Executor
    names: Executor
    media: Executor
    presence: Executor
    ticks: Executor
    requests: Executor
    background: Background
    new_event: Callable[[], Event] = field(default=threading.Event, repr=False)

    @classmethod
    def on(cls, pool: Executor) -> "Threads":
        """Return threads that all come from one pool, for a worker with few requests."""
        background = Background(threads=pool)
        return cls(
            reads=pool,
            tools=pool,
            names=pool,
            media=pool,
            presence=pool,
            ticks=pool,
            requests=pool,
            background=background,
        )


@frozen
class NotionPort:
    """Notion, the names of usable databases (for example `todo_list`), and the chats with access (None: all)."""

    api: "Notion"
    databases: Mapping[str, str]
    conversations: frozenset[str] | None = field(repr=False)


@frozen
class HookPort:
    """HOOK_KEY, and where the webhook is reached."""

    key: Secret = field(repr=False)
    address: WebhookAddress


@frozen
class CalendarPort:
    """Where functions/feeds is reached; `feeds_url` None: below the webhook's address, which LINE knows."""

    address: WebhookAddress
    feeds_url: str | None = field(default=None, repr=False)


@frozen
class Ports:
    """The worker's connections to the outside.  `json_model`, `web`, `links` and `notion` bring their toolsets; None: not offered.

    `webhook` None: the webhook is not tested; `model_check` None: the model is not. `hooks` None: hooks are off. `calendar`
    None: calendars are off. `translating_model` None: nothing is translated between members.
    """

    conversations: Conversations
    line: Line
    profiles: Profiles
    media: MediaSource
    files: FileReader
    model: Model
    fallback_model: Model | None = None
    json_model: JsonModel | None = None
    fallback_json_model: JsonModel | None = None
    translating_model: JsonModel | None = None
    fallback_translating_model: JsonModel | None = None
    web: WebSearch | None = None
    links: LinkReader | None = None
    embedder: "Embedder | None" = None
    notion: NotionPort | None = None
    hooks: HookPort | None = None
    calendar: CalendarPort | None = None
    tool_servers: tuple[ConnectedServer, ...] = ()
    threads: Threads
    clock: Clock
    chance: random.Random
    webhook: WebhookChecker | None = None
    model_check: ModelChecker | None = None
    charges: Charges = field(default_factory=NoCharges, repr=False)
    new_entry_id: Callable[[], str] = field(default=_new_entry_id, repr=False)
    instance: str = field(default_factory=_new_entry_id)
    """A name that no other process has."""


@frozen
class Options:
    """A deployment's choices.  `media_bucket`: the bucket from which the model reads media by address, for example `aizuchi-history`.

    `media_bucket` None: media are sent with the request. `currency`: the currency of expenses, if none is named, such as "JPY"; None: the
    chat keeps no expenses. `has_lists`: the chat keeps shared lists. `has_polls`: members may make polls.
    """

    bot_name: str | None = None
    locale: str = "ja"
    time_zone: zoneinfo.ZoneInfo = field(default_factory=lambda: zoneinfo.ZoneInfo("Asia/Tokyo"))
    persona: str | None = None
    access: Access = Access.OPEN
    limits: Limits = field(default_factory=Limits)
    group_policy: GroupPolicy = GroupPolicy.MENTION
    late_reply: LateReply = LateReply.BUTTON
    is_rich: bool = True
    confidence_threshold: float = 0.6
    memory: MemoryLimits = field(default_factory=MemoryLimits)
    media_bucket: str | None = None
    loading_after_s: float = 1.0
    heartbeat_minutes: int = 0
    reminding: Reminding = Reminding.PUSH
    reminder_pushes_per_day: int = 0
    operator: Operator = field(default_factory=Operator)
    owned_elsewhere: Owned = field(default_factory=Owned)
    currency: str | None = None
    has_lists: bool = False
    has_polls: bool = False
    more_tools: tuple[Tool, ...] = ()
    more_features: tuple[ChatFeature, ...] = ()
