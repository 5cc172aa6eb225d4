"""The webhook's ack: the time from LINE's request to the 200, against a minimal webhook and against an empty function."""

import asyncio
import base64
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from benchmarks import usage, wire
from benchmarks.memory import AFTER_REQUESTS, AFTER_START, REQUESTS, MemoryByFunction
from benchmarks.plan import Plan
from benchmarks.processes import Processes, wiring
from benchmarks.samples import Comparison, percentile
from benchmarks.table import Row, Section, times
from simulator.functions import REPOSITORY
from simulator.processes import Child

GOAL: Final = times(1.05)
CONNECTIONS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The requests to one function in one round: latencies, and CPU time per request."""

    latencies_ms: tuple[float, ...]
    cpu_ms: float | None

    @property
    def p50_ms(self) -> float:
        """The median of the latencies."""
        return percentile(self.latencies_ms, 50)


Rounds = Sequence[Mapping[str, Block]]


def functions_to_start(processes: Processes, pubsub: Child) -> dict[str, Child]:
    """Return the webhook and the functions for comparison, all of them not started."""
    webhook = processes.function("webhook", wiring({"pubsub": pubsub}))
    attributes = json.dumps(dict(wire.bus_message(wire.delivery()).attributes))
    floor = processes.comparison("floor", webhook, published_attributes=attributes)
    empty = processes.comparison("empty", webhook, published_attributes=attributes)
    return {"webhook": webhook, "floor": floor, "empty": empty}


async def measure(processes: Processes, pubsub: Child, plan: Plan) -> tuple[Section, MemoryByFunction]:
    """Return the section, and the memory of the functions' workers."""
    functions = functions_to_start(processes, pubsub)
    memory = {}
    for name, function in functions.items():
        await processes.start(function)
        await asyncio.to_thread(wire.send, function.port, any_status=True)
        memory[name] = {AFTER_START: usage.memory(usage.worker_pid(function.pid))}
        await _load({name: function}, rounds=1, connections=1, requests=REQUESTS)
        memory[name][AFTER_REQUESTS] = usage.memory(usage.worker_pid(function.pid))
    samples: dict[int, Rounds] = {}
    busiest = 0.0
    for connections, requests in ((1, plan.requests_alone), (CONNECTIONS, plan.requests_together)):
        rounds, busy = await _load(functions, rounds=plan.ack_rounds, connections=connections, requests=requests)
        samples[connections] = rounds
        busiest = max(busiest, busy)
    await processes.stop(*functions.values())
    return _section(samples, busiest), memory


async def _load(
    functions: Mapping[str, Child], *, rounds: int, connections: int, requests: int
) -> tuple[Rounds, float]:
    """Return the blocks of every round, and the client's share of a core."""
    plan = {
        "targets": {name: _target(function) for name, function in functions.items()},
        "rounds": rounds,
        "connections": connections,
        "requests": requests,
    }
    load = await _run_load(plan)
    posted = requests + connections  # the first request of each connection is not timed
    blocks_by_round = [
        {
            name: Block(
                latencies_ms=tuple(block["latencies_ms"]),
                cpu_ms=None if block["cpu_s"] is None else block["cpu_s"] * 1_000 / posted,
            )
            for name, block in blocks.items()
        }
        for blocks in load["rounds"]
    ]
    return blocks_by_round, load["busy"]


def _target(function: Child) -> dict[str, object]:
    body = wire.delivery()
    request = base64.b64encode(wire.raw_request(body, wire.signed_headers(body))).decode()
    return {"port": function.port, "pid": usage.worker_pid(function.pid), "request": request}


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


def _section(samples: Mapping[int, Rounds], busiest: float) -> Section:
    return Section(
        title="The webhook's ack: LINE's request to its 200",
        rows=[row for connections, rounds in samples.items() for row in _rows(connections, rounds)],
        note=f"the p99 is over all requests; the client took {busiest:.0%} of a core at most",
        samples={
            connections: [{name: asdict(block) for name, block in blocks.items()} for blocks in rounds]
            for connections, rounds in samples.items()
        },
    )


def _rows(connections: int, rounds: Rounds) -> Iterator[Row]:
    for against, goal in (("floor", GOAL), ("empty", None)):
        p50_ms = [(blocks["webhook"].p50_ms, blocks[against].p50_ms) for blocks in rounds]
        p99_ms = [(_p99_ms(rounds, "webhook"), _p99_ms(rounds, against))]
        cpu_ms = [(blocks["webhook"].cpu_ms, blocks[against].cpu_ms) for blocks in rounds]
        known_cpu_ms = [(ours, theirs) for ours, theirs in cpu_ms if ours is not None and theirs is not None]
        for figure, sides, of_figure in (
            ("p50", p50_ms, goal),
            ("p99", p99_ms, goal),
            ("CPU time a request", known_cpu_ms, None),
        ):
            if sides:
                yield Row(
                    label=f"{connections} at once, {figure}",
                    against=against,
                    unit="ms",
                    comparison=Comparison.of(sides),
                    goal=of_figure,
                )


def _p99_ms(rounds: Rounds, name: str) -> float:
    """Return the p99 of all requests; within a round, the p99 would be only one or two requests."""
    return percentile([one for blocks in rounds for one in blocks[name].latencies_ms], 99)
