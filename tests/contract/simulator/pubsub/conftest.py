"""The Pub/Sub servers under test, each behind the real clients, and an endpoint for pushes.

`own` is the server of this project; `google` is the emulator of gcloud, if it is installed.
"""

import asyncio
import json
import shutil
import socket
import subprocess
import threading
import time
import warnings
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import grpc
import pytest
import uvicorn
from google.pubsub_v1 import PublisherClient, SubscriberClient
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport
from google.pubsub_v1.types import PubsubMessage, ReceivedMessage, Subscription
from starlette.requests import Request
from starlette.responses import Response

from simulator.pubsub import PubSubServer, Tuning

Result = TypeVar("Result")

PATIENCE_S = 5.0
LONG_TIMEOUT_S = 20.0
EMULATOR_START_S = 120.0
PROJECTS = count(1)

Server = tuple[PubSubServer, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """An event loop in its own thread, for the servers of the tests."""

    loop: asyncio.AbstractEventLoop

    def run(self, doing: Coroutine[object, object, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(doing, self.loop).result(LONG_TIMEOUT_S)

    def call(self, act: Callable[[], Result]) -> Result:
        async def run_action() -> Result:
            return act()

        return self.run(run_action())


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """A project on one of the Pub/Sub servers, through the real clients, without retries."""

    backend: str
    project: str
    publisher: PublisherClient
    subscriber: SubscriberClient

    def topic(self, topic_id: str = "events") -> str:
        name = f"{self.project}/topics/{topic_id}"
        self.publisher.create_topic(name=name, retry=None, timeout=PATIENCE_S)
        return name

    def subscription(self, topic: str, subscription_id: str = "worker", **settings: object) -> str:
        name = f"{self.project}/subscriptions/{subscription_id}"
        self.create_subscription({"name": name, "topic": topic, **settings})
        return name

    def create_subscription(self, request: dict[str, Any]) -> Subscription:
        return self.subscriber.create_subscription(request=request, retry=None, timeout=PATIENCE_S)

    def update(self, subscription: str, *paths: str, **settings: object) -> Subscription:
        request = {"subscription": {"name": subscription, **settings}, "update_mask": {"paths": list(paths)}}
        return self.subscriber.update_subscription(request=request, retry=None, timeout=PATIENCE_S)

    def push_to(self, subscription: str, url: str) -> None:
        request = {"subscription": subscription, "push_config": {"push_endpoint": url}}
        self.subscriber.modify_push_config(request=request, retry=None, timeout=PATIENCE_S)

    def publish(self, topic: str, *messages: dict[str, Any]) -> list[str]:
        wire = [PubsubMessage(message) for message in messages]
        request = {"topic": topic, "messages": wire}
        return list(self.publisher.publish(request=request, retry=None, timeout=PATIENCE_S).message_ids)

    def pull(self, subscription: str, *, max_messages: int = 10, wait: bool = True) -> list[ReceivedMessage]:
        """Return the messages of a pull; with `wait`, of the first pull that is not empty."""
        request = {"subscription": subscription, "max_messages": max_messages, "return_immediately": not wait}
        give_up_s = time.monotonic() + PATIENCE_S
        received: list[ReceivedMessage] = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # no other parameter avoids the wait
            while not received:
                response = self.subscriber.pull(request=request, retry=None, timeout=PATIENCE_S)
                received = list(response.received_messages)
                if not wait or time.monotonic() > give_up_s:
                    break
        return received

    def acknowledge(self, subscription: str, *ack_ids: str) -> None:
        request = {"subscription": subscription, "ack_ids": list(ack_ids)}
        self.subscriber.acknowledge(request=request, retry=None, timeout=PATIENCE_S)

    def modify_ack_deadline(self, subscription: str, *ack_ids: str, seconds: int) -> None:
        request = {"subscription": subscription, "ack_ids": list(ack_ids), "ack_deadline_seconds": seconds}
        self.subscriber.modify_ack_deadline(request=request, retry=None, timeout=PATIENCE_S)


@dataclass(slots=True, kw_only=True)
class Endpoint:
    """An HTTP endpoint that keeps envelopes. It answers with `statuses` in order, and then with 204, each after `answer_after_s`."""

    url: str
    statuses: list[int] = field(default_factory=list)
    answer_after_s: float = 0.0
    envelopes: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    arrived: threading.Condition = field(default_factory=threading.Condition)

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        status = self.statuses.pop(0) if self.statuses else 204
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        with self.arrived:
            self.envelopes.append(body)
            self.headers.append(dict(request.headers))
            self.arrived.notify_all()
        await asyncio.sleep(self.answer_after_s)
        self.at_once -= 1
        return Response(status_code=status)

    def wait_for(self, number: int) -> list[dict[str, Any]]:
        """Wait for the first `number` envelopes and return them."""
        with self.arrived:
            in_time = self.arrived.wait_for(lambda: len(self.envelopes) >= number, timeout=2 * PATIENCE_S)
        assert in_time, f"{len(self.envelopes)} of {number} pushes arrived: {json.dumps(self.envelopes)}"
        return self.envelopes[:number]


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    inner = asyncio.new_event_loop()
    thread = threading.Thread(target=inner.run_forever)
    thread.start()
    there = Loop(loop=inner)
    yield there
    there.run(_cancel_other_tasks())
    inner.call_soon_threadsafe(inner.stop)
    thread.join()
    inner.close()


@pytest.fixture
def server(loop: Loop) -> Iterator[Server]:
    """This project's Pub/Sub and its port. Deadlines may be as short as a second, so that a test can wait for them."""
    pubsub = PubSubServer(tuning=Tuning(redelivery_floor_s=0.01, minimum_ack_deadline_s=1.0))
    port = loop.run(pubsub.start())
    yield pubsub, port
    loop.run(pubsub.stop())


@pytest.fixture
def own(server: Server) -> Iterator[Cloud]:
    yield from _cloud("own", server[1])


@pytest.fixture(scope="session")
def google_port() -> Iterator[int]:
    gcloud, java = shutil.which("gcloud"), shutil.which("java")
    if gcloud is None or java is None:
        pytest.skip("Google's Pub/Sub emulator needs gcloud and java on the PATH")
    root = subprocess.run(
        [gcloud, "info", "--format=value(installation.sdk_root)"], check=True, capture_output=True, text=True
    ).stdout.strip()
    jars = sorted(Path(root).glob("platform/pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar"))
    if not jars:
        pytest.skip("gcloud has no Pub/Sub emulator: gcloud components install pubsub-emulator")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    command = [java, "-jar", str(jars[-1]), "--host=127.0.0.1", f"--port={port}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                grpc.channel_ready_future(channel).result(EMULATOR_START_S)
            yield port
        finally:
            process.terminate()


@pytest.fixture(params=["own", "google"])
def cloud(request: pytest.FixtureRequest) -> Iterator[Cloud]:
    if request.param == "own":
        yield request.getfixturevalue("own")
    else:
        yield from _cloud("google", request.getfixturevalue("google_port"))


@pytest.fixture(scope="session")
def endpoints(loop: Loop) -> Iterator[tuple[str, dict[str, Endpoint]]]:
    """The address of an HTTP server, and its endpoints by path."""
    by_path: dict[str, Endpoint] = {}

    async def application(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's own types are open
        request = Request(scope, receive)
        response = await by_path[request.url.path].answer(request)
        await response(scope, receive, send)

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(200)  # connections wait until the server accepts them
        config = uvicorn.Config(application, log_level="error", lifespan="off", ws="none")
        http = uvicorn.Server(config)
        serving = asyncio.run_coroutine_threadsafe(http.serve(sockets=[listening]), loop.loop)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", by_path
        http.should_exit = http.force_exit = True
        serving.result(PATIENCE_S)


@pytest.fixture
def endpoint(endpoints: tuple[str, dict[str, Endpoint]]) -> Endpoint:
    address, by_path = endpoints
    path = f"/endpoint-{len(by_path)}"
    by_path[path] = Endpoint(url=address + path)
    return by_path[path]


async def _cancel_other_tasks() -> None:
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


def _cloud(backend: str, port: int) -> Iterator[Cloud]:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Cloud(
            backend=backend,
            project=f"projects/test-{next(PROJECTS)}",
            publisher=PublisherClient(transport=PublisherGrpcTransport(channel=channel)),
            subscriber=SubscriberClient(transport=SubscriberGrpcTransport(channel=channel)),
        )
