"""A warm turn of the agent worker: from Pub/Sub's push to its acknowledgement, in a short chat and in a long one.

Time and CPU time are measured on stand-ins without latency. Requests to storage are counted on another instance, in the same chats.
Its bucket answers so slowly that concurrent requests overlap and can be distinguished from sequential ones.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from benchmarks import bucket_log, usage, wire
from benchmarks.bucket_log import BucketRequest
from benchmarks.chats import Chat, push
from benchmarks.memory import AFTER_REQUESTS, AFTER_START, REQUESTS, Held
from benchmarks.plan import Plan
from benchmarks.processes import Processes, wiring
from benchmarks.samples import Comparison, interleave
from benchmarks.table import Row, Section
from simulator.processes import Child

SHORT: Final = 10
LONG: Final = REQUESTS
_TURNS_IN_A_SHORT_CHAT: Final = 4  # then a new chat is created, so that it stays short
_SLOW_BUCKET_S: Final = 0.25
_UNSENDS_AT_ONCE: Final = 16
_COUNT_ROWS: Final = {
    "storage round trips, one after another": "round_trips",
    "of them before the model is asked": "round_trips_before_model",
    "of them after its last word": "round_trips_after_model",
    "requests to Gemini": "gemini",
    "requests to LINE": "line",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The time of the worker for one turn."""

    wall_ms: float
    cpu_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """The requests of the worker in one turn.  `benchmarks.bucket_log.round_trips` defines a round trip."""

    storage: Mapping[str, int]
    round_trips: int
    round_trips_before_model: int
    round_trips_after_model: int
    gemini: int
    line: int
    storage_bytes: int
    prompt_bytes: int


async def measure(processes: Processes, plan: Plan) -> tuple[Section, Held]:
    """Return the section, and the memory of the workers of agent_worker and unsend."""
    storage = await processes.bucket()
    stand_ins = {
        "bucket": storage,
        "line": await processes.stand_in("line"),
        "gemini": await processes.stand_in("gemini"),
    }
    worker = await processes.start(processes.function("agent_worker", wiring(stand_ins, SETTLE_MS="0")))
    long, held = await _long_chat(stand_ins["line"], worker)
    turns, short = await _time_turns(stand_ins["line"], worker, long, plan)
    await processes.stop(worker)
    held_by_unsend = await _unsend_memory(processes, stand_ins)
    slow = await processes.stand_in("bucket", "--behind", storage.url)
    slow_stand_ins = {**stand_ins, "bucket": slow}
    counted = await _count_requests(processes, slow_stand_ins, {"long": long, "short": short}, plan)
    return _section(turns, counted), {"agent_worker": held, "unsend": held_by_unsend}


async def _long_chat(line: Child, worker: Child) -> tuple[Chat, dict[str, usage.Memory | None]]:
    """Return a long chat, whose messages came one a request, and the memory of the worker before and after."""
    await asyncio.to_thread(wire.send, worker.port, any_status=True)
    pid = usage.worker_pid(worker.pid)
    held = {AFTER_START: usage.memory(pid)}
    chat = await Chat.create(line)
    await chat.grow(LONG, worker=worker)
    return chat, {**held, AFTER_REQUESTS: usage.memory(pid)}


async def _time_turns(line: Child, worker: Child, long: Chat, plan: Plan) -> tuple[list[dict[str, Turn]], Chat]:
    rounds: list[dict[str, Turn]] = [{} for _ in range(plan.turns)]
    short = await _short_chat(line, worker)
    for number, name in interleave(("long", "short"), plan.turns):
        if short.messages >= SHORT + _TURNS_IN_A_SHORT_CHAT:
            short = await _short_chat(line, worker)
        rounds[number][name] = await _turn(worker, long if name == "long" else short)
    return rounds, short


async def _short_chat(line: Child, worker: Child) -> Chat:
    chat = await Chat.create(line)
    await chat.grow(SHORT, worker=worker)
    return chat


async def _turn(worker: Child, chat: Chat) -> Turn:
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
    worker = await processes.start(processes.function("agent_worker", wiring(stand_ins, SETTLE_MS="0")))
    counted: dict[str, list[Requests]] = {name: [] for name in chats}
    for chat in chats.values():
        await _turn(worker, chat)  # fills the caches of this instance
    for _, name in interleave(tuple(chats), plan.counted_turns):
        await take_requests(stand_ins, slow_bucket_s=_SLOW_BUCKET_S)
        await _turn(worker, chats[name])
        counted[name].append(await take_requests(stand_ins, slow_bucket_s=0.0))
    await processes.stop(worker)
    return counted


async def take_requests(stand_ins: Mapping[str, Child], *, slow_bucket_s: float) -> Requests:
    """Return the requests to the stand-ins since the last call, and set the delay of the bucket."""
    log = await _answer_of(stand_ins["bucket"], f"/bench/log?delay_s={slow_bucket_s}")
    storage = [
        BucketRequest(operation=one, started_s=started_s, ended_s=ended_s, body_bytes=body_bytes)
        for one, started_s, ended_s, body_bytes in log
    ]
    asked = await _answer_of(stand_ins["gemini"], "/bench/asked")
    asked_s = [received_s for received_s, _ in asked]
    first_s, last_s = (min(asked_s), max(asked_s)) if asked_s else (0.0, 0.0)
    return Requests(
        storage=bucket_log.counts(storage),
        round_trips=bucket_log.round_trips(storage),
        round_trips_before_model=bucket_log.round_trips(one for one in storage if one.ended_s <= first_s),
        round_trips_after_model=bucket_log.round_trips(one for one in storage if one.started_s >= last_s),
        gemini=len(asked),
        storage_bytes=sum(one.body_bytes for one in storage),
        prompt_bytes=sum(request_bytes for _, request_bytes in asked),
        line=len(await _answer_of(stand_ins["line"], "/bench/calls")),
    )


async def _answer_of(stand_in: Child, path: str) -> list[Any]:
    answer: list[Any] = (await asyncio.to_thread(wire.send, stand_in.port, path)).json()
    return answer


async def _unsend_memory(processes: Processes, stand_ins: Mapping[str, Child]) -> dict[str, usage.Memory | None]:
    """Return the memory of the unsend function before and after it withdrew unknown messages."""
    function = await processes.start(processes.function("unsend", wiring(stand_ins, LEASE_S="1")))
    await asyncio.to_thread(wire.send, function.port, any_status=True)
    pid = usage.worker_pid(function.pid)
    held = {AFTER_START: usage.memory(pid)}
    at_once = asyncio.Semaphore(_UNSENDS_AT_ONCE)

    async def unsend(number: int) -> None:
        async with at_once:
            await push(function, _unsend_event(number))

    await asyncio.gather(*(unsend(number) for number in range(REQUESTS)))
    held[AFTER_REQUESTS] = usage.memory(pid)
    await processes.stop(function)
    return held


def _unsend_event(number: int) -> dict[str, object]:
    return {
        "type": "unsend",
        "unsend": {"messageId": str(573_000_000_000_000_000 + number)},
        "webhookEventId": f"01FZ74A0TDDPYRVKNK77XK{number:04d}",
        "deliveryContext": {"isRedelivery": False},
        "timestamp": 1_763_700_001_000,
        "source": {"type": "group", "groupId": "C" + "0" * 32},
        "mode": "active",
    }


def _section(turns: Sequence[Mapping[str, Turn]], counted: Mapping[str, Sequence[Requests]]) -> Section:
    rows = [_row("wall time", "ms", [(one["long"].wall_ms, one["short"].wall_ms) for one in turns])]
    cpu_ms = [(one["long"].cpu_ms, one["short"].cpu_ms) for one in turns]
    known_cpu_ms = [(long, short) for long, short in cpu_ms if long is not None and short is not None]
    if known_cpu_ms:
        rows.append(_row("CPU time", "ms", known_cpu_ms))
    sides = list(zip(counted["long"], counted["short"], strict=True))
    for kind in bucket_log.KINDS:
        pairs = [(float(long.storage[kind]), float(short.storage[kind])) for long, short in sides]
        if any(any(pair) for pair in pairs):
            rows.append(_row(f"storage requests: {kind}", "", pairs))
    for what, field in _COUNT_ROWS.items():
        rows.append(
            _row(what, "", [(float(getattr(long, field)), float(getattr(short, field))) for long, short in sides])
        )
    return Section(
        title=f"A turn of the agent worker in a group of {LONG} messages, push to acknowledgement",
        rows=rows,
        note="model and LINE answer at once; a round trip is counted where a storage request had to wait for another one",
        samples={
            "turns": [{name: asdict(one) for name, one in round_.items()} for round_ in turns],
            "counted": {name: [asdict(one) for one in requests] for name, requests in counted.items()},
        },
    )


def _row(what: str, unit: str, pairs: Sequence[tuple[float, float]]) -> Row:
    return Row(what=what, against=f"group of {SHORT}", unit=unit, comparison=Comparison.of(pairs))
