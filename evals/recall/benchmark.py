"""Measures recall on the group: how many facts are among the first five lines of the product's own search, and how fast."""

import time
import zoneinfo
from collections import defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import fmean, median
from typing import Final

from evals.recall.group import PEOPLE, Group
from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore
from shared.agent.chat_memory import ChatMemory
from shared.agent.people import People
from shared.agent.recall_request import RecallRequest
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.history import History
from shared.conversation.provenance import Provenance
from shared.conversation.records import MessageRecord, OutcomeKind, outcome_of
from shared.conversation.segments import encode_segment, name_of
from shared.conversation.snapshot_records import Segment
from shared.conversation.store import Conversation, Conversations
from shared.line.bot_name import BotName
from shared.line.display_names import DisplayNames
from shared.turns.basis import Basis
from shared.turns.question import Question

SHOWN: Final = 5
TARGET: Final = 0.9
TARGET_MS: Final = 400
_SEGMENT: Final = 200
_NEWEST: Final = 50
_CHAT: Final = "C" + "6" * 32
_TOKYO: Final = zoneinfo.ZoneInfo("Asia/Tokyo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Recall at five of all facts and of each language, for example `{"all": 0.95, "th": 0.9}`, and the missed facts.

    `cold_ms` is the CPU time of the first search, `warm_ms` the median of the others.
    """

    recall: Mapping[str, float]
    missed: tuple[str, ...]
    cold_ms: float
    warm_ms: float


class Names:
    """The display names of the group; a Profiles."""

    def display_name(self, _: str, user_id: str) -> str | None:
        return PEOPLE.get(user_id)

    def is_member(self, _: str, user_id: str) -> bool | None:
        return user_id in PEOPLE

    def group_name(self, _: str) -> str | None:
        return None


class _Held:
    is_over = False


def measure(group: Group) -> Figures:
    """Return how well and how fast recall finds the group's facts, with all but the newest messages archived, in memory."""
    with ThreadPoolExecutor(16) as threads:
        conversation, memory = conversation_of(group, threads), memory_on(threads)
        hits: defaultdict[str, list[float]] = defaultdict(list)
        missed: list[str] = []
        times_ms: list[float] = []
        for fact in group.facts.values():
            begun_s = time.process_time()
            request = RecallRequest(queries=(fact.ask,), limit=SHOWN)
            lines = memory.find(context_of(conversation, group), request).lines
            times_ms.append((time.process_time() - begun_s) * 1_000)
            is_found = any(line.endswith(f"] {fact.text}") for line in lines)
            for kind in ("all", fact.language):
                hits[kind].append(float(is_found))
            missed += [] if is_found else [fact.ask]
    return Figures(
        recall={kind: fmean(values) for kind, values in hits.items()},
        missed=tuple(missed),
        cold_ms=times_ms[0],
        warm_ms=median(times_ms[1:]),
    )


def memory_on(threads: ThreadPoolExecutor) -> ChatMemory:
    """Return the product's search of a chat's memory, which knows the group's people."""
    names = DisplayNames(profiles=Names(), threads=threads)
    people = People(display_names=names, bot_name=BotName(account=MemoryLineApi(), configured="Aizuchi"))
    return ChatMemory(people=people, time_zone=_TOKYO, locale="en")


def conversation_of(group: Group, threads: ThreadPoolExecutor) -> Conversation:
    """Return a chat with all but the newest messages of the group in its archive."""
    clock = FixedClock(now_ms=group.messages[-1].timestamp_ms)
    store = MemoryObjectStore()
    conversation = Conversations.on(store, reads=threads, clock=clock, lease_s=25.0).of(_CHAT)
    older = group.messages[:-_NEWEST]
    for number, start in enumerate(range(0, len(older), _SEGMENT), 1):
        segment = Segment(messages=older[start : start + _SEGMENT])
        data = encode_segment(segment)
        store.create(conversation.names.segment(name_of(segment, data, number=number)), data)
    return conversation


def context_of(conversation: Conversation, group: Group) -> TurnContext:
    """Return a turn with a question asked just after the group's last message."""
    message = MessageRecord(
        line_message_id="asked",
        webhook_event_id="asking",
        timestamp_ms=group.messages[-1].timestamp_ms + 1,
        type="text",
        addressed=True,
        text="?",
        user_id=min(PEOPLE),
    )
    history = History(messages=group.messages[-_NEWEST:])
    question = Question(
        conversation=conversation,
        history=history,
        asked=(message,),
        draft=outcome_of((message,), OutcomeKind.SKIPPED),
        basis=Basis(conversation=conversation, lease=_Held(), prompt=Provenance(), before=Amendments()),
        deadline=Deadline.after(conversation.turn.clock, 40.0),
        sequence=1,
    )
    return TurnContext(conversation=conversation, to_answer=(message,), earlier=history.messages, question=question)
