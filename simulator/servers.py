"""HTTP servers of the stand-ins, in the event loop of the stack."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp


class _Server(uvicorn.Server):
    """A uvicorn server that leaves signals to the launcher."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass(slots=True, kw_only=True)
class HttpServer:
    """Serves an app on a listening socket."""

    app: ASGIApp
    sock: socket.socket
    _server: _Server | None = None
    _serving: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        """The port of the socket."""
        return int(self.sock.getsockname()[1])

    async def start(self) -> None:
        """Start to serve requests."""
        config = uvicorn.Config(
            self.app, log_level="critical", access_log=False, lifespan="off", timeout_graceful_shutdown=1
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
