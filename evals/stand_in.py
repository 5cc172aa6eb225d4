"""The stand-in for Gemini on a local port.  Simple rules make its answers, so a run measures the machinery, not a model."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn

from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import FixedSecret
from simulator.gemini.app import GeminiStandIn

NAME: Final = "stand-in"
_STOP_S: Final = 5.0


@contextmanager
def stand_in() -> Iterator[GeminiSettings]:
    """Serve the stand-in until the end of the block; the yielded settings lead to the stand-in."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(GeminiStandIn().app, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True)
    thread.start()
    try:
        yield GeminiSettings(
            api_key=FixedSecret("stand-in"),
            project_id="evals",
            location=None,
            base_url=f"http://127.0.0.1:{listener.getsockname()[1]}",
            model="gemini-3.5-flash-lite",
            thinking_level="low",
        )
    finally:
        server.should_exit = True
        thread.join(_STOP_S)
