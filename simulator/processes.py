"""Child processes of the local stack: started with a log file, ready with an open port, stopped by process id."""

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from simulator.line import servers

HOST: Final = servers.LOOPBACK
_READY_POLL_S: Final = 0.02
_STOP_S: Final = 8.0
_LOG_LINES_TOLD: Final = 5

_held_ports: Final[dict[int, int]] = {}  # the file descriptor of the socket that holds the port


class StackError(Exception):
    """The local stack cannot start or run on; the message says what to do."""


def listening_socket(port: int) -> socket.socket:
    """Return a socket listening on the port; 0 takes any free port.  Raises: StackError, if another process has the port."""
    try:
        return servers.listening_socket(port, HOST)
    except servers.PortInUseError as cause:
        raise StackError(f"port {port} is in use; take another one with: make run PORT={port + 1}") from cause


def free_port() -> int:
    """Return a port for a child process, held until `release_port` or the end of this process.

    No connection and no other stack gets the port, not even between two starts of the child. The child can listen on the port, because the
    socket held here does not listen, and both sockets set SO_REUSEADDR.
    """
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((HOST, 0))
    port = int(sock.getsockname()[1])
    _held_ports[port] = sock.detach()
    return port


def release_port(port: int) -> None:
    """Give the port up.  Repeated: does nothing."""
    descriptor = _held_ports.pop(port, None)
    if descriptor is not None:
        os.close(descriptor)


class Process(Protocol):
    """A running process, in a separate session, for example one of asyncio's."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    async def wait(self) -> int: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


async def execute(child: "Child") -> Process:
    """Run the child's command, and append its output to the log."""
    with child.log_path.open("ab") as log:
        return await asyncio.create_subprocess_exec(
            *child.command,
            env=child.env,
            cwd=child.cwd,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C reaches only the launcher, which then stops its children in order
        )


Launch = Callable[["Child"], Awaitable[Process]]


@dataclass(slots=True, kw_only=True)
class Child:
    """A process of the stack serving on a local port.  `launch` starts the process."""

    name: str
    command: Sequence[str]
    port: int
    log_path: Path
    env: Mapping[str, str] = field(repr=False)
    cwd: Path | None = None
    launch: Launch = execute
    _process: Process | None = None

    @property
    def url(self) -> str:
        """The address of the process."""
        return f"http://{HOST}:{self.port}"

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process is not None  # noqa: S101 - it was started
        return self._process.pid

    async def start(self, *, timeout_s: float = 30.0) -> None:
        """Start the process; return once connections are accepted.  Raises: StackError, if the process ends or does not serve in time."""
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        self._process = await self.launch(self)
        try:
            async with asyncio.timeout(timeout_s):
                while not await self._answers():
                    if self._process.returncode is not None:
                        raise StackError(self._obituary())
                    await asyncio.sleep(_READY_POLL_S)
        except TimeoutError as cause:
            raise StackError(f"{self.name} did not start within {timeout_s:.0f} s; see {self.log_path}") from cause

    async def ended(self) -> str:
        """Wait for the end of the process; return the status and the end of the log."""
        assert self._process is not None  # noqa: S101 - it was started
        await self._process.wait()
        return self._obituary()

    async def stop(self) -> None:
        """Terminate the process, and kill a process still running after the timeout.  Repeated: does nothing."""
        release_port(self.port)
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            async with asyncio.timeout(_STOP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        with contextlib.suppress(ProcessLookupError):  # a worker that is busy in a request may outlive its master
            os.killpg(process.pid, signal.SIGKILL)

    def _obituary(self) -> str:
        status = self._process.returncode if self._process else None
        last = self.log_path.read_text(errors="replace").splitlines()[-_LOG_LINES_TOLD:]
        return "\n".join([f"{self.name} ended with status {status}; the end of {self.log_path}:", *last])

    async def _answers(self) -> bool:
        try:
            _, writer = await asyncio.open_connection(HOST, self.port)
        except OSError:
            return False
        writer.close()
        await writer.wait_closed()
        return True
