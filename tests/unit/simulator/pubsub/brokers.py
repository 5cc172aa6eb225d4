"""A broker with one topic, and push endpoints in memory with scripted answers."""

import asyncio
import datetime as dt
import json
import random
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from simulator.pubsub.broker import Broker
from simulator.pubsub.chaos import Chaos
from simulator.pubsub.push import PushResult
from simulator.pubsub.values import (
    Message,
    SubscriptionSettings,
    Tuning,
)

TOPIC, DEAD = "projects/p/topics/events", "projects/p/topics/dead"
PUSH = SubscriptionSettings(
    name="projects/p/subscriptions/worker", topic=TOPIC, push_endpoint="http://worker.test/", ack_deadline_s=10.0
)


PULL = SubscriptionSettings(name="projects/p/subscriptions/reader", topic=TOPIC)
QUICK = Tuning(redelivery_floor_s=0.001, minimum_ack_deadline_s=0.02, pull_wait_s=0.05)
MOMENT = dt.datetime(2026, 1, 31, 9, 30, 0, 123_456, tzinfo=dt.UTC)
ACKNOWLEDGED = PushResult(status=204, outcome="acknowledged")
REFUSED = PushResult(status=503, outcome="refused")
Result = TypeVar("Result")


@dataclass(slots=True, kw_only=True)
class Endpoint:
    """An endpoint with scripted answers; it keeps the deliveries and the highest number of concurrent requests."""

    answer: Callable[[dict[str, Any]], Awaitable[PushResult]]
    got: list[dict[str, Any]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    async def push(self, endpoint: str, body: bytes, *, timeout_s: float) -> PushResult:
        assert endpoint == PUSH.push_endpoint
        message = json.loads(body)["message"]
        self.got.append(message)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            async with asyncio.timeout(timeout_s):
                return await self.answer(message)
        except TimeoutError:
            return PushResult(status=None, outcome="deadline")
        finally:
            self.at_once -= 1


def says(*results: PushResult) -> Endpoint:
    """An endpoint that gives these answers, one for each request, and then repeats the last one."""
    ahead = list(results)

    async def answer(_message: dict[str, Any]) -> PushResult:
        return ahead.pop(0) if len(ahead) > 1 else ahead[0]

    return Endpoint(answer=answer)


def run(broker: Broker, endpoint: Endpoint, script: Coroutine[object, object, Result]) -> Result:
    async def whole() -> Result:
        broker.open(endpoint)
        try:
            async with asyncio.timeout(5.0):
                return await script
        finally:
            await broker.close()

    return asyncio.run(whole())


def make_broker(
    *settings: SubscriptionSettings,
    chaos: Chaos | None = None,
    tuning: Tuning = QUICK,
    on_event: Callable[[str, Mapping[str, object]], None] | None = None,
) -> Broker:
    broker = Broker(clock=lambda: MOMENT, chance=random.Random(1), chaos=chaos, tuning=tuning, on_event=on_event)
    broker.create_topic(TOPIC)
    broker.create_topic(DEAD)
    for each in settings:
        broker.create_subscription(each)
    return broker


def texts(*bodies: str) -> list[Message]:
    return [Message(data=body.encode()) for body in bodies]
