"""Cloud Scheduler: a job publishing a tick to the events topic."""

import asyncio
from contextlib import suppress
from typing import Final

from simulator.pubsub import Message, UnavailableError
from simulator.pubsub.broker import Broker

TICK: Final = Message(data=b'{"type":"tick"}', attributes={"type": "tick"})  # as in infra/terraform/scheduler.tf


class CloudScheduler:
    """Publishes a tick every `interval_s` seconds, the first at `start`; 0: only by `tick`.  Lives in one event loop."""

    def __init__(self, pubsub: Broker, *, topic: str, interval_s: float) -> None:
        self._pubsub = pubsub
        self._topic = topic
        self._interval_s = interval_s
        self._task: asyncio.Task[None] | None = None

    def tick(self) -> str:
        """Publish a tick; return the pubsub_message_id.  Raises: UnavailableError by chaos."""
        (pubsub_message_id,) = self._pubsub.publish(self._topic, [TICK])
        return pubsub_message_id

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
