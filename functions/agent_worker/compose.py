"""The composition root of the agent worker: settings in, a push endpoint out."""

import random
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from amend import Edit, Erase
from answer import Answer
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
from shared.conversation.announcing import Announcing
from shared.conversation.answering import Answering
from shared.conversation.compaction import Compaction
from shared.conversation.memory import Memory
from shared.conversation.speaking import Speaker
from shared.conversation.turn_taking import TurnTaking
from shared.line.phrases import Phrase, phrase
from shared.settings.agent_worker import agent_worker_settings
from shared.tools.core import core_tools

_NAME_OF_LAST_RESORT: Final = "Aizuchi"
_READ_THREADS: Final = 32
_WORK_THREADS: Final = 64
_TURN_THREADS: Final = 80  # one for every turn that thinks: no lease waits for a tool


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
    reads = ThreadPoolExecutor(_READ_THREADS, thread_name_prefix="read")
    memory = Memory.on(store, reads=reads, clock=clock, lease_s=settings.lease_s)
    chance = random.Random()  # noqa: S311 - spreads retries, guards nothing
    bot = settings.bot

    def bot_name() -> str:
        return bot.name or line.display_name() or _NAME_OF_LAST_RESORT

    def say(which: Phrase) -> str:
        return phrase(which, locale=bot.locale, bot_name=bot_name())

    speaker = Speaker(
        journal=memory.journal,
        line=line,
        clock=clock,
        late_reply=settings.late_reply,
        button_label=phrase(Phrase.STILL_THINKING_BUTTON, locale=bot.locale, bot_name=bot.name or _NAME_OF_LAST_RESORT),
    )
    taking = TurnTaking(reader=memory.reader, turns=memory.turns, speaker=speaker, clock=clock, chance=chance)
    model = GeminiModel(settings.gemini)
    chat = Chat(time_zone=bot.time_zone)
    answer = Answer(
        journal=memory.journal,
        answering=Answering(
            journal=memory.journal,
            turns=memory.turns,
            taking=taking,
            speaker=speaker,
            background=ThreadBackground(threads=ThreadPoolExecutor(_TURN_THREADS, thread_name_prefix="turn")),
            clock=clock,
            phrase=say,
        ),
        compaction=Compaction(
            bodies=memory.bodies,
            amendments=memory.amendments,
            snapshots=memory.snapshots,
            clock=clock,
            summarise=Recaps(model=model, chat=chat),
        ),
        agent=Agent(
            model=model,
            tools=ToolExecutor(registry=Registry(core_tools()), threads=threads),
            limits=Limits(),
            clock=clock,
            chance=chance,
        ),
        chat=chat,
        presence=line,
        background=threads,
        clock=clock,
        settle_s=settings.settle_s,
        system_instruction=lambda: system_instruction(bot_name=bot_name(), persona=bot.persona),
        phrase=say,
    )
    dispatch = Dispatch(
        answer=answer,
        press=answer.press,
        greet=Greet(announce=Announcing(turns=memory.turns, taking=taking), clock=clock, phrase=say),
        edit=Edit(withdrawal=memory.withdrawal),
        erase=Erase(withdrawal=memory.withdrawal),
    )
    return PushEndpoint(handle=dispatch, clock=clock)
