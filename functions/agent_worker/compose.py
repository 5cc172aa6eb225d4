"""The composition root of the agent worker: builds adapters from the environment, and a push endpoint from the adapters."""

import gc
import random
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Final

from shared import late_patterns, logs, tracing
from shared.adapters.file_process import FileProcess
from shared.adapters.gcs import GcsObjectStore
from shared.adapters.gemini import GeminiModel
from shared.adapters.line_on_demand import (
    LateLineApi,
    LateLineMedia,
    LateLineProfiles,
    LateLineWebhook,
    SdkOnDemand,
)
from shared.adapters.mcp_on_demand import McpOnDemand
from shared.adapters.moved_clock import clock_of
from shared.bus.endpoint import PushEndpoint, PushTokens
from shared.clock import Clock
from shared.composition.assembly import assemble
from shared.composition.ports import CalendarPort, HookPort, NotionPort, Options, Ports, Threads
from shared.composition.warm_up import WarmedUp
from shared.conversation.spending import Ledger
from shared.conversation.store import Conversations
from shared.handlers.silence import Operator
from shared.handlers.tick import AT_ONCE
from shared.settings.agent_worker import AgentWorkerSettings, GeminiSettings, agent_worker_settings
from shared.settings.notion import NotionSettings
from shared.settings.push import PushSettings
from shared.settings.tool_servers import ToolServerSettings
from shared.storage.object_store import ObjectStore
from shared.tools.link_port import LinkReader
from shared.tools.mcp.port import ConnectedServer
from shared.tools.web import WebSearch
from shared.turns.background import Background
from shared.turns.follow_ups import MOST_ASKED_ANEW

if TYPE_CHECKING:
    from shared.knowledge.embeddings import Embedder

_READ_THREADS: Final = 64
_TOOL_THREADS: Final = 64
_TURN_THREADS: Final = 80  # one for each turn, so that no lease renewal waits for a tool; as many again for 1:1 chats
_REQUESTS_A_TURN: Final = 1 + MOST_ASKED_ANEW  # those that follow-ups ended go on for some seconds
_NAME_THREADS: Final = 16
_MEDIA_THREADS: Final = 8  # each holds a few parts of 2 MB during the upload of a medium
_OF_ANSWERS: Final = ("jsonschema", "shared.line.markdown")
"""What is imported when it is first needed, so that the first event does not wait for it."""


def compose(env: Mapping[str, str]) -> PushEndpoint:
    """Build the worker.  Raises: SettingsError."""
    settings = agent_worker_settings(env)
    logs.configure()
    if settings.ignored:
        logs.warning("settings_ignored", names=settings.ignored)
    store = GcsObjectStore(
        project_id=settings.project_id,
        bucket=settings.history_bucket,
        emulator_host=settings.storage_emulator_host,
        connections=_READ_THREADS + _TOOL_THREADS + _MEDIA_THREADS + AT_ONCE,
    )
    return compose_on(store, settings)


def compose_on(store: ObjectStore, settings: AgentWorkerSettings, *, turns: int = _TURN_THREADS) -> PushEndpoint:
    """Build the worker on the given store; `turns` may go on at once."""
    logs.key_pseudonyms(settings.channel_access_token.value())
    if settings.is_traced:
        tracing.bind(_tracer(settings))
    clock = clock_of(settings.clock_offset_file)
    line = SdkOnDemand(
        channel_access_token=settings.channel_access_token, base_url=settings.line_api_base_url, clock=clock
    )
    model = GeminiModel(settings.gemini)
    handle = assemble(_ports(store, settings, clock, line, model, threads=_threads(turns)), _options(settings))
    return PushEndpoint(
        handle=WarmedUp(handle, lambda: _warm_up(line, model)),
        clock=clock,
        tokens=_push_tokens(settings.push, clock) if settings.push is not None else None,
    )


def _ports(  # noqa: PLR0913 - what is built once for all ports
    store: ObjectStore,
    settings: AgentWorkerSettings,
    clock: Clock,
    line: SdkOnDemand,
    model: GeminiModel,
    *,
    threads: Threads,
) -> Ports:
    chance = random.Random()  # noqa: S311 - spreads retries, is no secret
    fallback = _fallback_model(settings.gemini)
    return Ports(
        conversations=Conversations.on(
            store,
            reads=threads.reads,
            clock=clock,
            lease_s=settings.lease_s,
            ledger=Ledger(time_zone=settings.bot.time_zone),
            archive_days=settings.archive_days,
        ),
        line=LateLineApi(line),
        webhook=LateLineWebhook(line),
        model_check=None
        if settings.gemini.reads_buckets
        else model,  # on Vertex AI there is no key that could be revoked
        profiles=LateLineProfiles(line),
        media=LateLineMedia(line),
        files=FileProcess(locale=settings.bot.locale, time_zone=settings.bot.time_zone, clock=clock),
        model=model,
        fallback_model=fallback,
        json_model=model if "knowledge" in settings.toolsets else None,
        fallback_json_model=fallback if "knowledge" in settings.toolsets else None,
        translating_model=model,
        fallback_translating_model=fallback,
        web=_web_search(settings.gemini) if "web" in settings.toolsets else None,
        links=_link_reader(settings.gemini) if "web" in settings.toolsets else None,
        embedder=_embedder(settings.gemini) if settings.has_embeddings else None,
        hooks=None if settings.hook_key is None else HookPort(key=settings.hook_key, address=LateLineWebhook(line)),
        calendar=CalendarPort(address=LateLineWebhook(line), feeds_url=settings.feeds_url)
        if settings.has_calendar
        else None,
        notion=_notion(settings.notion, chance) if settings.notion is not None else None,
        tool_servers=tuple(map(_tool_server, settings.tool_servers)),
        threads=threads,
        clock=clock,
        chance=chance,
    )


def _warm_up(line: SdkOnDemand, model: GeminiModel) -> None:
    """Read the bot's name and prepare an answer's adapters.  After a failure, the first turn tries again."""
    line.bot_info.get()
    gc.disable()  # a sixth of the time of these imports: no imported module is collected
    try:
        model.warm_up()
        line.get()
        for name in _OF_ANSWERS:
            import_module(name)
        late_patterns.compile_all()
    finally:
        gc.freeze()
        gc.enable()


def _push_tokens(settings: PushSettings, clock: Clock) -> PushTokens:
    from shared.adapters.google_tokens import GooglePushTokens  # noqa: PLC0415 - adds to a cold start, so only if needed

    return GooglePushTokens(settings, clock=clock)


def _web_search(settings: GeminiSettings) -> WebSearch:
    from shared.adapters.gemini_search import GeminiWebSearch  # noqa: PLC0415 - likewise

    return GeminiWebSearch(settings)


def _link_reader(settings: GeminiSettings) -> LinkReader:
    from shared.adapters.gemini_links import GeminiLinkReader  # noqa: PLC0415 - likewise

    return GeminiLinkReader(settings)


def _embedder(settings: GeminiSettings) -> "Embedder":
    from shared.adapters.gemini_embeddings import GeminiEmbedder  # noqa: PLC0415 - likewise

    return GeminiEmbedder(settings)


def _tracer(settings: AgentWorkerSettings) -> tracing.Tracer | None:
    from shared.adapters.cloud_trace import cloud_trace  # noqa: PLC0415 - adds to a cold start, so only if needed

    return cloud_trace(
        project_id=settings.project_id,
        service_name="agent_worker",
        provider_name="gcp.vertex_ai" if settings.gemini.reads_buckets else "gcp.gemini",
    )


def _fallback_model(settings: GeminiSettings) -> GeminiModel | None:
    if settings.fallback_model in {None, settings.model}:
        return None
    return GeminiModel(replace(settings, model=settings.fallback_model or settings.model))


def _threads(turns: int) -> Threads:
    """Return the threads for so many turns at once."""
    return Threads(
        reads=ThreadPoolExecutor(_READ_THREADS, thread_name_prefix="read"),
        tools=ThreadPoolExecutor(_TOOL_THREADS, thread_name_prefix="tool"),
        names=ThreadPoolExecutor(_NAME_THREADS, thread_name_prefix="name"),
        media=ThreadPoolExecutor(_MEDIA_THREADS, thread_name_prefix="medium"),
        presence=ThreadPoolExecutor(turns, thread_name_prefix="presence"),
        ticks=ThreadPoolExecutor(AT_ONCE, thread_name_prefix="tick"),
        requests=ThreadPoolExecutor(turns * _REQUESTS_A_TURN, thread_name_prefix="request"),
        background=Background(threads=ThreadPoolExecutor(turns, thread_name_prefix="turn")),
    )


def _notion(settings: NotionSettings, chance: random.Random) -> NotionPort:
    from shared.adapters.notion import NotionApi  # noqa: PLC0415 - adds 0.15 s to a cold start, so only if needed

    if settings.conversations is None:
        logs.warning("notion_open_to_every_chat")
    return NotionPort(
        api=NotionApi(settings, chance=chance),
        databases=settings.databases,
        conversations=settings.conversations,
    )


def _tool_server(settings: ToolServerSettings) -> ConnectedServer:
    if settings.conversations is None:
        logs.warning("tool_server_open_to_every_chat", server=settings.name)
    return ConnectedServer(
        name=settings.name,
        server=McpOnDemand(url=settings.url, headers=settings.headers),
        uses=settings.uses,
        conversations=settings.conversations,
    )


def _options(settings: AgentWorkerSettings) -> Options:
    bot = settings.bot
    return Options(
        bot_name=bot.name,
        locale=bot.locale,
        time_zone=bot.time_zone,
        persona=bot.persona,
        group_policy=bot.group_policy,
        late_reply=bot.late_reply,
        is_rich=bot.is_rich,
        access=settings.access,
        limits=settings.limits,
        heartbeat_minutes=settings.heartbeat_minutes,
        reminding=settings.reminding,
        reminder_pushes_per_day=settings.reminder_pushes_per_day,
        owned_elsewhere=settings.owned_elsewhere,
        operator=Operator(user_id=settings.operator_user_id, minutes=settings.handover_minutes),
        confidence_threshold=settings.confidence_threshold,
        currency=settings.currency,
        has_lists="lists" in settings.toolsets,
        has_polls=settings.has_polls,
        media_bucket=settings.history_bucket if settings.gemini.reads_buckets else None,
    )
