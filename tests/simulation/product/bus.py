"""Pub/Sub and the platform that runs the functions: a message is pushed until it is acknowledged; a killed process is replaced.

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
# As in infra/terraform.  It is high because a message that kills its workers also fails the deliveries that run beside it.
DELIVERY_ATTEMPTS: Final = 20
_ACKNOWLEDGED: Final = 204
_INSTANCE_DIED: Final = 503
_DEADLINE_PASSED: Final = 504
_COMPOSE: Final[Mapping[str, Callable[[Ports, Process], Endpoint]]] = {
    "agent_worker": wiring.agent_worker,
    "unsend": wiring.unsend,
}


@dataclass(slots=True, kw_only=True)
class Delivery:
    """A Pub/Sub message on the subscription of a function.  `on_ack` is called at every acknowledgement."""

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
        """Return the instance with this number; it is replaced if its process died."""
        there = self._instances.get((function, number))
        if there is None or there.process.is_dead:
            process = Process(f"{function} {number}", skew_s=self._skews_s[number])
            there = Instance(process, _COMPOSE[function](self._ports, process))
            self._instances[function, number] = there
        return there

    def push(self, delivery: Delivery, *, number: int | None = None) -> Task | None:
        """Push the message to an instance and return the request; None if it is acknowledged or became a dead letter."""
        world = self._world
        if delivery.is_acknowledged:
            return None
        if delivery.attempts >= DELIVERY_ATTEMPTS:
            self.dead_letters.append(delivery.name)
            return None
        delivery.attempts += 1
        chosen = world.rng.randrange(len(self._skews_s)) if number is None else number
        return self._start_request(delivery, self.instance(delivery.function, chosen))

    def _start_request(self, delivery: Delivery, instance: Instance) -> Task:
        world, begun_s = self._world, self._world.now_s
        name = f"{delivery.name} {delivery.attempts} on {instance.process.name}"
        published = dt.datetime.fromtimestamp(EPOCH_MS / 1_000 + delivery.published_s, tz=dt.UTC).isoformat()
        body = push.envelope(delivery.event, attempt=delivery.attempts, published=published)
        answers: list[int] = []

        def settle(status: int) -> None:
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
            status = _INSTANCE_DIED
            try:
                status = instance.endpoint("POST", body)[1]
            finally:
                world.requests.discard(name)
                settle(status)

        world.scheduler.at(begun_s + ACK_DEADLINE_S, lambda: settle(_DEADLINE_PASSED))
        return world.scheduler.begin(instance.process, name, request)
