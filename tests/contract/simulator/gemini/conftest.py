"""The stand-in behind a real socket, and the real client in front of it, by API key and by Vertex."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import uvicorn
from google import genai
from google.genai import types
from google.oauth2.credentials import Credentials

from simulator.gemini.app import GeminiStandIn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

START_TIMEOUT_S = 10.0


@pytest.fixture(scope="session")
def server() -> Iterator[tuple[GeminiStandIn, str]]:
    """One server for all tests, and its address."""
    stand_in = GeminiStandIn()
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(stand_in.app, log_config=None, lifespan="off", ws="none")
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        give_up_s = time.monotonic() + START_TIMEOUT_S
        while not running.started and time.monotonic() < give_up_s:
            time.sleep(0.005)
        yield stand_in, f"http://127.0.0.1:{listener.getsockname()[1]}"
        running.should_exit = True
        thread.join()


@pytest.fixture(autouse=True)
def stand_in(server: tuple[GeminiStandIn, str]) -> Iterator[GeminiStandIn]:
    yield server[0]
    server[0].reset()


@pytest.fixture(scope="session")
def make_client(server: tuple[GeminiStandIn, str]) -> Iterator[Callable[..., genai.Client]]:
    made: list[genai.Client] = []

    def make_client(
        backend: str = "developer", *, timeout_ms: int = 10_000, headers: dict[str, str] | None = None
    ) -> genai.Client:
        options = types.HttpOptions(base_url=server[1], timeout=timeout_ms, headers=headers)
        if backend == "developer":
            client = genai.Client(api_key="any", http_options=options)
        else:
            client = genai.Client(
                enterprise=True,
                project="p",
                location="global",
                credentials=Credentials(token="t"),  # type: ignore[no-untyped-call]
                http_options=options,
            )
        made.append(client)
        return client

    yield make_client
    for client in made:
        client.close()


@pytest.fixture(scope="session", params=["developer", "vertex"])
def client(request: pytest.FixtureRequest, make_client: Callable[..., genai.Client]) -> genai.Client:
    return make_client(request.param)
