"""An unmodified bot under `line-simulator run`, with a person who speaks to it."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from simulator.functions import REPOSITORY
from simulator.line.testing import Line, Person
from simulator.line.testing.bot_process import free_port
from simulator.line.testing.client import LineError

BOTS: Final = Path(__file__).parent / "unmodified"
IN_CI: Final = bool(os.environ.get("CI"))  # noqa: TID251
NAMESPACES: Final = "namespaces"
ENVIRONMENT: Final = "environment"
MODES: Final = (NAMESPACES, ENVIRONMENT)
START_S: Final = 30
_ENTER: Final = "from simulator.line.run.sandbox import enter_namespaces; enter_namespaces()"


@dataclass(frozen=True, slots=True)
class RunningBot:
    line: Line
    alice: Person
    process: subprocess.Popen[str]

    def answer_to(self, text: str) -> str:
        self.alice.say(text)
        return self.alice.expect_reply(within_s=15).text


@cache
def refused_namespaces() -> str:
    """Return why this machine lets no process enter namespaces; "" where it does."""
    if not sys.platform.startswith("linux"):
        return "namespaces are a feature of Linux"
    done = subprocess.run(
        [sys.executable, "-c", _ENTER], cwd=REPOSITORY, capture_output=True, text=True, timeout=30, check=False
    )
    return "" if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2]


def need_namespaces(mode: str) -> None:
    if mode == NAMESPACES and (reason := refused_namespaces()):
        pytest.skip(f"this machine allows no namespaces ({reason}); the way by the environment is tested all the same")


def command_of(bot: str) -> list[str]:
    """Return the command of a bot in `unmodified`; `{port}` stands for its port."""
    program = {".py": sys.executable, ".mjs": "node"}[Path(bot).suffix]
    found = shutil.which(program)
    if found is None:
        if IN_CI:
            pytest.fail(f"{program} is needed, and CI must have it: .ci/run installs it")
        pytest.skip(f"no {program} on this machine")
    return [found, str(BOTS / bot), "{port}"]


def program(name: str, package: str) -> str:
    """Return the program's path, or skip the test: only Python and Node.js are required of CI."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} on this machine; on Debian: apt-get install {package}")
    return found


@contextmanager
def running(command: Sequence[str], mode: str, *options: str, program: Sequence[str] = ()) -> Iterator[RunningBot]:
    """Run the bot until it answers a verification."""
    need_namespaces(mode)
    port, bot_port = free_port(), free_port()
    started = [part.replace("{port}", str(bot_port)) for part in command]
    ways = [] if mode == NAMESPACES else ["--no-namespaces"]
    webhook = f"http://127.0.0.1:{bot_port}/callback"
    arguments = ["run", "--port", str(port), "--webhook", webhook, *ways, *options, "--", *started]
    env = {**os.environ, "PORT": str(bot_port)}  # noqa: TID251 - that of the test, for a process
    process = subprocess.Popen(
        [*(program or (sys.executable, "-m", "simulator.line")), *arguments],
        cwd=None if program else REPOSITORY,
        env=env,
        stderr=subprocess.PIPE,
        text=True,
    )
    line = Line(f"http://127.0.0.1:{port}")
    try:
        _wait(line, process)
        yield RunningBot(line, line.person("Alice"), process)
    finally:
        process.terminate()
        process.communicate(timeout=30)


def _wait(line: Line, process: subprocess.Popen[str]) -> None:
    until_s = time.monotonic() + START_S
    while time.monotonic() < until_s:
        assert process.poll() is None, process.communicate()[1]
        with suppress(OSError, LineError):
            line.do("verify")
            line.wait()
            if line.get("deliveries")["deliveries"][-1]["status"] == 200:
                return
        time.sleep(0.1)
    process.terminate()
    pytest.fail(f"the bot did not answer within {START_S} s: {process.communicate(timeout=30)[1]}")
