"""An unmodified bot under `line-simulator run`, for tests: started, ready after the answer to a verification, and stopped."""

import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from .bot_process import START_S, BotFailedError, free_port, stop
from .client import Line, LineError

_ACCEPTED: Final = 200
_POLL_S: Final = 0.1
_COMMAND: Final = str(__package__).rpartition(".")[0]


class UnmodifiedBot:
    """A running simulator with the bot: `with UnmodifiedBot("python bot.py {port}") as bot: Line(bot.url)`.

    Raises on entering: BotFailedError.
    """

    def __init__(  # noqa: PLR0913 - the options of a run
        self,
        command: str | Sequence[str],
        *,
        webhook: str = "http://127.0.0.1:{port}/callback",
        allowed: Sequence[str] = (),
        options: Sequence[str] = (),
        env: Mapping[str, str],
        start_s: float = START_S,
    ) -> None:
        self._bot_port = free_port()
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        parts = shlex.split(command) if isinstance(command, str) else command
        started = [self._fill(part) for part in parts]
        allowances = [option for host in allowed for option in ("--allow", host)]
        arguments = ["--port", str(self._port), "--webhook", self._fill(webhook), *allowances, *options]
        self._command = [sys.executable, "-m", _COMMAND, "run", *arguments, "--", *started]
        self._env = {**env, "PORT": str(self._bot_port)}
        self._start_s = start_s
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, env=self._env, start_new_session=True)  # noqa: S603 - the test's own bot
        try:
            self._wait_until_it_answers(self._process)
        except BaseException:
            stop(self._process)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            stop(self._process)

    def _fill(self, part: str) -> str:
        return part.replace("{port}", str(self._bot_port)).replace("{python}", sys.executable)

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        line, until_s = Line(self.url), time.monotonic() + self._start_s
        while time.monotonic() < until_s:
            if process.poll() is not None:
                raise BotFailedError(f"the bot ended with status {process.returncode}: {shlex.join(self._command)}")
            with suppress(OSError, LineError):
                line.do("verify")
                line.wait()
                if line.get("deliveries")["deliveries"][-1]["status"] == _ACCEPTED:
                    return
            time.sleep(_POLL_S)
        raise BotFailedError(f"the bot's webhook does not answer 200 after {self._start_s} s")
