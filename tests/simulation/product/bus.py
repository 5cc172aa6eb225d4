"""Pub/Sub and the platform that runs the functions: pushes until they are acknowledged, to processes that are killed and replaced.

Source: Pub/Sub, "Push subscriptions", "Handle message failures" (retry policy, dead letters); the numbers are those of infra/terraform.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tests.simulation.model.times import BACKOFF_S
from tests.simulation.product import wiring
from tests.simulation.product.people import Json
from tests.simulation.product.scheduler import Process, Task
from tests.simulation.product.wiring import Endpoint, Ports
from tests.simulation.product.world import EPOCH_MS
from tests.support import push

ACK_DEADLINE_S: Final = 120.0
# As infra/terraform has it: a message that kills its workers takes its neighbours' deliveries with it.
DELIVERY_ATTEMPTS: Final = 20
_ACKNOWLEDGED: Final = 204
_GONE: Final = 503
_TOO_LATE: Final = 504
_COMPOSE: Final[Mapping[str, Callable[[Ports, Process], Endpoint]]] = {
    "agent_worker": wiring.agent_worker,
    "unsend": wiring.unsend,
}


@dataclass(slots=True, kw_only=True)
class Delivery:
    """A message of Pub/Sub's on its subscription.  `on_ack` is called for every acknowledgement."""

    name: str
    function: str
    event: Json
    published_s: float
    on_ack: Callable[[], None] = lambda: None
    attempts: int = 0
    is_acknowledged: bool = False


@dataclass(frozen=True, slots=True)
class Instance:
    """A process and the function in it."""

    process: Process
    endpoint: Endpoint


class Bus:
    """One topic, a subscription for each function, and the instances behind them."""

    def __init__(self, ports: Ports, skews_s: tuple[float, ...]) -> None:
        self.dead_letters: list[str] = []
        self.longest_s = 0.0
        self._ports = ports
        self._world = ports.world
        self._skews_s = skews_s
        self._instances: dict[tuple[str, int], Instance] = {}

    def instance(self, function: str, number: int) -> Instance:
        """Return an instance, a fresh one where the last one died."""
        there = self._instances.get((function, number))
        if there is None or there.process.is_dead:
            process = Process(f"{function} {number}", skew_s=self._skews_s[number])
            there = Instance(process, _COMPOSE[function](self._ports, process))
            self._instances[function, number] = there
        return there

    def push(self, delivery: Delivery, *, number: int | None = None) -> Task | None:
        """The message is pushed to an instance, or is a dead letter."""
        world = self._world
        if delivery.is_acknowledged:
            return None
        if delivery.attempts >= DELIVERY_ATTEMPTS:
            self.dead_letters.append(delivery.name)
            return None
        delivery.attempts += 1
        chosen = world.rng.randrange(len(self._skews_s)) if number is None else number
        return self._begun(delivery, self.instance(delivery.function, chosen))

    def _begun(self, delivery: Delivery, instance: Instance) -> Task:
        world, begun_s = self._world, self._world.now_s
        name = f"{delivery.name} {delivery.attempts} on {instance.process.name}"
        published = dt.datetime.fromtimestamp(EPOCH_MS / 1_000 + delivery.published_s, tz=dt.UTC).isoformat()
        body = push.envelope(delivery.event, attempt=delivery.attempts, published=published)
        answers: list[int] = []

        def answered(status: int) -> None:
            if answers:
                return
            answers.append(status)
            self.longest_s = max(self.longest_s, world.now_s - begun_s)
            if status == _ACKNOWLEDGED:
                delivery.is_acknowledged = True
                delivery.on_ack()
            else:
                world.scheduler.at(world.now_s + world.rng.uniform(*BACKOFF_S), lambda: self.push(delivery))

        def request() -> None:
            world.requests.add(name)
            status = _GONE
            try:
                status = instance.endpoint("POST", body)[1]
            finally:
                world.requests.discard(name)
                answered(status)

        world.scheduler.at(begun_s + ACK_DEADLINE_S, lambda: answered(_TOO_LATE))
        return world.scheduler.begin(instance.process, name, request)
