"""The composition root of the agent worker: settings in, a push endpoint out."""

import random
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from amend import Edit, Erase
from answer import Answer
from command import Commands
from compose_tools import toolsets
from dispatch import Dispatch
from greet import Greet

from shared import logs
from shared.adapters.gcs import GcsObjectStore
from shared.adapters.gemini import GeminiModel
from shared.adapters.line_api import LineApi
from shared.adapters.line_media import LineMedia
from shared.adapters.line_profiles import LineProfiles
from shared.agent.executor import ToolExecutor
from shared.agent.loop import Agent, Limits
from shared.agent.media_parts import Showing
from shared.agent.prompt import Chat, People, system_instruction
from shared.agent.summaries import Descriptions, Recaps
from shared.agent.tools import Registry
from shared.bus.endpoint import PushEndpoint
from shared.clock import SystemClock
from shared.conversation.captions import Describing
from shared.conversation.compaction import Compaction
from shared.conversation.media import Media
from shared.conversation.store import Memory
from shared.handlers.assembly import Talk
from shared.handlers.intake import Hearing
from shared.knowledge.entry_store import StoredEntries
from shared.knowledge.filed_entries import FiledEntries
from shared.knowledge.staging import EntryOverlay
from shared.line.display_names import Names
from shared.line.phrases import Phrase, phrase
from shared.line.presence import Presence
from shared.settings.agent_worker import agent_worker_settings
from shared.turns.background import ThreadBackground
from shared.turns.interjection import Chiming
from shared.turns.settle_window import Gathering

_NAME_OF_LAST_RESORT: Final = "Aizuchi"
_READ_THREADS: Final = 32
_TOOL_THREADS: Final = 64
_TURN_THREADS: Final = 80  # one for every turn that thinks: no lease waits for a tool
_PRESENCE_THREADS: Final = 80  # one for every turn in a 1:1 chat
_NAME_THREADS: Final = 16
_MEDIA_THREADS: Final = 16


def compose(env: Mapping[str, str]) -> PushEndpoint:
    """Build the worker.  Raises: SettingsError."""
    settings = agent_worker_settings(env)
    logs.configure()
    bot, clock = settings.bot, SystemClock()
    line = LineApi(channel_access_token=settings.channel_access_token, base_url=settings.line_api_base_url)

    def bot_name() -> str:
        return bot.name or line.display_name() or _NAME_OF_LAST_RESORT

    def bot_names() -> tuple[str, ...]:
        return tuple(dict.fromkeys(filter(None, (bot.name, line.display_name()))))

    def say(which: Phrase, **facts: str) -> str:
        return phrase(which, locale=bot.locale, bot_name=bot_name(), **facts)

    store = GcsObjectStore(
        project_id=settings.project_id,
        bucket=settings.history_bucket,
        connections=_READ_THREADS + _TOOL_THREADS + _MEDIA_THREADS,
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
    model, chat = GeminiModel(settings.gemini), Chat(time_zone=bot.time_zone, locale=bot.locale)
    names = ThreadPoolExecutor(_NAME_THREADS, thread_name_prefix="name")
    people = People(names=Names(profiles=LineProfiles(line.client), threads=names), bot_names=bot_names)
    showing = Showing(
        media=Media(store=store, amendments=memory.amendments, source=LineMedia(line.client), clock=clock),
        bucket=settings.history_bucket if settings.gemini.reads_buckets else None,
        threads=ThreadPoolExecutor(_MEDIA_THREADS, thread_name_prefix="medium"),
        clock=clock,
    )
    presence = Presence(api=line, threads=ThreadPoolExecutor(_PRESENCE_THREADS, thread_name_prefix="presence"))
    hearing = Hearing(reader=memory.reader, policy=bot.group_policy, bot_names=bot_names)
    offered = toolsets(settings, memory, model=model, clock=clock, chance=chance)
    answer = Answer(
        hearing=hearing,
        journal=memory.journal,
        answering=talk.answering,
        chiming=Chiming(answering=talk.answering, clock=clock),
        gathering=Gathering(reader=memory.reader, clock=clock),
        compaction=Compaction.on(
            memory,
            clock=clock,
            summarise=Recaps(model=model, chat=chat, people=people),
        ),
        describing=Describing.on(memory, clock=clock, describe=Descriptions(model=model, showing=showing)),
        agent=Agent(
            model=model,
            tools=ToolExecutor(registry=Registry(offered.tools), threads=tools),
            limits=Limits(),
            clock=clock,
            chance=chance,
        ),
        chat=chat,
        people=people,
        showing=showing,
        presence=presence,
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
    commands = Commands(
        announce=talk.announcing,
        withdrawal=memory.withdrawal,
        reader=memory.reader,
        membership=line,
        presence=presence,
        phrase=say,
    )
    dispatch = Dispatch(
        clock=clock,
        answer=answer,
        press=answer.press,
        command_of=hearing.command,
        command=commands,
        confirm=commands.confirm,
        greet=Greet(announce=talk.announcing, phrase=say),
        edit=Edit(withdrawal=memory.withdrawal, words=hearing.edited_words),
        erase=Erase(withdrawal=memory.withdrawal),
    )
    return PushEndpoint(handle=dispatch, clock=clock)
