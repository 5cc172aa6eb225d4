"""HTTP servers of the stand-ins, in the stack's own event loop."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp


class _Server(uvicorn.Server):
    """Uvicorn that leaves the signals to the launcher."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass(slots=True, kw_only=True)
class HttpServer:
    """Serves an app on a socket that listens already."""

    app: ASGIApp
    sock: socket.socket
    _server: _Server | None = None
    _serving: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        """Where it serves."""
        return int(self.sock.getsockname()[1])

    async def start(self) -> None:
        """Requests are answered from here on."""
        config = uvicorn.Config(
            self.app, log_level="critical", access_log=False, lifespan="off", timeout_graceful_shutdown=1
        )
        self._server = _Server(config)
        self._serving = asyncio.create_task(self._server.serve(sockets=[self.sock]))

    async def stop(self) -> None:
        """Nobody is served any more.  Repeated: does nothing."""
        if self._server is None or self._serving is None:
            return
        self._server.should_exit = True
        await self._serving
        self._server = None
