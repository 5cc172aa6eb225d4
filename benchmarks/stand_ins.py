"""`python -m benchmarks.stand_ins {pubsub,gemini,line,bucket,notion} --port N`: one stand-in in a separate process.

The stand-ins are the local stack's, without latency.  Routes under /bench let the benchmarks create events and count requests.
"""

import argparse
import asyncio
import signal
import sys
import time
from collections.abc import Callable, Sequence
from random import Random

import httpx2
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from simulator.gemini.app import GeminiStandIn
from simulator.line.media import Media
from simulator.line.platform import LinePlatform
from simulator.line.servers import HttpServer
from simulator.notion.api import NotionStandIn
from simulator.notion.lists import add_default_databases, ids_by_name
from simulator.notion.workspace import Workspace
from simulator.processes import HOST, listening_socket
from simulator.pubsub import PubSubServer
from simulator.stack import CHANNEL_ACCESS_TOKEN, CHANNEL_SECRET, NOTION_TOKEN, TOPIC
from simulator.storage import Fault, StorageProxy


class _Line:
    """A LINE without a webhook: a request returns its event, and the benchmark pushes the event to the worker."""

    def __init__(self) -> None:
        accepting = httpx2.MockTransport(lambda _: httpx2.Response(200))
        self._platform = LinePlatform(
            webhook_url="http://webhook.invalid/",
            channel_secret=CHANNEL_SECRET,
            channel_access_token=CHANNEL_ACCESS_TOKEN,
            now_ms=lambda: time.time_ns() // 1_000_000,
            monotonic_s=time.monotonic,
            rng=Random(1),  # noqa: S311 - ids of a stand-in need no secrecy
            webhook_client=httpx2.AsyncClient(transport=accepting),
        )

    def app(self) -> ASGIApp:
        """Return LINE's API with the routes under /bench."""
        return self._platform.app_with(
            [
                Route("/bench/group", self._group, methods=["POST"]),
                Route("/bench/say", self._say, methods=["POST"]),
                Route("/bench/picture", self._picture, methods=["POST"]),
                Route("/bench/calls", self._calls, methods=["GET"]),
            ]
        )

    async def _group(self, _: Request) -> Response:
        """Create a group with one member and the bot; answer `{"group_id", "user_id"}`."""
        person = self._platform.add_person("Alice")
        group = self._platform.create_group("Friends", (person.user_id,))
        self._platform.join(group.chat_id)
        await self._platform.wait_until_settled()
        return JSONResponse({"group_id": group.chat_id, "user_id": person.user_id})

    async def _say(self, request: Request) -> Response:
        """Say `text` in a group, to the bot if `addressed`; answer LINE's event.

        For example, `{"group_id": "C1", "user_id": "U1", "text": "hello", "addressed": true}` becomes "@Aizuchi hello".
        """
        message = await request.json()
        bot = self._platform.account
        mentioning = (bot.user_id,) if message["addressed"] else ()
        text = f"@{bot.display_name} {message['text']}" if message["addressed"] else message["text"]
        event = self._platform.say(message["user_id"], message["group_id"], text, mentioning=mentioning)
        await self._platform.wait_until_settled()
        return JSONResponse(event.as_sent(is_redelivery=False))

    async def _picture(self, request: Request) -> Response:
        """Send the bot a picture of so many `bytes` from a new friend; answer LINE's event."""
        body = await request.json()
        person = self._platform.add_person("Alice")
        picture = Media(content=Random(1).randbytes(body["bytes"]), content_type="image/jpeg")  # noqa: S311 - any bytes
        event = self._platform.send_image(person.user_id, person.user_id, picture)
        await self._platform.wait_until_settled()
        return JSONResponse(event.as_sent(is_redelivery=False))

    async def _calls(self, _: Request) -> Response:
        """Answer with `[path, received_s]` of each request since the last call, by the machine's monotonic clock, and clear the list.

        For example, `[["/v2/bot/message/reply", 1041.2]]`.
        """
        ahead_s = time.time_ns() / 1e9 - time.monotonic()
        calls = [[request.path, request.at_ms / 1_000 - ahead_s] for request in self._platform.requests]
        self._platform.requests.clear()
        return JSONResponse(calls)


def _bucket(behind: str) -> ASGIApp:
    """Return the proxy in front of a bucket, with a delay for answers."""
    proxy = StorageProxy(upstream_url=behind, monotonic_s=time.monotonic)

    async def log(request: Request) -> Response:
        """Answer with the requests since the last call, and delay later answers by `delay_s`.

        A request is `[operation, started_s, ended_s, body_bytes]`.
        """
        rows = [[one.operation, one.started_s, one.ended_s, one.body_bytes] for one in proxy.requests]
        proxy.requests.clear()
        proxy.faults.clear()
        proxy.faults.add(Fault(delay_s=float(request.query_params["delay_s"])))
        return JSONResponse(rows)

    proxy.app.router.routes.insert(0, Route("/bench/log", log))
    return proxy.app


def _gemini(latency_s: float) -> ASGIApp:
    """Return a Gemini with a log of its requests, by the machine's monotonic clock."""
    started_s = time.monotonic()
    gemini = GeminiStandIn(latency_s=latency_s)

    async def log(_: Request) -> Response:
        """Answer with `[received_s, request_bytes]` of each request since the last call, and clear the list."""
        rows = [[started_s + request.received_s, request.request_bytes] for request in gemini.requests]
        gemini.reset()
        return JSONResponse(rows)

    gemini.app.router.routes.append(Route("/bench/asked", log))
    return gemini.app


def _notion() -> ASGIApp:
    """Return a Notion with two databases and a route for their ids by name."""
    workspace = Workspace(rng=Random(1), now_ms=lambda: time.time_ns() // 1_000_000)  # noqa: S311 - ids of a stand-in
    add_default_databases(workspace)
    notion = NotionStandIn(workspace, token=NOTION_TOKEN, monotonic_s=time.monotonic)

    async def databases(_: Request) -> Response:
        return JSONResponse(ids_by_name(workspace))

    notion.app.router.routes.append(Route("/bench/databases", databases))
    return notion.app


async def _run(stand_in: str, *, port: int, behind: str, latency_s: float) -> None:
    stopping = asyncio.Event()
    for stop_signal in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(stop_signal, stopping.set)
    if stand_in == "pubsub":
        pubsub = PubSubServer()
        pubsub.create_topic(TOPIC)
        await pubsub.start(HOST, port)
        await stopping.wait()
        await pubsub.stop()
        return
    apps: dict[str, Callable[[], ASGIApp]] = {
        "gemini": lambda: _gemini(latency_s),
        "line": lambda: _Line().app(),
        "notion": _notion,
        "bucket": lambda: _bucket(behind),
    }
    server = HttpServer(app=apps[stand_in](), sock=listening_socket(port))
    await server.start()
    await stopping.wait()
    await server.stop()


def _main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.stand_ins", description="Run one stand-in until SIGTERM."
    )
    parser.add_argument("stand_in", choices=["pubsub", "gemini", "line", "bucket", "notion"])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--behind", default="", help="address of the bucket that `bucket` stands before")
    parser.add_argument("--latency-s", type=float, default=0.0, help="how long `gemini` takes for an answer")
    options = parser.parse_args(arguments)
    asyncio.run(_run(options.stand_in, port=options.port, behind=options.behind, latency_s=options.latency_s))


if __name__ == "__main__":
    _main(sys.argv[1:])
