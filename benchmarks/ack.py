"""The webhook's ack: the time from LINE's request to its 200, against a minimal webhook and against an empty function."""

import asyncio
import base64
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from benchmarks import usage, wire
from benchmarks.memory import AFTER_REQUESTS, AFTER_START, REQUESTS, Held
from benchmarks.plan import Plan
from benchmarks.processes import Processes, wiring
from benchmarks.samples import Comparison, interleave, percentile
from benchmarks.table import Row, Section, times
from simulator.functions import REPOSITORY
from simulator.processes import Child

GOAL: Final = times(1.1)
CONNECTIONS: Final = 16
NAMES: Final = ("webhook", "floor", "empty")
_FIGURE_NAMES: Final = {"p50_ms": "p50", "p99_ms": "p99", "cpu_ms": "CPU time a request"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The figures of one function in one round, per request.  `client_busy` is the share of a core that the client used."""

    p50_ms: float
    p99_ms: float
    cpu_ms: float | None
    client_busy: float


Rounds = Sequence[Mapping[str, Block]]


def functions_to_start(processes: Processes, pubsub: Child) -> dict[str, Child]:
    """Return the webhook and the functions to compare it with; none of them is started."""
    webhook = processes.function("webhook", wiring({"pubsub": pubsub}))
    attributes = json.dumps(dict(wire.bus_message(wire.delivery()).attributes))
    floor = processes.comparison("floor", webhook, published_attributes=attributes)
    empty = processes.comparison("empty", webhook, published_attributes=attributes)
    return {"webhook": webhook, "floor": floor, "empty": empty}


def body_for(name: str) -> bytes:
    """Return the request body for a function.  The floor publishes its body unchanged, so it gets what the webhook publishes."""
    delivery = wire.delivery()
    return wire.bus_message(delivery).data if name == "floor" else delivery


async def measure(processes: Processes, pubsub: Child, plan: Plan) -> tuple[Section, Held]:
    """Return the section, and the memory of the functions' workers."""
    functions = functions_to_start(processes, pubsub)
    held = {}
    for name, function in functions.items():
        await processes.start(function)
        await asyncio.to_thread(wire.send, function.port, any_status=True)
        held[name] = {AFTER_START: usage.memory(usage.worker_pid(function.pid))}
        await _block(name, function, connections=1, requests=REQUESTS)
        held[name][AFTER_REQUESTS] = usage.memory(usage.worker_pid(function.pid))
    samples: dict[int, list[dict[str, Block]]] = {}
    for connections, requests in ((1, plan.requests_alone), (CONNECTIONS, plan.requests_together)):
        samples[connections] = [{} for _ in range(plan.ack_rounds)]
        for number, name in interleave(NAMES, plan.ack_rounds):
            block = await _block(name, functions[name], connections=connections, requests=requests)
            samples[connections][number][name] = block
    await processes.stop(*functions.values())
    return _section(samples), held


async def _block(name: str, function: Child, *, connections: int, requests: int) -> Block:
    body = body_for(name)
    request = base64.b64encode(wire.raw_request(body, wire.signed_headers(body))).decode()
    plan = {"port": function.port, "request": request, "connections": connections, "requests": requests}
    worker = usage.worker_pid(function.pid)
    before_s = usage.cpu_s(worker)
    load = await _run_load(plan)
    after_s = usage.cpu_s(worker)
    posted = requests + connections  # the first request of each connection is not timed
    return Block(
        p50_ms=percentile(load["latencies_ms"], 50),
        p99_ms=percentile(load["latencies_ms"], 99),
        cpu_ms=None if before_s is None or after_s is None else (after_s - before_s) * 1_000 / posted,
        client_busy=load["busy"],
    )


async def _run_load(plan: Mapping[str, object]) -> dict[str, Any]:
    client = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.load"),
        cwd=REPOSITORY,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        figures, error = await client.communicate(json.dumps(plan).encode())
    finally:
        if client.returncode is None:
            client.kill()
            await client.wait()
    if client.returncode:
        raise wire.UnexpectedAnswerError(error.decode().strip())
    load: dict[str, Any] = json.loads(figures)
    return load


def _section(samples: Mapping[int, Rounds]) -> Section:
    busiest = max(block.client_busy for rounds in samples.values() for blocks in rounds for block in blocks.values())
    return Section(
        title="The webhook's ack: LINE's request to its 200",
        rows=[row for connections, rounds in samples.items() for row in _rows(connections, rounds)],
        note=f"the client took {busiest:.0%} of a core at most",
        samples={
            connections: [{name: asdict(block) for name, block in blocks.items()} for blocks in rounds]
            for connections, rounds in samples.items()
        },
    )


def _rows(connections: int, rounds: Rounds) -> Iterator[Row]:
    for against, goal in (("floor", GOAL), ("empty", None)):
        for figure, of_figure in (("p50_ms", goal), ("p99_ms", goal), ("cpu_ms", None)):
            sides = [(getattr(blocks["webhook"], figure), getattr(blocks[against], figure)) for blocks in rounds]
            if all(side is not None for pair in sides for side in pair):
                yield Row(
                    what=f"{connections} at once, {_FIGURE_NAMES[figure]}",
                    against=against,
                    unit="ms",
                    comparison=Comparison.of(sides),
                    goal=of_figure,
                )
