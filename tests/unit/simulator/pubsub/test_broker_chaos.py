"""The broker with chaos switches."""

import asyncio
import datetime as dt
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from simulator.pubsub.chaos import Chaos
from simulator.pubsub.errors import (
    UnavailableError,
)
from simulator.pubsub.push import PushResult
from tests.unit.simulator.pubsub.brokers import (
    ACKNOWLEDGED,
    PUSH,
    TOPIC,
    Endpoint,
    make_broker,
    run,
    says,
    texts,
)


def test_a_duplicate_is_a_second_delivery_of_the_same_message() -> None:
    broker, endpoint = make_broker(PUSH, chaos=Chaos(duplicate_probability=1.0)), says(ACKNOWLEDGED)

    async def script() -> tuple[str, ...]:
        ids = broker.publish(TOPIC, texts("one", "two"))
        await broker.wait_until_idle()
        return ids

    ids = run(broker, endpoint, script())

    assert Counter(message["messageId"] for message in endpoint.got) == dict.fromkeys(ids, 2)


def test_a_lost_acknowledgement_causes_a_redelivery() -> None:
    told: list[object] = []

    def note(_name: str, fields: Mapping[str, object]) -> None:
        told.append(fields.get("outcome"))

    broker = make_broker(PUSH, chaos=Chaos(lost_acknowledgement_probability=1.0), on_event=note)

    async def answer(_message: dict[str, Any]) -> PushResult:
        if len(endpoint.got) == 3:
            broker.chaos = Chaos()
        return ACKNOWLEDGED

    async def script() -> None:
        broker.publish(TOPIC, texts("one"))
        await broker.wait_until_idle()

    endpoint = Endpoint(answer=answer)
    run(broker, endpoint, script())

    assert [outcome for outcome in told if outcome] == ["acknowledgement_lost", "acknowledgement_lost", "acknowledged"]


def test_reordered_messages_swap() -> None:
    broker, endpoint = make_broker(PUSH, chaos=Chaos(reorder_probability=1.0)), says(ACKNOWLEDGED)

    async def script() -> tuple[str, ...]:
        (first,) = broker.publish(TOPIC, texts("one"))
        broker.chaos = Chaos()
        (second,) = broker.publish(TOPIC, texts("two"))
        await broker.wait_until_idle()
        return first, second

    first, second = run(broker, endpoint, script())

    assert [message["messageId"] for message in endpoint.got] == [second, first]


def test_a_delay_postpones_a_message() -> None:
    broker, endpoint = make_broker(PUSH, chaos=Chaos(delay_s=(0.03, 0.04))), says(ACKNOWLEDGED)

    async def script() -> float:
        loop = asyncio.get_running_loop()
        before_s = loop.time()
        broker.publish(TOPIC, texts("one"))
        await broker.wait_until_idle()
        return loop.time() - before_s

    assert run(broker, endpoint, script()) >= 0.03


def test_a_message_may_have_waited_and_is_then_the_oldest() -> None:
    broker, endpoint = make_broker(PUSH, chaos=Chaos(waited_s=70.0)), says(ACKNOWLEDGED)
    waiting = broker.subscription(PUSH.name)

    async def script() -> list[dt.datetime | None]:
        broker.publish(TOPIC, texts("old"))
        broker.chaos = Chaos()
        broker.publish(TOPIC, texts("young"))
        oldest = waiting.oldest_publish_time
        await broker.wait_until_idle()
        return [oldest, waiting.oldest_publish_time]

    oldest = run(broker, endpoint, script())

    assert [message["publishTime"] for message in endpoint.got] == [
        "2026-01-31T09:28:50.123Z",
        "2026-01-31T09:30:00.123Z",
    ]
    assert oldest == [dt.datetime(2026, 1, 31, 9, 28, 50, 123_000, tzinfo=dt.UTC), None]


@pytest.mark.parametrize(
    ("chaos", "stored"),
    [(Chaos(unavailable_before_probability=1.0), 0), (Chaos(unavailable_after_probability=1.0), 1)],
)
def test_an_unavailable_publish_stores_all_messages_or_none(chaos: Chaos, stored: int) -> None:
    broker, endpoint = make_broker(PUSH, chaos=chaos), says(ACKNOWLEDGED)

    async def script() -> None:
        with pytest.raises(UnavailableError):
            broker.publish(TOPIC, texts("one"))
        await broker.wait_until_idle()

    run(broker, endpoint, script())

    assert len(endpoint.got) == stored


def test_the_same_seed_gives_the_same_deliveries() -> None:
    chaos = Chaos(seed=11, duplicate_probability=0.5, reorder_probability=0.4, lost_acknowledgement_probability=0.3)

    def deliveries() -> Counter[str]:
        broker, endpoint = make_broker(PUSH, chaos=chaos), says(ACKNOWLEDGED)

        async def script() -> None:
            for number in range(20):
                broker.publish(TOPIC, texts(str(number)))
            await broker.wait_until_idle()

        run(broker, endpoint, script())
        return Counter(message["data"] for message in endpoint.got)

    assert deliveries() == deliveries()
    assert sum(deliveries().values()) > 20
