"""One suite for the port `EventBus`: in memory, on SQLite, and with the real client on the wire to a Pub/Sub."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from shared.adapters.memory import FixedClock, MemoryEventBus
from shared.adapters.pubsub import MESSAGES_PER_CALL, PubSubEventBus, plain_channels
from shared.adapters.sqlite import Database, SqliteEventQueue
from shared.bus.messages import BusMessage, EventBus, bus_messages
from shared.errors import PublishFailedError
from shared.line.webhook_body import parse_webhook_body
from simulator.pubsub import Chaos, PubSubServer, SubscriptionSettings
from tests.support import recorded
from tests.support.loop import LoopThread

TOPIC = "projects/aizuchi-test/topics/line-events"
SUBSCRIPTION = "projects/aizuchi-test/subscriptions/all-events"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    bus: EventBus
    stored: Callable[[int], list[tuple[bytes, dict[str, str]]]]
    go_down: Callable[[], None]


@pytest.fixture(params=["memory", "sqlite", "emulator"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    if request.param == "sqlite":
        with closing(Database(tmp_path)) as database:
            queue = SqliteEventQueue(database, clock=FixedClock())
            yield Backend(
                bus=queue,
                stored=lambda most: [(one.data, dict(one.attributes)) for one in queue.take(most)],
                go_down=database.close,
            )
        return
    if request.param == "memory":
        memory = MemoryEventBus()
        yield Backend(
            bus=memory,
            stored=lambda _: [(one.data, dict(one.attributes)) for one in memory.published],
            go_down=lambda: setattr(memory, "is_down", True),
        )
        return
    server = PubSubServer()
    server.create_topic(TOPIC)
    server.create_subscription(SubscriptionSettings(name=SUBSCRIPTION, topic=TOPIC))
    with LoopThread() as loop:
        port = loop.run(server.start())

        def stored(number: int) -> list[tuple[bytes, dict[str, str]]]:
            async def pull() -> list[tuple[bytes, dict[str, str]]]:
                pulled = await server.subscription(SUBSCRIPTION).pull(number, wait=False)
                messages = sorted(pulled, key=lambda delivery: delivery.message.number)
                return [(one.message.message.data, dict(one.message.message.attributes)) for one in messages]

            return loop.run(pull())

        async def no_answers() -> None:
            await asyncio.sleep(0)
            server.chaos = Chaos(unavailable_before_probability=1.0)

        yield Backend(
            bus=PubSubEventBus(
                project_id="aizuchi-test",
                topic_id="line-events",
                timeout_s=1.0,
                open_channel=plain_channels(f"127.0.0.1:{port}"),
            ),
            stored=stored,
            go_down=lambda: loop.run(no_answers()),
        )
        loop.run(server.stop())


def test_confirmed_messages_are_stored_unchanged(backend: Backend) -> None:
    messages = bus_messages(parse_webhook_body(recorded.body("several-chats")))

    ids = backend.bus.publish(messages)

    assert len(set(ids)) == len(messages)
    assert backend.stored(10) == [(one.data, dict(one.attributes)) for one in messages]


def test_publishing_no_messages_returns_at_once(backend: Backend) -> None:
    assert backend.bus.publish(()) == ()
    assert backend.stored(10) == []


def test_more_events_than_one_call_takes_are_all_stored(backend: Backend) -> None:
    messages = [
        BusMessage(data=json.dumps(number).encode(), attributes={"type": "message"})
        for number in range(MESSAGES_PER_CALL + 1)
    ]

    assert len(backend.bus.publish(messages)) == len(messages)
    assert len(backend.stored(len(messages))) == len(messages)


def test_publishing_twice_stores_twice(backend: Backend) -> None:
    messages = bus_messages(parse_webhook_body(recorded.body("follow")))

    backend.bus.publish(messages)
    backend.bus.publish(messages)

    assert len(backend.stored(10)) == 2


def test_a_bus_that_does_not_confirm_is_an_error(backend: Backend) -> None:
    backend.go_down()

    with pytest.raises(PublishFailedError, match=r"confirm|down"):
        backend.bus.publish(bus_messages(parse_webhook_body(recorded.body("follow"))))


def test_a_bus_that_cannot_be_reached_is_an_error_within_its_timeout() -> None:
    bus = PubSubEventBus(project_id="p", topic_id="t", timeout_s=0.3, open_channel=plain_channels("127.0.0.1:9"))

    with pytest.raises(PublishFailedError, match="confirm"):
        bus.publish(bus_messages(parse_webhook_body(recorded.body("follow"))))


def test_a_topic_that_does_not_exist_is_an_error(backend: Backend) -> None:
    if not isinstance(backend.bus, PubSubEventBus):
        return  # there is only one topic
    backend.bus._topic = "projects/aizuchi-test/topics/another"  # noqa: SLF001

    with pytest.raises(PublishFailedError, match="confirm"):
        backend.bus.publish(bus_messages(parse_webhook_body(recorded.body("follow"))))
