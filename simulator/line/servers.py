"""HTTP servers of the stand-ins, in one event loop, and their listening sockets."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import uvicorn
from starlette.types import ASGIApp

LOOPBACK: Final = "127.0.0.1"


class PortInUseError(Exception):
    """Another process listens on the port."""


def listening_socket(port: int, host: str = LOOPBACK) -> socket.socket:
    """Return a socket listening on the port; 0 chooses any free port.  Raises: PortInUseError."""
    # With an explicit protocol asyncio disables Nagle's algorithm; otherwise a body waits 40 ms for the acknowledgement of the head.
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
    except OSError as cause:
        sock.close()
        raise PortInUseError(f"{host}:{port} cannot be used: {cause.strerror}") from cause
    sock.listen(128)
    return sock


class _Server(uvicorn.Server):
    """A uvicorn server without signal handlers: signals are for the launcher."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass(slots=True, kw_only=True)
class HttpServer:
    """Serves an app on a listening socket; with `certificate`, a file with a key and a chain, over TLS."""

    app: ASGIApp
    sock: socket.socket
    certificate: Path | None = None
    _server: _Server | None = None
    _serving: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        """The port of the socket."""
        return int(self.sock.getsockname()[1])

    async def start(self) -> None:
        """Start to serve requests."""
        config = uvicorn.Config(
            self.app,
            log_level="critical",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=1,
            ssl_certfile=self.certificate,
        )
        self._server = _Server(config)
        self._serving = asyncio.create_task(self._server.serve(sockets=[self.sock]))

    async def stop(self) -> None:
        """Stop serving.  Repeated: does nothing."""
        if self._server is None or self._serving is None:
            return
        self._server.should_exit = True
        await self._serving
        self._server = None
