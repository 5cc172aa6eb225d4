"""A warm turn of the agent worker in a chat of two hundred messages: from Pub/Sub's push to the acknowledgement.

Time and CPU time are measured on stand-ins without latency. Requests to storage are counted on another instance with a slow bucket:
concurrent requests then overlap, and sequential requests do not. The model is slower than the bucket.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from benchmarks import bucket_log, built, usage, wire
from benchmarks.bucket_log import BucketRequest
from benchmarks.chats import Chat, push
from benchmarks.memory import AFTER_REQUESTS, AFTER_START, REQUESTS, MemoryByFunction
from benchmarks.plan import Plan
from benchmarks.processes import Processes, wiring
from benchmarks.samples import Comparison, interleave
from benchmarks.table import Goal, Row, Section, at_least, at_most
from simulator.processes import Child

SHORT: Final = 10
LONG: Final = 200
_SLOW_BUCKET_S: Final = 0.25
_CLOCKS_APART_S: Final = 0.05  # far less than a slow answer takes
_AT_ONCE: Final = 16
_MODEL_S: Final = 0.5  # longer than _SLOW_BUCKET_S
_CPU_MS: Final = 20
_TURNS_A_SECOND: Final = 40
_COUNT_ROWS: Final = {
    "storage round trips, one after another": ("round_trips", None),
    "of them before the model is asked": ("round_trips_before_model", at_most(3)),
    "of them between its last word and the reply": ("round_trips_after_model", at_most(2)),
    "requests to Gemini": ("gemini", None),
    "requests to LINE": ("line", None),
}
_REQUESTS: Final = at_most(12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The worker's time and CPU time in one turn."""

    wall_ms: float
    cpu_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """The worker's requests in one turn.  `benchmarks.bucket_log.round_trips` defines a round trip."""

    storage: Mapping[str, int]
    round_trips: int
    round_trips_before_model: int
    round_trips_after_model: int
    gemini: int
    line: int
    storage_bytes: int
    prompt_bytes: int

    @property
    def storage_requests(self) -> int:
        """The requests to storage, of all kinds."""
        return sum(self.storage.values())


async def measure(processes: Processes, plan: Plan) -> tuple[list[Section], MemoryByFunction]:
    """Return the sections, and the memory of the workers of agent_worker and unsend."""
    storage = await processes.bucket()
    stand_ins = {
        "bucket": storage,
        "line": await processes.stand_in("line"),
        "gemini": await processes.stand_in("gemini"),
    }
    chats = {name: await Chat.create(stand_ins["line"]) for name in ("long", "short")}
    with built.builder() as pool:
        for name, messages in (("long", LONG), ("short", SHORT)):
            built.copy(chats[name].built(messages, pool), storage)
    worker = await processes.start(processes.function("agent_worker", wiring(stand_ins)))
    memory = await _memory_of(stand_ins["line"], worker)
    turns: list[dict[str, Turn]] = [{} for _ in range(plan.turns)]
    for number, name in interleave(("long", "short"), plan.turns):
        turns[number][name] = await timed_turn(worker, chats[name])
    await processes.stop(worker)
    held_by_unsend = await _unsend_memory(processes, stand_ins)
    slow_stand_ins = {**stand_ins, "bucket": await processes.stand_in("bucket", "--behind", storage.url)}
    requests_by_chat = await _count_requests(processes, slow_stand_ins, chats, plan)
    sections = [_section(turns, requests_by_chat), await _throughput(processes, stand_ins, plan)]
    return sections, {"agent_worker": memory, "unsend": held_by_unsend}


async def _memory_of(line: Child, worker: Child) -> dict[str, usage.Memory | None]:
    """Return the worker's memory after the start, and after messages in sixteen chats."""
    await asyncio.to_thread(wire.send, worker.port, any_status=True)
    pid = usage.worker_pid(worker.pid)
    memory = {AFTER_START: usage.memory(pid)}
    chats = [await Chat.create(line) for _ in range(_AT_ONCE)]
    for start in range(0, REQUESTS, _AT_ONCE):
        count = min(_AT_ONCE, REQUESTS - start)
        addressed = start % (5 * _AT_ONCE) == 0
        await asyncio.gather(*(_say(worker, chat, addressed=addressed) for chat in chats[:count]))
    return {**memory, AFTER_REQUESTS: usage.memory(pid)}


async def _say(worker: Child, chat: Chat, *, addressed: bool) -> None:
    await push(worker, await chat.say(addressed=addressed))


async def timed_turn(worker: Child, chat: Chat) -> Turn:
    """Return the time of a turn."""
    pid = usage.worker_pid(worker.pid)
    event = await chat.say(addressed=True)
    before_s = usage.cpu_s(pid)
    wall_s = await push(worker, event)
    after_s = usage.cpu_s(pid)
    cpu_ms = None if before_s is None or after_s is None else (after_s - before_s) * 1_000
    return Turn(wall_ms=wall_s * 1_000, cpu_ms=cpu_ms)


async def _count_requests(
    processes: Processes, stand_ins: Mapping[str, Child], chats: Mapping[str, Chat], plan: Plan
) -> dict[str, list[Requests]]:
    thinking = await processes.stand_in("gemini", "--latency-s", str(_MODEL_S))
    stand_ins = {**stand_ins, "gemini": thinking}
    worker = await processes.start(processes.function("agent_worker", wiring(stand_ins)))
    requests_by_chat: dict[str, list[Requests]] = {name: [] for name in chats}
    for chat in chats.values():
        await timed_turn(worker, chat)  # fills the caches of this instance
    for _, name in interleave(tuple(chats), plan.counted_turns):
        await take_requests(stand_ins, slow_bucket_s=_SLOW_BUCKET_S)
        await timed_turn(worker, chats[name])
        requests_by_chat[name].append(await take_requests(stand_ins, slow_bucket_s=0.0, model_s=_MODEL_S))
    await processes.stop(worker, thinking)
    return requests_by_chat


async def take_requests(stand_ins: Mapping[str, Child], *, slow_bucket_s: float, model_s: float = 0.0) -> Requests:
    """Return the requests to the stand-ins since the last call, and set the delay of the bucket; the model has taken `model_s`."""
    log = await _answer_of(stand_ins["bucket"], f"/bench/log?delay_s={slow_bucket_s}")
    storage = [
        BucketRequest(operation=operation, started_s=started_s, ended_s=ended_s, body_bytes=body_bytes)
        for operation, started_s, ended_s, body_bytes in log
    ]
    model_requests = await _answer_of(stand_ins["gemini"], "/bench/asked")
    asked_s = [received_s for received_s, _ in model_requests]
    first_s, last_s = (min(asked_s), max(asked_s)) if asked_s else (0.0, 0.0)
    calls = await _answer_of(stand_ins["line"], "/bench/calls")
    replied_s = min((received_s for path, received_s in calls if path.endswith("/message/reply")), default=0.0)
    return Requests(
        storage=bucket_log.counts(storage),
        round_trips=bucket_log.round_trips(storage),
        round_trips_before_model=bucket_log.round_trips(one for one in storage if one.ended_s <= first_s),
        round_trips_after_model=bucket_log.round_trips(
            request
            for request in storage
            if request.started_s >= last_s + model_s and request.ended_s <= replied_s + _CLOCKS_APART_S
        ),
        gemini=len(model_requests),
        storage_bytes=sum(one.body_bytes for one in storage),
        prompt_bytes=sum(request_bytes for _, request_bytes in model_requests),
        line=len(calls),
    )


async def _answer_of(stand_in: Child, path: str) -> list[Any]:
    answer: list[Any] = (await asyncio.to_thread(wire.send, stand_in.port, path)).json()
    return answer


async def _throughput(processes: Processes, stand_ins: Mapping[str, Child], plan: Plan) -> Section:
    """Return the turns of one core in a second, with many concurrent chats and a model that takes half a second."""
    thinking = await processes.stand_in("gemini", "--latency-s", str(_MODEL_S))
    worker = await processes.start(processes.function("agent_worker", wiring({**stand_ins, "gemini": thinking})))
    chats = [await Chat.create(stand_ins["line"]) for _ in range(plan.chats_together)]
    with built.builder() as pool:
        group = chats[0].built(LONG, pool)
        for chat in chats:
            built.copy(group, stand_ins["bucket"], to=chat.group_id)
    await asyncio.gather(*(_say(worker, chat, addressed=True) for chat in chats))
    pid = usage.worker_pid(worker.pid)
    rounds: list[tuple[float, float]] = []
    for _ in range(plan.rounds_together):
        events = [await chat.say(addressed=True) for chat in chats]
        before_s, started_s = usage.cpu_s(pid) or 0.0, asyncio.get_running_loop().time()
        await asyncio.gather(*(push(worker, event) for event in events))
        rounds.append(
            ((usage.cpu_s(pid) or 0.0) - before_s, asyncio.get_running_loop().time() - started_s),
        )
    await processes.stop(worker, thinking)

    def row(label: str, unit: str, figures: Sequence[float], goal: Goal | None = None) -> Row:
        return Row(
            label=label, against="", unit=unit, comparison=Comparison.of([(one, 0.0) for one in figures]), goal=goal
        )

    rows = [row(f"wall time of a round of {len(chats)} turns", "ms", [wall_s * 1_000 for _, wall_s in rounds])]
    if all(cpu_s for cpu_s, _ in rounds):
        a_core = [len(chats) / cpu_s for cpu_s, _ in rounds]
        rows.append(row("turns a second of one core", "", a_core, at_least(_TURNS_A_SECOND)))
        rows.append(row("CPU time a turn", "ms", [cpu_s * 1_000 / len(chats) for cpu_s, _ in rounds], at_most(_CPU_MS)))
    return Section(
        title=f"{len(chats)} chats of {LONG} messages at once; the model takes {_MODEL_S:g} s",
        rows=rows,
        note="turns a second of one core: turns, divided by the seconds for which the worker computed",
        samples=rounds,
    )


async def _unsend_memory(processes: Processes, stand_ins: Mapping[str, Child]) -> dict[str, usage.Memory | None]:
    """Return the unsend function's memory before and after withdrawals of unknown messages."""
    function = await processes.start(processes.function("unsend", wiring(stand_ins, LEASE_S="1")))
    await asyncio.to_thread(wire.send, function.port, any_status=True)
    pid = usage.worker_pid(function.pid)
    memory = {AFTER_START: usage.memory(pid)}
    at_once = asyncio.Semaphore(_AT_ONCE)

    async def unsend(number: int) -> None:
        async with at_once:
            await push(function, _unsend_event(number))

    await asyncio.gather(*(unsend(number) for number in range(REQUESTS)))
    memory[AFTER_REQUESTS] = usage.memory(pid)
    await processes.stop(function)
    return memory


def _unsend_event(number: int) -> dict[str, object]:
    return {
        "type": "unsend",
        "unsend": {"messageId": str(573_000_000_000_000_000 + number)},
        "webhookEventId": f"01FZ74A0TDDPYRVKNK77XK{number:04d}",
        "deliveryContext": {"isRedelivery": False},
        "timestamp": 1_763_700_001_000,
        "source": {"type": "group", "groupId": f"C{number % _AT_ONCE:032x}"},
        "mode": "active",
    }


def _section(turns: Sequence[Mapping[str, Turn]], requests_by_chat: Mapping[str, Sequence[Requests]]) -> Section:
    rows = [_row("wall time", "ms", [(one["long"].wall_ms, one["short"].wall_ms) for one in turns])]
    cpu_ms = [(one["long"].cpu_ms, one["short"].cpu_ms) for one in turns]
    known_cpu_ms = [(long, short) for long, short in cpu_ms if long is not None and short is not None]
    if known_cpu_ms:
        rows.append(_row("CPU time", "ms", known_cpu_ms, at_most(_CPU_MS)))
    sides = list(zip(requests_by_chat["long"], requests_by_chat["short"], strict=True))
    for kind in bucket_log.KINDS:
        pairs = [(float(long.storage[kind]), float(short.storage[kind])) for long, short in sides]
        if any(any(pair) for pair in pairs):
            rows.append(_row(f"storage requests: {kind}", "", pairs))
    pairs = [(float(long.storage_requests), float(short.storage_requests)) for long, short in sides]
    rows.append(_row("storage requests, all", "", pairs, _REQUESTS))
    for label, (field, goal) in _COUNT_ROWS.items():
        pairs = [(float(getattr(long, field)), float(getattr(short, field))) for long, short in sides]
        rows.append(_row(label, "", pairs, goal))
    return Section(
        title=f"A turn of the agent worker in a group of {LONG} messages, push to acknowledgement",
        rows=rows,
        note="model and LINE answer at once; a round trip is counted where a storage request had to wait for another one",
        samples={
            "turns": [{name: asdict(one) for name, one in round_.items()} for round_ in turns],
            "counted": {name: [asdict(one) for one in requests] for name, requests in requests_by_chat.items()},
        },
    )


def _row(label: str, unit: str, pairs: Sequence[tuple[float, float]], goal: Goal | None = None) -> Row:
    return Row(label=label, against=f"group of {SHORT}", unit=unit, comparison=Comparison.of(pairs), goal=goal)
