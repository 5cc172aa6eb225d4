"""The stand-in behind a real socket, and the real client in front of it, by API key and by Vertex."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from google import genai
from google.genai import types
from google.oauth2.credentials import Credentials

from simulator.gemini.app import GeminiStandIn
from tests.support.serving import served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(scope="session")
def server() -> Iterator[tuple[GeminiStandIn, str]]:
    """Serve one stand-in for all tests, and return its address."""
    stand_in = GeminiStandIn()
    with served(stand_in.app) as running:
        yield stand_in, running.url


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
