"""Cold starts: from the start of the process to its first 200, one publish included."""

import asyncio
import contextlib
import socket
import time
from typing import Final

from benchmarks import ack, wire
from benchmarks.plan import Plan
from benchmarks.processes import Processes, end_group
from benchmarks.samples import Comparison, interleave
from benchmarks.table import Row, Section
from simulator.processes import HOST, Child

TARGET: Final = 2.2
_PATIENCE_S: Final = 60.0
_POLL_S: Final = 0.001
_STOP_S: Final = 5.0


async def measure(processes: Processes, pubsub: Child, plan: Plan) -> Section:
    """Return the section.  A first round is not counted: it writes bytecode and fills the file cache."""
    functions = ack.functions_to_start(processes, pubsub)
    rounds: list[dict[str, float]] = [{} for _ in range(1 + plan.starts)]
    for number, name in interleave(ack.NAMES, len(rounds)):
        rounds[number][name] = await _first_answer_s(functions[name], ack.body_for(name))
    counted = rounds[1:]

    def row(name: str, against: str, target: float | None) -> Row:
        pairs = [(round_[name] * 1_000, round_[against] * 1_000) for round_ in counted]
        return Row(what=name, against=against, unit="ms", comparison=Comparison.of(pairs), target=target)

    return Section(
        title="Cold start: process start to the first 200, one publish included",
        rows=[row("webhook", "empty", TARGET), row("webhook", "floor", None), row("floor", "empty", None)],
        samples=counted,
    )


async def _first_answer_s(function: Child, body: bytes) -> float:
    function.log_path.parent.mkdir(parents=True, exist_ok=True)
    with function.log_path.open("ab") as log:
        started_s = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *function.command,
            env=function.env,
            cwd=function.cwd,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C reaches only the benchmarks, which then end this process
        )
    try:
        await _await_listener(process, function)
        await asyncio.to_thread(wire.send, function.port, body=body, headers=wire.signed_headers(body))
        return time.perf_counter() - started_s
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _STOP_S)
        end_group(process.pid)
        await process.wait()


async def _await_listener(process: asyncio.subprocess.Process, function: Child) -> None:
    until_s = time.perf_counter() + _PATIENCE_S
    while time.perf_counter() < until_s and process.returncode is None:
        with socket.socket() as probe:
            if probe.connect_ex((HOST, function.port)) == 0:
                return
        await asyncio.sleep(_POLL_S)
    raise wire.UnexpectedAnswerError(f"{function.name} does not start; see {function.log_path}")
