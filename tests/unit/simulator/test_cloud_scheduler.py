import asyncio
from collections.abc import Mapping
from typing import Any

from simulator.cloud_scheduler import CloudScheduler
from simulator.pubsub import Chaos
from simulator.pubsub.broker import Broker

TOPIC = "projects/p/topics/events"


class Published:
    """A topic, and the attributes of the messages that were published to it."""

    def __init__(self, *, chaos: Chaos | None = None) -> None:
        self.attributes: list[Mapping[str, str]] = []
        self.enough = asyncio.Event()
        self.broker = Broker(chaos=chaos, on_event=self._record)
        self.broker.create_topic(TOPIC)

    def _record(self, name: str, facts: Mapping[str, Any]) -> None:
        assert name == "published"
        self.attributes.append(facts["attributes"])
        if len(self.attributes) >= 2:
            self.enough.set()


def test_a_tick_is_published_by_hand() -> None:
    async def run() -> None:
        published = Published()
        scheduler = CloudScheduler(published.broker, topic=TOPIC, interval_s=0)
        scheduler.start()

        assert scheduler.tick().isdecimal()
        await scheduler.stop()

        assert published.attributes == [{"type": "tick"}]

    asyncio.run(run())


def test_each_shard_has_a_tick_of_its_own() -> None:
    async def run() -> None:
        published = Published()
        scheduler = CloudScheduler(published.broker, topic=TOPIC, interval_s=0, shards=3)

        scheduler.tick()

        assert len(published.attributes) == 3

    asyncio.run(run())


def test_ticks_go_on_until_the_stop() -> None:
    async def run() -> None:
        published = Published()
        scheduler = CloudScheduler(published.broker, topic=TOPIC, interval_s=0.001)

        scheduler.start()
        await asyncio.wait_for(published.enough.wait(), timeout=30)
        await scheduler.stop()
        await scheduler.stop()

        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())


def test_a_tick_that_pubsub_refuses_is_followed_by_the_next() -> None:
    async def run() -> None:
        published = Published(chaos=Chaos(seed=1, unavailable_after_probability=1.0))
        scheduler = CloudScheduler(published.broker, topic=TOPIC, interval_s=0.001)

        scheduler.start()
        await asyncio.wait_for(published.enough.wait(), timeout=30)
        await scheduler.stop()

    asyncio.run(run())
