"""The bot of a test as a process: started, waited for, and stopped."""

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Final, Self

START_S: Final = 30
STOP_S: Final = 5
_POLL_S: Final = 0.05


class BotFailedError(RuntimeError):
    """The bot ended before listening, or does not listen in time."""


def free_port() -> int:
    """Return a port without a listener."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class BotProcess:
    """A running bot: `with BotProcess("node bot.js {port}", port=8000, env={...})`. In the command `{port}` and `{python}` are replaced.

    Raises on entering: BotFailedError.
    """

    def __init__(
        self, command: str | Sequence[str], *, port: int, env: Mapping[str, str], start_s: float = START_S
    ) -> None:
        parts = shlex.split(command) if isinstance(command, str) else command
        self._command = [part.replace("{port}", str(port)).replace("{python}", sys.executable) for part in parts]
        self._port = port
        self._env = {**os.environ, "PORT": str(port), **env}  # noqa: TID251 - the bot inherits the environment of its test
        self._start_s = start_s
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        # A separate group, so that a launcher such as npm ends together with its server.
        self._process = subprocess.Popen(self._command, env=self._env, start_new_session=True)  # noqa: S603 - the test's own bot
        try:
            self._wait_until_it_listens(self._process)
        except BaseException:
            stop(self._process)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            stop(self._process)

    def _wait_until_it_listens(self, process: subprocess.Popen[bytes]) -> None:
        until_s = time.monotonic() + self._start_s
        while time.monotonic() < until_s:
            if process.poll() is not None:
                raise BotFailedError(f"the bot ended with status {process.returncode}: {shlex.join(self._command)}")
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(_POLL_S)
        raise BotFailedError(f"the bot does not listen on port {self._port} after {self._start_s} s")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the process and its group.  Repeated: does nothing."""
    if process.poll() is not None:
        return
    _signal_group(process, signal.SIGTERM)
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        _signal_group(process, signal.SIGKILL)
        process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, number)
    else:
        process.kill()
