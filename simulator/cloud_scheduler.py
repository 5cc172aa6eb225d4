"""Cloud Scheduler: a job for each shard, publishing the shard's ticks to the events topic."""

import asyncio
import json
from contextlib import suppress

from simulator.pubsub import Message, UnavailableError
from simulator.pubsub.broker import Broker


def tick_of(shard: int, *, shards: int) -> Message:
    """Return the tick of a shard, as infra/terraform/scheduler.tf has it."""
    data = {"shard": shard, "shards": shards, "type": "tick"}
    return Message(data=json.dumps(data, separators=(",", ":")).encode(), attributes={"type": "tick"})


class CloudScheduler:
    """Publishes a tick of each shard every `interval_s` seconds, the first at `start`; 0: only by `tick`.  Lives in one event loop."""

    def __init__(self, pubsub: Broker, *, topic: str, interval_s: float, shards: int = 1) -> None:
        self._pubsub = pubsub
        self._topic = topic
        self._ticks = tuple(tick_of(shard, shards=shards) for shard in range(shards))
        self._interval_s = interval_s
        self._task: asyncio.Task[None] | None = None

    def tick(self) -> str:
        """Publish a tick of each shard; return the pubsub_message_id of the first.  Raises: UnavailableError by chaos."""
        first, *_ = self._pubsub.publish(self._topic, self._ticks)
        return first

    def start(self) -> None:
        """Begin to publish.  Needs the running loop."""
        if self._interval_s > 0:
            self._task = asyncio.get_running_loop().create_task(self._tick_on())

    async def stop(self) -> None:
        """End.  Repeated: does nothing."""
        ticking, self._task = self._task, None
        if ticking is not None:
            ticking.cancel()
            await asyncio.wait({ticking})

    async def _tick_on(self) -> None:
        while True:
            with suppress(UnavailableError):  # the job is configured without retries; the next minute has its own tick
                self.tick()
            await asyncio.sleep(self._interval_s)
