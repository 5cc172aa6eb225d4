import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import httpx2
import pytest

from simulator.storage import StorageProxy


@dataclass(slots=True)
class _Body(httpx2.AsyncByteStream):
    data: bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self.data


@dataclass
class CarelessServer(httpx2.AsyncBaseTransport):
    """The objects of one bucket on a server without rules; it answers once a test allows it."""

    objects: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    requests: list[httpx2.Request] = field(default_factory=list)
    is_down: bool = False
    at_once: int = 0
    most_at_once: int = 0
    _generations: Iterator[int] = field(default_factory=lambda: itertools.count(101))

    def put(self, name: str, data: bytes = b"{}") -> int:
        generation = next(self._generations)
        self.objects[name] = (generation, data)
        return generation

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        if self.is_down:
            raise httpx2.ConnectError("nobody listens")
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        answer = self._answer(request)
        return httpx2.Response(answer.status_code, headers=answer.headers, stream=_Body(answer.content))

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.raw_path.decode().partition("?")[0]
        name = unquote(path.rpartition("/")[2])
        match request.method:
            case "POST" if "name" in request.url.params:
                return self._found(request.url.params["name"], self.put(request.url.params["name"], request.content))
            case "DELETE" if name in self.objects:
                del self.objects[name]
                return httpx2.Response(204)
            case "GET" if name in self.objects and request.url.params.get("alt") == "media":
                generation, data = self.objects[name]
                return httpx2.Response(200, content=data, headers={"x-goog-generation": str(generation)})
            case _ if name in self.objects:
                return self._found(name, self.objects[name][0])
        return httpx2.Response(404, json={"error": {"code": 404, "message": "Not Found"}})

    def _found(self, name: str, generation: int) -> httpx2.Response:
        return httpx2.Response(200, json={"name": name, "generation": str(generation), "metageneration": "1"})


@dataclass(slots=True)
class Bench:
    """A proxy with a clock that moves by command, in front of a server without rules."""

    server: CarelessServer = field(default_factory=CarelessServer)
    now_s: float = 1_000.0
    slept_s: list[float] = field(default_factory=list)
    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    proxy: StorageProxy = field(init=False)

    def __post_init__(self) -> None:
        self.proxy = StorageProxy(
            upstream_url="http://server.invalid",
            monotonic_s=lambda: self.now_s,
            sleep=self._sleep,
            on_event=lambda name, fields: self.events.append((name, dict(fields))),
            transport=self.server,
        )

    async def _sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)
        self.now_s += seconds

    def ask(self, method: str, path: str, **more: Any) -> httpx2.Response:  # noqa: ANN401 - as httpx2 takes them
        return self.ask_together((method, path, more))[0]

    def ask_together(self, *requests: tuple[str, str, dict[str, Any]]) -> list[httpx2.Response]:
        async def asked() -> list[httpx2.Response]:
            transport = httpx2.ASGITransport(self.proxy.app)
            async with httpx2.AsyncClient(transport=transport, base_url="http://proxy.invalid") as http:
                return await asyncio.gather(*(http.request(method, path, **more) for method, path, more in requests))

        return asyncio.run(asked())

    def write(self, name: str, data: bytes = b"{}", **params: str) -> httpx2.Response:
        to = {"uploadType": "media", "name": name, **params}
        return self.ask("POST", "/upload/storage/v1/b/bucket/o", params=to, content=data)


@pytest.fixture
def bench() -> Bench:
    return Bench()
