"""The cost of a turn as a chat grows: by messages, by withdrawals, by filed entries.  The cost must not grow with any of them.

Requests and bytes are averages. A full run takes enough turns to fold every chat equally often, because a turn with a compaction costs
more. CPU time is the median of the turns.
"""

import asyncio
import statistics
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final

from benchmarks import built, wire
from benchmarks.chats import Chat
from benchmarks.plan import Plan
from benchmarks.processes import Processes, wiring
from benchmarks.samples import Comparison, interleave
from benchmarks.table import Goal, Row, Section, at_most, times
from benchmarks.turn import Requests, Turn, take_requests, timed_turn
from simulator.functions import NotionWiring
from simulator.processes import Child
from simulator.stack import NOTION_TOKEN

SHORT: Final = 400
"""From so many messages on, the snapshot is full."""
INDEXED: Final = 100
"""So many entries fill the part of the index that a prompt shows."""
_SLOW_BUCKET_S: Final = 0.05
"""Enough for requests that are made at once to overlap, so that their round trips can be counted."""
_A_DAY_S: Final = 86_400.0
_FLAT: Final = times(1.05)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grown:
    """The size of a chat."""

    messages: int = SHORT
    amendments: int = 0
    entries: int = 0

    @property
    def name(self) -> str:
        """The name in the table, for example "200 messages, 1000 taken back"."""
        more = {"taken back": self.amendments, "entries": self.entries}
        return ", ".join(
            (f"{self.messages} messages", *(f"{count} {change}" for change, count in more.items() if count))
        )


_Turns = Sequence[tuple[Requests, Turn]]


async def measure(processes: Processes, plan: Plan) -> list[Section]:
    """Return a section for each way to grow."""
    storage = await processes.bucket()
    stand_ins = {
        "bucket": await processes.stand_in("bucket", "--behind", storage.url),
        "line": await processes.stand_in("line"),
        "gemini": await processes.stand_in("gemini"),
    }
    small, filed = _Grown(), _Grown(entries=INDEXED)
    grown = {
        _Grown(messages=plan.longest_chat): small,
        _Grown(amendments=plan.amendments): small,
        _Grown(entries=plan.entries): filed,
    }
    with built.builder() as pool:
        chats = {one: await _chat(one, pool, stand_ins["line"], storage) for one in (small, filed, *grown)}
    worker = await processes.start(processes.function("agent_worker", wiring(stand_ins)))
    samples: dict[_Grown, list[tuple[Requests, Turn]]] = {one: [] for one in chats}
    for chat in chats.values():
        await timed_turn(worker, chat)  # fills the caches of this instance
    for _ in range(plan.grown_turns):
        for size, chat in chats.items():
            await take_requests(stand_ins, slow_bucket_s=_SLOW_BUCKET_S)
            turn = await timed_turn(worker, chat)
            samples[size].append((await take_requests(stand_ins, slow_bucket_s=0.0), turn))
    await processes.stop(worker)
    retracted = _Grown(amendments=plan.amendments)
    cold = await _cold(processes, stand_ins, {one: chats[one] for one in (small, retracted)}, chats[filed], plan)
    tools = await _toolsets(processes, stand_ins, chats[filed], plan)
    return [*(_section(one, samples[one], like, samples[like]) for one, like in grown.items()), cold, tools]


async def _cold(
    processes: Processes, stand_ins: Mapping[str, Child], chats: Mapping[_Grown, Chat], other: Chat, plan: Plan
) -> Section:
    """Compare first turns of instances in a chat with many folded withdrawals with first turns in a chat without withdrawals."""
    samples: dict[_Grown, list[tuple[Requests, Turn]]] = {one: [] for one in chats}
    for _ in range(plan.cold_turns):
        worker = await processes.start(processes.function("agent_worker", wiring(stand_ins)))
        await timed_turn(worker, other)  # triggers the imports of a turn
        for size, chat in chats.items():
            await take_requests(stand_ins, slow_bucket_s=_SLOW_BUCKET_S)
            turn = await timed_turn(worker, chat)
            samples[size].append((await take_requests(stand_ins, slow_bucket_s=0.0), turn))
        await processes.stop(worker)
    (small, fewer), (retracted, turns) = samples.items()
    return replace(
        _section(retracted, turns, small, fewer),
        title=f"A cold turn in a group of {retracted.name}",
        note=f"means of {len(turns)} instances, each with its first turn in the chat; withdrawals are folded",
    )


async def _toolsets(processes: Processes, stand_ins: Mapping[str, Child], chat: Chat, plan: Plan) -> Section:
    """Compare turns with every toolset and turns with the default toolset, in the same chat."""
    notion = await processes.stand_in("notion")
    answer = await asyncio.to_thread(wire.send, notion.port, "/bench/databases")
    every = NotionWiring(url=notion.url, token=NOTION_TOKEN, databases=answer.json()).env()
    wired = {"all toolsets": wiring(stand_ins, **every), "the default": wiring(stand_ins)}
    workers = {name: await processes.start(processes.function("agent_worker", one)) for name, one in wired.items()}
    samples: dict[str, list[tuple[Requests, Turn]]] = {name: [] for name in workers}
    for worker in workers.values():
        await timed_turn(worker, chat)  # triggers the imports and reads of a first turn
    for _, name in interleave(tuple(workers), plan.grown_turns):
        await take_requests(stand_ins, slow_bucket_s=0.0)
        turn = await timed_turn(workers[name], chat)
        samples[name].append((await take_requests(stand_ins, slow_bucket_s=0.0), turn))
    await processes.stop(*workers.values(), notion)
    return replace(
        _section_of("all toolsets", samples["all toolsets"], "the default", samples["the default"], goal=None),
        note="Notion with two databases, and web search; their declarations are in every request",
    )


async def _chat(grown: _Grown, pool: ThreadPoolExecutor, line: Child, storage: Child) -> Chat:
    chat = await Chat.create(line)
    group = chat.built(grown.messages, pool)
    group.amend(grown.amendments, ago_s=_A_DAY_S)
    if grown.entries:
        group.file(grown.entries)
    built.copy(group, storage)
    return chat


def _section(grown: _Grown, turns: _Turns, small: _Grown, fewer: _Turns) -> Section:
    return _section_of(f"a group of {grown.name}", turns, small.name, fewer, goal=_FLAT)


def _section_of(label: str, turns: _Turns, against: str, fewer: _Turns, *, goal: Goal | None) -> Section:
    def row(name: str, unit: str, figures: tuple[float, float], goal: Goal | None = goal) -> Row:
        return Row(label=name, against=against, unit=unit, comparison=Comparison.of([figures]), goal=goal)

    def figure(read: str, divisor: float = 1.0) -> tuple[float, float]:
        mean, other = (
            statistics.fmean(getattr(requests, read) for requests, _ in samples) / divisor for samples in (turns, fewer)
        )
        return mean, other

    cpu = [
        statistics.median(turn.cpu_ms for _, turn in several if turn.cpu_ms is not None)
        for several in (turns, fewer)
        if any(turn.cpu_ms is not None for _, turn in several)
    ]
    rows = [
        row("storage requests a turn", "", figure("storage_requests")),
        row("storage, both bodies", "kB", figure("storage_bytes", 1_000)),
        row("prompts", "kB", figure("prompt_bytes", 1_000)),
        row("requests to Gemini", "", figure("gemini")),
        *([row("CPU time", "ms", (cpu[0], cpu[1]))] if len(cpu) == len(("grown", "small")) else []),
    ]
    if goal is not None:
        folding = max(turns, key=lambda sample: sample[0].storage_requests)[0]
        rows.append(
            row("round trips of the turn with the most requests", "", (float(folding.round_trips), 0.0), at_most(16))
        )
    return Section(
        title=f"A turn with {label}" if goal is None else f"A turn in {label}",
        rows=rows,
        note=f"means of {len(turns)} turns of a warm instance, recaps and compaction among them",
    )
