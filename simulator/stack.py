"""The local stack as one object: all stand-ins and the four real functions, started and stopped together."""

import asyncio
import time
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from simulator.clock import StackClock
from simulator.cloud_scheduler import CloudScheduler
from simulator.functions import (
    EVENTS_TOPIC,
    HISTORY_BUCKET,
    PROJECT_ID,
    NotionWiring,
    Wiring,
    function_child,
    function_ports,
)
from simulator.gemini.app import GeminiStandIn
from simulator.line.page.app import page_routes
from simulator.line.people import Bot
from simulator.line.platform import LinePlatform
from simulator.line.running import Running
from simulator.line.servers import HttpServer
from simulator.notion.api import NotionStandIn
from simulator.notion.lists import add_default_databases, ids_by_name
from simulator.notion.workspace import Workspace
from simulator.panels.bucket_reader import BucketReader
from simulator.panels.knowledge_reader import KnowledgeReader
from simulator.panels.memory_reader import MemoryReader
from simulator.panels.reminder_reader import ReminderReader
from simulator.panels.stack_panel import StackParts, stack_panel
from simulator.processes import HOST, Child, Launch, execute, free_port, listening_socket
from simulator.pubsub import DeadLetterPolicy, PubSubServer, RetryPolicy, SubscriptionSettings
from simulator.storage import StorageProxy, create_bucket, storage_child
from simulator.time_lapse import TimeLapse
from simulator.tool_servers.servers import mcp_servers
from simulator.trace.logs import LogFollower
from simulator.trace.steps import FUNCTIONS
from simulator.trace.trace import Trace

CHANNEL_SECRET: Final = "local-channel-secret"  # noqa: S105 - valid only on this machine
CHANNEL_ACCESS_TOKEN: Final = "local-channel-access-token"  # noqa: S105 - likewise
NOTION_TOKEN: Final = "local-notion-token"  # noqa: S105 - likewise
_BOT_TIME_ZONE: Final = zoneinfo.ZoneInfo("Asia/Tokyo")  # the default of the functions
_BOT_USER_ID: Final = "U" + "b07" * 10 + "b0"
TOPIC: Final = f"projects/{PROJECT_ID}/topics/{EVENTS_TOPIC}"
DEAD_LETTERS: Final = f"projects/{PROJECT_ID}/topics/{EVENTS_TOPIC}-dead"
_FILTERS: Final = {"agent_worker": 'attributes.type != "unsend"', "unsend": 'attributes.type = "unsend"'}


@dataclass(frozen=True, slots=True, kw_only=True)
class StackSettings:
    """The settings of a stack.

    `folder` keeps chats, objects and logs across restarts. `gemini_api_key` connects the real Gemini; without a key the stand-in answers
    after `model_latency_s`. A tick of each shard is published every `tick_s` seconds; 0: only by `LocalStack.tick`. `base_env` is the
    environment of every process on the machine, `more_env` goes to every function; `launch` starts the functions. `tool_servers` start with
    the stack, and the bot is connected to them.
    """

    folder: Path
    base_env: Mapping[str, str] = field(repr=False)
    keeps_data: bool = True
    page_port: int = 0
    gemini_api_key: str | None = field(default=None, repr=False)
    gemini_model: str = "gemini-3.5-flash-lite"
    model_latency_s: float = 0.0
    locale: str = "ja"
    access: str = "open"
    ack_deadline_s: float = 120.0
    tick_s: float = 60.0
    tick_shards: int = 1
    more_env: Mapping[str, str] = field(default_factory=dict)
    tool_servers: Mapping[str, Child] = field(default_factory=dict)
    launch: Launch = execute


class LocalStack(Running):
    """A running stack: `async with LocalStack(settings) as stack`.  Lives in one event loop.

    `operations_env` is the environment for the operator's commands.  Raises on entering: StackError; the message says what to do.
    """

    def __init__(self, settings: StackSettings) -> None:
        self._settings = settings
        super().__init__()
        self._ports = function_ports(has_feeds=settings.more_env.get("CALENDAR") == "on")
        self.children: dict[str, Child] = {}
        self._storage_port = free_port()
        bucket_url = f"http://{HOST}:{self._storage_port}"
        self._bucket = BucketReader(storage_url=bucket_url, bucket=HISTORY_BUCKET)
        self.knowledge = KnowledgeReader(self._bucket)
        self.reminders = ReminderReader(self._bucket)
        self.memory = MemoryReader(self._bucket, time_zone=_BOT_TIME_ZONE)
        self.storage = StorageProxy(
            upstream_url=bucket_url, monotonic_s=time.monotonic, on_event=self._record_storage_call
        )
        clock_path = settings.folder.absolute() / "clock"
        if not settings.keeps_data:
            clock_path.unlink(missing_ok=True)
        self.clock = StackClock(clock_path)
        self.trace = Trace(now_ms=_now_ms)
        self.pubsub = PubSubServer(clock=self.clock.now, on_event=self.trace.record_pubsub_event)
        self.scheduler = CloudScheduler(
            self.pubsub, topic=TOPIC, interval_s=settings.tick_s, shards=settings.tick_shards
        )
        self.time_lapse = TimeLapse(
            self.clock, due_minutes=self._due_minutes, tick=self.scheduler.tick, settle=self._settle
        )
        self.gemini = GeminiStandIn(latency_s=settings.model_latency_s)
        self.line = LinePlatform(
            webhook_url=f"http://{HOST}:{self._ports['webhook']}/",
            channel_secret=CHANNEL_SECRET,
            channel_access_token=CHANNEL_ACCESS_TOKEN,
            now_ms=self.clock.now_ms,
            monotonic_s=time.monotonic,
            rng=Random(),
            bot=Bot(user_id=_BOT_USER_ID),
            on_event=self.trace.record_line_event,
            is_strict=False,  # the functions of the stack listen on http
            state_path=settings.folder / "line.json" if settings.keeps_data else None,
        )
        workspace = Workspace(
            rng=Random(),
            now_ms=self.clock.now_ms,
            state_path=settings.folder / "notion.json" if settings.keeps_data else None,
        )
        self.notion = NotionStandIn(workspace, token=NOTION_TOKEN, monotonic_s=time.monotonic)
        self.url = ""
        self.operations_env: dict[str, str] = {}

    async def failure(self) -> str:
        """Wait until a process of the stack ends unexpectedly; return the status and the end of the log."""
        ended = [asyncio.create_task(child.ended()) for child in self.children.values()]
        try:
            done, _ = await asyncio.wait(ended, return_when=asyncio.FIRST_COMPLETED)
            return done.pop().result()
        finally:
            for waiting in ended:
                waiting.cancel()

    def tick(self) -> str:
        """Publish a tick of each shard now; return the pubsub_message_id of the first.  Raises: UnavailableError by chaos."""
        return self.scheduler.tick()

    def _record_storage_call(self, name: str, fields: Mapping[str, Any]) -> None:
        for reader in (self.knowledge, self.reminders, self.memory):
            reader.record_storage_call(name, fields)

    async def _due_minutes(self) -> list[str]:
        """Return the minutes with due work, for example `20261122T0930`, earliest first."""
        return sorted({name.partition("/")[0] for name in await self._bucket.generations("due/")})

    async def _settle(self) -> None:
        await self.line.wait_until_settled()
        await self.pubsub.wait_until_idle()

    async def _start(self) -> None:
        settings = self._settings
        page = HttpServer(
            app=self.line.app_with(
                page_routes(
                    self.line,
                    self._about(),
                    [
                        stack_panel(
                            StackParts(
                                platform=self.line,
                                trace=self.trace,
                                notion=self.notion.workspace,
                                knowledge=self.knowledge,
                                reminders=self.reminders,
                                memory=self.memory,
                                time_lapse=self.time_lapse,
                                gemini=None if self._settings.gemini_api_key else self.gemini,
                                has_tool_servers=bool(settings.tool_servers),
                            )
                        )
                    ],
                )
            ),
            sock=listening_socket(settings.page_port),
        )
        self._running.callback(page.sock.close)
        logs = LogFollower({function: self._log_path(function) for function in FUNCTIONS}, self.trace.record_log_line)
        logs.start()
        self._running.push_async_callback(logs.stop)
        self._running.push_async_callback(self.storage.close)
        self._running.push_async_callback(self._bucket.close)
        bucket = HttpServer(app=self.storage.app, sock=listening_socket(0))
        await self._serve(bucket)
        storage = storage_child(
            port=self._storage_port,
            public_address=f"{HOST}:{bucket.port}",
            folder=settings.folder / "bucket" if settings.keeps_data else None,
            log_path=self._log_path("storage"),
            env=settings.base_env,
        )
        await self._start_together({"storage": storage})
        await create_bucket(storage.url, HISTORY_BUCKET, project_id=PROJECT_ID)
        pubsub_port = await self.pubsub.start(HOST)
        self._running.push_async_callback(self.pubsub.stop)
        gemini = HttpServer(app=self.gemini.app, sock=listening_socket(0))
        await self._serve(gemini)
        if not self.notion.workspace.load():
            add_default_databases(self.notion.workspace)
        notion = HttpServer(app=self.notion.app, sock=listening_socket(0))
        await self._serve(notion)
        self._subscribe()
        await self._serve(page)
        self.url = f"http://{HOST}:{page.port}"
        wiring = Wiring(
            channel_secret=CHANNEL_SECRET,
            channel_access_token=CHANNEL_ACCESS_TOKEN,
            gemini_api_key=settings.gemini_api_key or "stand-in",
            line_url=self.url,
            pubsub_host=f"{HOST}:{pubsub_port}",
            storage_url=f"http://{HOST}:{bucket.port}",
            gemini_base_url=None if settings.gemini_api_key else f"http://{HOST}:{gemini.port}",
            locale=settings.locale,
            access=settings.access,
            notion=NotionWiring(
                url=f"http://{HOST}:{notion.port}",
                token=NOTION_TOKEN,
                databases=ids_by_name(self.notion.workspace),
            ),
            feeds_url=f"http://{HOST}:{self._ports['feeds']}" if "feeds" in self._ports else None,
            clock_file=self.clock.path,
            more_env={"GEMINI_MODEL": settings.gemini_model, **_connected(settings.tool_servers), **settings.more_env},
        )
        await self._start_together(settings.tool_servers)
        self.operations_env = {**settings.base_env, **wiring.env_of("unsend")}
        self._running.push_async_callback(self.line.close)
        await self._start_together(
            {
                function: replace(
                    function_child(
                        function, wiring, port=port, log_path=self._log_path(function), env=settings.base_env
                    ),
                    launch=settings.launch,
                )
                for function, port in self._ports.items()
            }
        )
        self.scheduler.start()
        self._running.push_async_callback(self.scheduler.stop)
        if settings.tool_servers:
            self.tick()  # a tick lists the servers' tools, which a turn reads
        self._make_friends()

    def _make_friends(self) -> None:
        """Emit a follow event for every person on the first run, so that the bot sends greetings."""
        for person in self.line.people:
            if self._settings.keeps_data and not self.line.chat(person).entries:
                self.line.follow(person)

    def _subscribe(self) -> None:
        """Create the topics and push subscriptions of the Terraform configuration."""
        self.pubsub.create_topic(TOPIC)
        self.pubsub.create_topic(DEAD_LETTERS)
        for function, filter_ in _FILTERS.items():
            self.pubsub.create_subscription(
                SubscriptionSettings(
                    name=f"projects/{PROJECT_ID}/subscriptions/{function}",
                    topic=TOPIC,
                    push_endpoint=f"http://{HOST}:{self._ports[function]}/",
                    ack_deadline_s=self._settings.ack_deadline_s,
                    filter=filter_,
                    retry_policy=RetryPolicy(minimum_backoff_s=1.0, maximum_backoff_s=10.0),
                    dead_letter_policy=DeadLetterPolicy(topic=DEAD_LETTERS, max_delivery_attempts=20),
                )
            )

    def _about(self) -> dict[str, str]:
        if self._settings.gemini_api_key:
            return {"model": self._settings.gemini_model}
        return {"model": "stand-in"}

    def _log_path(self, part: str) -> Path:
        return self._settings.folder / "logs" / f"{part}.log"

    async def _start_together(self, children: Mapping[str, Child]) -> None:
        async def stop_together() -> None:
            await asyncio.gather(*(child.stop() for child in children.values()))

        self.children |= children
        self._running.push_async_callback(stop_together)
        await asyncio.gather(*(child.start() for child in children.values()))

    async def _serve(self, server: HttpServer) -> None:
        await server.start()
        self._running.push_async_callback(server.stop)


def _connected(tool_servers: Mapping[str, Child]) -> dict[str, str]:
    return {"MCP_SERVERS": mcp_servers(tool_servers)} if tool_servers else {}


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
