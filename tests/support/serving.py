"""Serving an application on a free port of this machine, in a thread with its own event loop, and a client for such servers."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

import httpx2
import uvicorn
from starlette.types import ASGIApp

START_TIMEOUT_S: Final = 10
ANSWER_TIMEOUT_S: Final = 90

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A running application."""

    url: str
    loop: asyncio.AbstractEventLoop

    def do(self, action: Callable[[], T]) -> T:
        """Return the result of the action, run in the application's loop."""

        async def act() -> T:
            return action()

        return asyncio.run_coroutine_threadsafe(act(), self.loop).result()


@contextmanager
def served(app: ASGIApp, *, has_lifespan: bool = False) -> Iterator[Served]:
    """Serve the application on 127.0.0.1 until the end of the block; `has_lifespan`: it has to be started and stopped."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app, log_level="critical", lifespan="on" if has_lifespan else "off", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=_run, args=(server, listener, loop), daemon=True)
    thread.start()
    try:
        yield Served(url=f"http://127.0.0.1:{listener.getsockname()[1]}", loop=loop)
    finally:
        server.should_exit = True
        thread.join(START_TIMEOUT_S)


def _run(server: uvicorn.Server, listener: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(server.serve(sockets=[listener]))


def plain_http(base_url: str = "") -> httpx2.Client:
    """Return a client for servers of this machine.  It uses no TLS, because loading certificates takes 40 ms."""
    return httpx2.Client(base_url=base_url, verify=False, trust_env=False, timeout=ANSWER_TIMEOUT_S)
