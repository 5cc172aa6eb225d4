"""`python -m benchmarks.self_hosted`: many chats at once with the process of `make serve`, and the resources of an idle process.

People say something, wait for the answer, pause, and go on. LINE's stand-in runs in this process, Gemini's stand-in in a separate process.
Gemini takes `--model-s` for every answer; that time is subtracted. strace counts fsyncs in
separate rounds, because strace slows a process down.
"""

import argparse
import asyncio
import contextlib
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from benchmarks import machine, usage
from benchmarks.processes import Processes
from benchmarks.samples import percentile
from shared.clock import SystemClock
from simulator.functions import REPOSITORY
from simulator.line.platform import LinePlatform
from simulator.line.servers import HttpServer
from simulator.processes import HOST, Child, free_port, listening_socket

_SECRET: Final = "channel-secret"  # noqa: S105 - of a stand-in
_TOKEN: Final = "channel-access-token"  # noqa: S105 - likewise
_TEXTS: Final = ("来週の旅行の{}番目の案はどうかな。", "What do you think of idea {}?", "ขอไอเดียที่ {} หน่อย")
_PATIENCE_S: Final = 120.0
_POLL_S: Final = 0.1
_PASSED: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV")
_TRACED_CHATS: Final = 10  # of more, strace stops a thread too often to keep up; fewer chats share fewer flushes
_FSYNCS: Final = re.compile(r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+) .*\b(?:fsync|fdatasync)$", re.MULTILINE)
GOALS: Final[Mapping[str, float]] = {
    "over the model, p95": 250,
    "resident memory, peak": 300,
    "fsyncs a turn": 8,
    "resident memory, idle after the turns": 150,
    "CPU when idle": 1,
}


@dataclass(slots=True, kw_only=True)
class Stage:
    """The stand-ins, and the process in a folder of its own."""

    folder: Path
    env: Mapping[str, str] = field(repr=False)
    model_s: float
    line: LinePlatform = field(init=False)
    process: Child = field(init=False)
    _running: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def start(self, *before: str) -> None:
        """Start everything; `before` is a program that runs the process, such as strace."""
        port, admin_port = free_port(), free_port()
        self.line = LinePlatform(
            webhook_url=f"http://{HOST}:{port}/",
            channel_secret=_SECRET,
            channel_access_token=_TOKEN,
            now_ms=lambda: time.time_ns() // 1_000_000,
            monotonic_s=time.monotonic,
            rng=Random(1),  # noqa: S311 - ids of a stand-in need no secrecy
            is_strict=False,  # the process listens on http
        )
        server = HttpServer(app=self.line.app, sock=listening_socket(0))
        await server.start()
        self._running.push_async_callback(server.stop)
        self._running.push_async_callback(self.line.close)
        processes = await self._running.enter_async_context(Processes(folder=self.folder, env=self.env))
        gemini = await processes.stand_in("gemini", "--latency-s", str(self.model_s))
        env = {
            **self.env,
            "LINE_CHANNEL_SECRET": _SECRET,
            "LINE_CHANNEL_ACCESS_TOKEN": _TOKEN,
            "LINE_API_BASE_URL": f"http://{HOST}:{server.port}",
            "GEMINI_API_KEY": "key",
            "GEMINI_BASE_URL": gemini.url,
            "ACCESS": "open",
            "PORT": str(port),
            "ADMIN_PORT": str(admin_port),
            "DATA": str(self.folder / "data"),
        }
        self.process = Child(
            name="selfhost",
            command=[*before, sys.executable, "-m", "selfhost"],
            port=port,
            log_path=self.folder / "selfhost.log",
            env=env,
            cwd=REPOSITORY,
        )
        self._running.push_async_callback(self.process.stop)
        await self.process.start()

    async def stop(self) -> None:
        """End everything, and let strace, the parent of the process, write the counts."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(usage.worker_pid(self.process.pid) or self.process.pid, signal.SIGTERM)
        await self.process.ended()
        await self._running.aclose()

    async def talk(self, chats: int, rounds: int) -> list[float]:
        """Let so many people talk at once; return the milliseconds of each turn over the model's time and the settle window."""
        people = [self.line.add_person(f"P{number}").user_id for number in range(chats)]
        chance = Random(2)  # noqa: S311 - pauses need no secrecy
        over = [self._chat(person, rounds, Random(chance.random())) for person in people]  # noqa: S311 - likewise
        return [ms for turns in await asyncio.gather(*over) for ms in turns]

    async def _chat(self, person: str, rounds: int, chance: Random) -> list[float]:
        over_ms = []
        for number in range(rounds):
            await asyncio.sleep(chance.uniform(0.0, self.model_s))
            self.line.say(person, person, _TEXTS[number % len(_TEXTS)].format(number))
            async with asyncio.timeout(_PATIENCE_S):
                while self._last(person)[0] == person:  # noqa: ASYNC110 - the stand-in has no event for an answer
                    await asyncio.sleep(_POLL_S)
            own_ms, answer_ms = (timestamp_ms for _, timestamp_ms in self._messages(person)[-2:])
            over_ms.append(answer_ms - own_ms - self.model_s * 1_000)
        return over_ms

    def _last(self, person: str) -> tuple[str, int]:
        return self._messages(person)[-1]

    def _messages(self, person: str) -> list[tuple[str, int]]:
        """Return who said something, and when by LINE's clock."""
        return [(message.sender_id, message.timestamp_ms) for message in self.line.chat(person).messages]


async def measure(options: argparse.Namespace, folder: Path, env: Mapping[str, str]) -> dict[str, float | None]:
    """Return the figures by name, as in GOALS, and some without a goal."""
    figures: dict[str, float | None] = {}
    stage = Stage(folder=folder / "load", env=env, model_s=options.model_s)
    await stage.start()
    try:
        pid = stage.process.pid
        await stage.talk(2, 2)  # imports
        cpu_s, began_s = usage.cpu_s(pid), time.monotonic()
        over_ms = await stage.talk(options.chats, options.rounds)
        took_s = time.monotonic() - began_s
        figures["turns"] = len(over_ms)
        figures["turns a second"] = len(over_ms) / took_s
        figures["CPU a turn"] = _difference(usage.cpu_s(pid), cpu_s, len(over_ms) / 1_000)
        figures["over the model, median"] = percentile(over_ms, 50)
        figures["over the model, p95"] = percentile(over_ms, 95)
        figures["resident memory, peak"] = usage.peak_mb(pid)
        await asyncio.sleep(options.model_s)
        cpu_s = usage.cpu_s(pid)
        await asyncio.sleep(options.idle_s)
        figures["CPU when idle"] = _difference(usage.cpu_s(pid), cpu_s, options.idle_s / 100)
        memory = usage.memory(pid)
        figures["resident memory, idle after the turns"] = memory.rss_mb if memory is not None else None
    finally:
        await stage.stop()
    figures["fsyncs a turn"] = await _fsyncs(options, folder, env)
    return figures


async def _fsyncs(options: argparse.Namespace, folder: Path, env: Mapping[str, str]) -> float:
    counts = folder / "fsyncs"
    stage = Stage(folder=folder / "traced", env=env, model_s=options.model_s)
    await stage.start("strace", "-f", "-c", "--seccomp-bpf", "-e", "trace=fsync,fdatasync", "-o", str(counts))
    try:
        turns = len(await stage.talk(min(options.chats, _TRACED_CHATS), options.rounds))
    finally:
        await stage.stop()
    return sum(map(int, _FSYNCS.findall(counts.read_text(encoding="utf-8")))) / turns


def _difference(after: float | None, before: float | None, divisor: float) -> float | None:
    return None if after is None or before is None else (after - before) / divisor


_UNITS: Final = {
    "turns": "",
    "turns a second": "",
    "CPU a turn": "ms",
    "fsyncs a turn": "",
    "CPU when idle": "% of a core",
}


def report(figures: Mapping[str, float | None]) -> str:
    """Return a line for each figure, with its goal."""
    lines = []
    for name, value in figures.items():
        unit = _UNITS.get(name, "ms" if name.startswith("over") else "MB")
        goal = GOALS.get(name)
        shown = "not known" if value is None else f"{value:,.2f} {unit}"
        verdict = "" if goal is None or value is None else f"<= {goal:g} {'met' if value <= goal else 'not met'}"
        lines.append(f"{name:<40}{shown:>22}   {verdict}".rstrip())
    return "\n".join(lines)


def main(arguments: Sequence[str], env: Mapping[str, str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.self_hosted", description=__doc__)
    parser.add_argument("--chats", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each chat")
    parser.add_argument("--model-s", type=float, default=2.0, help="how long Gemini takes")
    parser.add_argument("--idle-s", type=float, default=130.0, help="how long the idle process is watched")
    options = parser.parse_args(arguments)
    passed = {name: env[name] for name in _PASSED if name in env}
    with tempfile.TemporaryDirectory(prefix="aizuchi-bench-") as folder:
        figures = asyncio.run(measure(options, Path(folder), passed))
    print(f"{machine.header_line(SystemClock())}\n{report(figures)}")


if __name__ == "__main__":
    main(sys.argv[1:], os.environ)  # noqa: TID251 - the entry point reads the environment
