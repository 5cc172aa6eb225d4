"""Cold starts: from the start of a process to the first answer or turn.

The functions start from the deployed folders, compiled as by the platform's build and with the file times of a built image; the processes
write no bytecode.
Source: GoogleCloudPlatform/buildpacks, cmd/python/functions_framework (`compileall -f -q .`) and pkg/python (requirements); Cloud Native
Buildpacks, "Reproducibility" (every file of an image is of 1980).
"""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from benchmarks import ack, wire
from benchmarks.chats import Chat
from benchmarks.plan import Plan
from benchmarks.processes import Processes, end_group, wiring
from benchmarks.samples import Comparison, interleave
from benchmarks.table import Goal, Row, Section, times
from operations.release import files_of
from simulator.processes import HOST, Child

SOURCE_DATE_EPOCH: Final = 315_532_800
"""1980. infra/terraform sets it for the build, so that bytecode is checked by the hash of its source, not by its time."""
_WEBHOOK: Final = times(1.9)
_WORKER: Final = times(3)
_EMPTY: Final = "empty"
_CREDENTIALS: Final = "webhook, on the channel to Google, to a refusal"
_LOOKED: Final = "agent_worker, to its first look at the chat"
_ASKED: Final = "agent_worker, to its request to the model"
_PATIENCE_S: Final = 60.0
_POLL_S: Final = 0.001
_STOP_S: Final = 5.0

_Start = Callable[[], Awaitable[float]]


async def measure(processes: Processes, pubsub: Child, plan: Plan) -> Section:
    """Return the section, without the first round, which fills the file cache."""
    starts = {**_webhooks(processes, pubsub), **await _workers(processes)}
    rounds: list[dict[str, float]] = [{} for _ in range(1 + plan.starts)]
    for number, name in interleave(tuple(starts), len(rounds)):
        rounds[number][name] = await starts[name]()
    return _section(rounds[1:] or rounds)


def _webhooks(processes: Processes, pubsub: Child) -> dict[str, _Start]:
    """Return, by name in the table, how to start each publishing function and the empty function."""
    functions = ack.functions_to_start(processes, pubsub)
    functions["webhook"] = _deployed_function(functions["webhook"], "webhook", processes)
    env = {name: value for name, value in functions["webhook"].env.items() if name != "PUBSUB_EMULATOR_HOST"}
    with_credentials = replace(functions["webhook"], env=env)

    def start_of(name: str) -> _Start:
        return lambda: _first_answer_s(_without_bytecode(functions[name]), wire.delivery())

    async def start_with_credentials() -> float:
        return await _first_answer_s(_without_bytecode(with_credentials), b"", any_status=True)

    return {**{name: start_of(name) for name in functions}, _CREDENTIALS: start_with_credentials}


async def first_answers(processes: Processes, pubsub: Child, nights: int) -> list[tuple[float, float]]:
    """Return for each night the seconds to the webhook's 200, and from the worker's start to the end of its first turn.

    The model answers at once. Example: `[(0.3, 1.2)]`. A first night, which fills the file cache, is left out.
    """
    start_webhook = _webhooks(processes, pubsub)["webhook"]
    worker, stand_ins = await _deployed_worker(processes)

    async def start_worker() -> float:
        chat = await Chat.create(stand_ins["line"])
        return await _first_answer_s(worker, wire.push_body(await chat.say(addressed=True)))

    measured = [(await start_webhook(), await start_worker()) for _ in range(1 + nights)]
    return measured[1:]


async def _deployed_worker(processes: Processes) -> tuple[Child, Mapping[str, Child]]:
    stand_ins = {
        "bucket": await processes.stand_in("bucket", "--behind", (await processes.bucket()).url),
        "line": await processes.stand_in("line"),
        "gemini": await processes.stand_in("gemini"),
    }
    worker = processes.function("agent_worker", wiring(stand_ins))
    return _without_bytecode(_deployed_function(worker, "agent_worker", processes)), stand_ins


async def _workers(processes: Processes) -> dict[str, _Start]:
    deployed, stand_ins = await _deployed_worker(processes)
    asked_s: list[float] = []

    async def look() -> float:
        chat = await Chat.create(stand_ins["line"])
        await _answer_of(stand_ins["bucket"], "/bench/log?delay_s=0")
        await _answer_of(stand_ins["gemini"], "/bench/asked")
        body = wire.push_body(await chat.say(addressed=True))
        started_s = time.monotonic()
        await _first_answer_s(deployed, body)
        requests = await _answer_of(stand_ins["bucket"], "/bench/log?delay_s=0")
        model_requests = await _answer_of(stand_ins["gemini"], "/bench/asked")
        asked_s.append(min(received_s for received_s, _ in model_requests) - started_s)
        began_s: float = min(began_s for operation, began_s, *_ in requests if operation == "list")
        return began_s - started_s

    async def ask() -> float:
        """Return the seconds from the most recent start to its first request to the model."""
        return asked_s[-1] if asked_s else (await look(), asked_s[-1])[1]

    return {_LOOKED: look, _ASKED: ask}


async def _answer_of(stand_in: Child, path: str) -> list[list[Any]]:
    answer: list[list[Any]] = (await asyncio.to_thread(wire.send, stand_in.port, path)).json()
    return answer


def _deployed_function(function: Child, name: str, processes: Processes) -> Child:
    """Return the function, to start from its deployed folder."""
    folder = processes.folder / "deployed" / name
    for path, source in files_of(name).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    _compile(folder)
    command = list(function.command)
    command[command.index("--source") + 1] = "main.py"
    return replace(function, command=command, cwd=folder, env={**function.env, "PYTHONPATH": str(folder)})


def _compile(folder: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "compileall", "-f", "-q", "."],
        cwd=folder,
        env={"SOURCE_DATE_EPOCH": str(SOURCE_DATE_EPOCH)},
        check=True,
    )
    for source in folder.rglob("*.py"):
        os.utime(source, (SOURCE_DATE_EPOCH, SOURCE_DATE_EPOCH))


def _without_bytecode(function: Child) -> Child:
    return replace(function, env={**function.env, "PYTHONDONTWRITEBYTECODE": "1"})


def _section(rounds: Sequence[Mapping[str, float]]) -> Section:
    def row(name: str, against: str, goal: Goal | None = None) -> Row:
        pairs = [(round_[name] * 1_000, round_[against] * 1_000) for round_ in rounds]
        return Row(label=name, against=against, unit="ms", comparison=Comparison.of(pairs), goal=goal)

    return Section(
        title="Cold start: from the start of the process",
        rows=[
            row("webhook", _EMPTY, _WEBHOOK),
            row("webhook", "floor"),
            row("floor", _EMPTY),
            row(_CREDENTIALS, _EMPTY),
            row(_LOOKED, _EMPTY, _WORKER),
            row(_ASKED, _EMPTY),
        ],
        note="to the first 200, one publish included, unless a row says otherwise",
        samples=rounds,
    )


async def _first_answer_s(function: Child, body: bytes, *, any_status: bool = False) -> float:
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
        headers = wire.signed_headers(body)
        await asyncio.to_thread(wire.send, function.port, body=body, headers=headers, any_status=any_status)
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
