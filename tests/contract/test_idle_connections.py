"""Kept connections that died while their instance was idle: with the real SDKs, over a network that forgets them in both ways."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx2
import pytest

from shared.adapters.gcs import GcsObjectStore
from shared.adapters.gemini_sdk import GeminiSdk
from shared.adapters.http_pool import IDLE_S
from shared.adapters.line_api import LineApi
from shared.adapters.memory import FixedClock
from shared.adapters.pubsub import PubSubEventBus, plain_channels
from shared.bus.messages import BusMessage
from shared.errors import ModelUnavailableError
from shared.line.messaging import OutgoingMessage, ReplyToken
from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import FixedSecret
from simulator.gemini.app import GeminiStandIn
from simulator.line.harness import ACCESS_TOKEN, LineHarness
from simulator.pubsub import PubSubServer
from tests.contract.simulator.storage.emulator import PROJECT_ID, Emulator, running_emulator
from tests.support.dying_network import DEATHS, Death, DyingProxy, dying_network, unreachable_port
from tests.support.loop import LoopThread
from tests.support.serving import served

CONNECTIONS = 12
FIRST_PAUSE_S = 0.3  # before the second attempt of a call to Cloud Storage; later pauses are longer
NAMES = {"record": "turns/{}.json", "medium": "media/{}"}


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with running_emulator(tmp_path_factory.mktemp("storage")) as emulator:
        yield emulator


@pytest.fixture
def network(emulator: Emulator) -> Iterator[DyingProxy]:
    """Between the instance and Cloud Storage."""
    with dying_network(urlsplit(emulator.url).port or 0) as network:
        yield network


@pytest.fixture
def open_store(emulator: Emulator, network: DyingProxy, clock: FixedClock) -> Iterator[Callable[..., GcsObjectStore]]:
    stores: list[GcsObjectStore] = []

    def open_store(**options: float) -> GcsObjectStore:
        store = GcsObjectStore(
            project_id=PROJECT_ID,
            bucket=emulator.new_bucket(),
            connections=48,
            emulator_host=f"http://127.0.0.1:{network.port}",
            clock=clock,
            **options,  # type: ignore[arg-type]  # seconds
        )
        stores.append(store)
        return store

    yield open_store
    for store in stores:
        store.close()


def fill_pool(store: GcsObjectStore, name: str) -> None:
    """Leave as many idle connections as a busy instance has."""
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        list(threads.map(lambda number: store.create(name.format(number), b"{}"), range(CONNECTIONS)))
        list(threads.map(lambda number: store.read(name.format(number)), range(CONNECTIONS)))


@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.parametrize("kind", list(NAMES))
def test_the_first_read_after_an_idle_pause_makes_one_attempt(
    open_store: Callable[..., GcsObjectStore], network: DyingProxy, clock: FixedClock, kind: str, death: Death
) -> None:
    store = open_store(retry_timeout_s=0.0)  # a first attempt that fails is the last
    fill_pool(store, NAMES[kind])
    assert network.kill(death) > 1
    clock.move(IDLE_S)

    assert store.read(NAMES[kind].format(1)) is not None


@pytest.mark.parametrize("death", DEATHS)
def test_a_pool_that_died_within_a_turn_costs_a_read_one_timeout(
    open_store: Callable[..., GcsObjectStore], network: DyingProxy, clock: FixedClock, death: Death
) -> None:
    store = open_store(answer_timeout_s=0.5)
    fill_pool(store, NAMES["record"])
    network.kill(death)
    began_s = clock.monotonic_s()

    assert store.read("turns/1.json") is not None
    assert clock.monotonic_s() - began_s <= FIRST_PAUSE_S


@pytest.mark.parametrize("death", DEATHS)
def test_a_reply_after_an_idle_pause_is_shown(clock: FixedClock, death: Death) -> None:
    with LineHarness() as line, served(line.platform.app) as running:

        def token() -> ReplyToken:
            said = running.do(lambda: line.platform.say(line.user_id, line.user_id, "hi"))
            asyncio.run_coroutine_threadsafe(line.platform.wait_until_settled(), running.loop).result()
            assert said.reply_token is not None
            return ReplyToken(value=said.reply_token, received_ms=0)

        with dying_network(urlsplit(running.url).port or 0) as network:
            api = LineApi(
                channel_access_token=FixedSecret(ACCESS_TOKEN),
                base_url=f"http://127.0.0.1:{network.port}",
                clock=clock,
            )
            assert api.reply(token(), [OutgoingMessage(text="one")]).kind == "accepted"
            assert network.kill(death) == 1
            clock.move(IDLE_S)

            assert api.reply(token(), [OutgoingMessage(text="two")]).kind == "accepted"
            api.client.close()


MESSAGE = BusMessage(data=b"{}", attributes={"type": "message"})


@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.parametrize("idle_s", [0.0, 3_600.0])
def test_ten_deliveries_at_once_on_a_dead_channel_are_all_published(
    clock: FixedClock, idle_s: float, death: Death
) -> None:
    pubsub = PubSubServer()
    pubsub.create_topic("projects/aizuchi-test/topics/line-events")
    with LoopThread() as loop, dying_network(loop.run(pubsub.start())) as network:
        channels = plain_channels(f"127.0.0.1:{network.port}")
        bus = PubSubEventBus(
            project_id="aizuchi-test",
            topic_id="line-events",
            timeout_s=20.0,
            hedge_s=0.2,
            open_channel=channels,
            clock=clock,
        )
        bus.publish([MESSAGE])
        assert network.kill(death) == 1
        clock.move(idle_s)

        with ThreadPoolExecutor(10) as threads:
            published = list(threads.map(lambda _: len(bus.publish([MESSAGE])), range(10)))

        assert published == [1] * 10
        bus.close()
        loop.run(pubsub.stop())


HELLO = {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}


def gemini_at(port: int) -> GeminiSettings:
    return GeminiSettings(
        project_id="p",
        location=None,
        base_url=f"http://127.0.0.1:{port}",
        api_key=FixedSecret("right"),
        model="gemini-3.5-flash-lite",
        thinking_level="low",
    )


@pytest.mark.parametrize("death", DEATHS)
def test_a_request_to_the_model_after_an_idle_pause_is_answered(death: Death) -> None:
    stand_in = GeminiStandIn(api_key="right")
    with served(stand_in.app) as running, dying_network(urlsplit(running.url).port or 0) as network:
        sdk = GeminiSdk(gemini_at(network.port), idle_s=0.0)
        assert "candidates" in sdk.generate(HELLO, timeout_s=20.0)
        network.kill(death)

        assert "candidates" in sdk.generate(HELLO, timeout_s=20.0)


def test_a_model_that_cannot_be_reached_is_not_waited_for_as_long_as_for_its_answer() -> None:
    with unreachable_port() as port:
        sdk = GeminiSdk(gemini_at(port), connect_s=0.1)

        with pytest.raises(ModelUnavailableError) as failure:
            sdk.generate(HELLO, timeout_s=600.0)

    assert isinstance(failure.value.__cause__, httpx2.ConnectTimeout)
