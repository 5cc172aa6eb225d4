"""The webhook after an idle pause: its connection to Pub/Sub is dead, and LINE, which repeats nothing by default, delivers ten times."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from simulator.functions import EVENTS_TOPIC, PROJECT_ID, Wiring, function_child
from simulator.processes import Child, free_port
from simulator.pubsub import PubSubServer, SubscriptionSettings
from tests.support import recorded
from tests.support.dying_network import DEATHS, Death, DyingProxy, dying_network
from tests.support.loop import LoopThread
from tests.support.serving import plain_http
from tests.support.stacks import BASE_ENV

SECRET = "channel-secret"
TOPIC = f"projects/{PROJECT_ID}/topics/{EVENTS_TOPIC}"
SUBSCRIPTION = f"projects/{PROJECT_ID}/subscriptions/all"
DELIVERY = recorded.body("message-text")


class Pulled:
    """Pub/Sub, from which the test pulls what the webhook has published through the network."""

    def __init__(self, loop: LoopThread) -> None:
        self._loop = loop
        self._server = PubSubServer()
        self._server.create_topic(TOPIC)
        self._server.create_subscription(SubscriptionSettings(name=SUBSCRIPTION, topic=TOPIC))
        self.port = loop.run(self._server.start())

    def count(self) -> int:
        """Return how many messages were stored since the last call."""

        async def pull() -> int:
            return len(await self._server.subscription(SUBSCRIPTION).pull(100, wait=False))

        return self._loop.run(pull())

    def stop(self) -> None:
        self._loop.run(self._server.stop())


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    with LoopThread() as loop:
        yield loop


@pytest.fixture
def pubsub(loop: LoopThread) -> Iterator[Pulled]:
    pubsub = Pulled(loop)
    yield pubsub
    pubsub.stop()


@pytest.fixture
def network(pubsub: Pulled) -> Iterator[DyingProxy]:
    with dying_network(pubsub.port) as network:
        yield network


@pytest.fixture
def webhook(loop: LoopThread, network: DyingProxy, tmp_path: Path) -> Iterator[Child]:
    wiring = Wiring(
        channel_secret=SECRET,
        channel_access_token="t",
        gemini_api_key="g",
        line_url="http://127.0.0.1:1",
        pubsub_host=f"127.0.0.1:{network.port}",
        storage_url="http://127.0.0.1:1",
        gemini_base_url=None,
    )
    child = function_child("webhook", wiring, port=free_port(), log_path=tmp_path / "webhook.log", env=BASE_ENV)
    loop.run(child.start())
    yield child
    loop.run(child.stop())


def deliver(webhook: Child) -> int:
    with plain_http() as http:
        signed = {"x-line-signature": recorded.signature(DELIVERY, SECRET)}
        return http.post(webhook.url, content=DELIVERY, headers=signed).status_code


@pytest.mark.parametrize("death", DEATHS)
def test_ten_deliveries_after_an_idle_pause_are_all_accepted(
    webhook: Child, network: DyingProxy, pubsub: Pulled, death: Death
) -> None:
    assert deliver(webhook) == 200
    assert network.kill(death) == 1
    assert pubsub.count() == 1

    with ThreadPoolExecutor(10) as threads:
        statuses = list(threads.map(lambda _: deliver(webhook), range(10)))

    assert statuses == [200] * 10
    assert pubsub.count() == 10
