"""Pub/Sub and the platform that runs the functions: a message is pushed until it is acknowledged; a killed process is replaced.

Source: Pub/Sub, "Push subscriptions", "Handle message failures" (retry policy, dead letters); the numbers are those of infra/terraform.
"""

import datetime as dt
import itertools
import json
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from shared.bus.notices import NOTICE_TYPE
from tests.simulation import wiring
from tests.simulation.people import Json
from tests.simulation.scheduler import Process, Task
from tests.simulation.times import BACKOFF_S
from tests.simulation.wiring import Endpoint, Ports
from tests.simulation.withdrawals import Withdrawals
from tests.simulation.world import EPOCH_MS, TICK, World
from tests.support import push

ACK_DEADLINE_S: Final = 120.0
# As in infra/terraform.  It is high because a message that kills its workers also fails the deliveries that run beside it.
DELIVERY_ATTEMPTS: Final = 20
TICK_S: Final = 60.0
QUIET_TICKS: Final = 20
"""After so many ticks in a row in which nothing else went on and some marker was overdue, what is left stays for good."""
_ACKNOWLEDGED: Final = 204
_INTERNAL_ERROR: Final = 500
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
    conversation_id: str
    function: str
    event: Json
    published_s: float
    on_ack: Callable[[], None] = lambda: None
    attempts: int = 0
    is_acknowledged: bool = False


@dataclass(slots=True)
class Instance:
    """A process and the function in it.  A request waits for one of its threads if all are busy; the oldest waits least."""

    process: Process
    endpoint: Endpoint
    free_threads: int
    waiting: deque[Callable[[], Task | None]] = field(default_factory=deque)

    def end_request(self) -> None:
        """A thread is free: the request that waited longest gets it."""
        self.free_threads += 1
        while self.waiting and self.free_threads:
            self.waiting.popleft()()


class Bus:
    """One topic, a subscription for each function, and the instances behind them."""

    def __init__(self, ports: Ports, skews_s: tuple[float, ...]) -> None:
        self.dead_letters: list[str] = []
        self.unsettled = 0
        """The pushes that were not answered yet, also by a process that died before it began with one."""
        self.longest_s = 0.0
        self.failures: Counter[str] = Counter()
        """The requests that were answered with 5xx although their process lived, by the error behind it."""
        self.waited_s: dict[str, float] = {}
        """How long a delivery waited for a thread at most, by its name."""
        self.arrived_s: defaultdict[str, list[float]] = defaultdict(list)
        """When the deliveries of each chat began."""
        self._named: Counter[str] = Counter()
        self._ports = ports
        self._world = ports.world
        self._skews_s = skews_s
        self._instances: dict[tuple[str, int], Instance] = {}

    @property
    def instance_count(self) -> int:
        """How many instances each function has."""
        return len(self._skews_s)

    @property
    def world(self) -> World:
        """The world that the instances share."""
        return self._world

    def instance(self, function: str, number: int) -> Instance:
        """Return the instance with this number; it is replaced if its process died."""
        there = self._instances.get((function, number))
        if there is None or there.process.is_dead:
            process = Process(f"{function} {number}", skew_s=self._skews_s[number])
            there = Instance(process, _COMPOSE[function](self._ports, process), self._ports.settings.threads)
            self._instances[function, number] = there
        return there

    def push(self, delivery: Delivery, *, number: int | None = None) -> Task | None:
        """Push the message to an instance and return the request; None if it is acknowledged or became a dead letter."""
        world = self._world
        if delivery.is_acknowledged:
            return None
        if delivery.attempts >= DELIVERY_ATTEMPTS:
            if delivery.conversation_id:  # the next tick does what a lost one left
                self.dead_letters.append(delivery.name)
            return None
        delivery.attempts += 1
        self.arrived_s[delivery.conversation_id or ""].append(world.now_s)
        chosen = world.rng.randrange(len(self._skews_s)) if number is None else number
        return self._start_request(delivery, self.instance(delivery.function, chosen))

    def _unlike_others(self, name: str) -> str:
        """Return the name, with a number if an event that is delivered twice has met the same instance."""
        self._named[name] += 1
        return name if self._named[name] == 1 else f"{name} (delivery {self._named[name]})"

    def _start_request(self, delivery: Delivery, instance: Instance) -> Task | None:
        world, begun_s = self._world, self._world.now_s
        name = self._unlike_others(f"{delivery.name} {delivery.attempts} on {instance.process.name}")
        published = dt.datetime.fromtimestamp(EPOCH_MS / 1_000 + delivery.published_s, tz=dt.UTC).isoformat()
        kind = str(delivery.event.get("type"))
        body = (
            push.wrapped(json.dumps(delivery.event).encode(), attributes={"type": kind}, published=published)
            if kind in {TICK, NOTICE_TYPE}
            else push.envelope(delivery.event, attempt=delivery.attempts, published=published)
        )
        answers: list[int] = []
        self.unsettled += 1

        def settle(status: int) -> None:
            if answers:
                return
            answers.append(status)
            self.unsettled -= 1
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
                if status >= _INTERNAL_ERROR:
                    self.failures[world.truth.log.last_failure] += 1
            finally:
                world.requests.discard(name)
                self.longest_s = max(self.longest_s, world.now_s - begun_s)
                settle(status)
                instance.end_request()

        def start() -> Task | None:
            if answers or instance.process.is_dead:
                settle(_INSTANCE_DIED)
                return None
            instance.free_threads -= 1
            waited_s = world.now_s - begun_s
            self.waited_s[delivery.name] = max(self.waited_s.get(delivery.name, 0.0), waited_s)
            thread = world.scheduler.thread(instance.process, name, request, chat=delivery.conversation_id)
            return world.scheduler.begin(thread)

        world.scheduler.at(begun_s + ACK_DEADLINE_S, lambda: settle(_DEADLINE_PASSED), is_idle=True)
        if instance.free_threads > 0:
            return start()
        instance.waiting.append(start)
        return None


class Ticker:
    """Cloud Scheduler: a tick of each shard a minute, for as long as something goes on or a marker is left under `due/`.

    A tick may be lost, late or doubled; the next one does what is left. Source: Cloud Scheduler, "at-least-once delivery".
    """

    def __init__(self, bus: Bus, withdrawals: Withdrawals, *, is_reliable: bool, shards: int = 1) -> None:
        self._bus = bus
        self._withdrawals = withdrawals
        self._is_reliable = is_reliable
        self._shards = shards
        self._quiet = 0
        self._numbers = itertools.count()

    def begin(self, at_s: float) -> None:
        """The first tick comes then."""
        self._bus.world.scheduler.at(at_s, self._tick, is_idle=True)

    def _tick(self) -> None:
        world = self._bus.world
        scheduler, rng = world.scheduler, world.rng
        is_idle = scheduler.is_idle and not self._bus.unsettled
        is_quiet = is_idle and world.now_s >= world.weather.outage_s[1]
        self._quiet = self._quiet + 1 if is_quiet and self._withdrawals.has_overdue(TICK_S) else 0
        has_markers = any(True for _ in self._withdrawals.markers())
        if is_idle and (not has_markers or self._quiet > QUIET_TICKS):
            return
        scheduler.at(world.now_s + TICK_S, self._tick, is_idle=True)
        for shard in range(self._shards):
            for _ in range(1 if self._is_reliable else rng.choice((0, 1, 1, 1, 1, 2))):
                late_s = 0.0 if self._is_reliable else rng.random() * rng.choice((1.0, 1.0, 80.0))
                tick = self.tick(shard=shard, shards=self._shards)
                scheduler.at(world.now_s + late_s, partial(self._bus.push, tick), is_idle=True)

    def tick(self, *, shard: int = 0, shards: int = 1) -> Delivery:
        """Return a tick that was published at this moment, for every chat or for those of a shard."""
        return Delivery(
            name=f"{TICK} {next(self._numbers)}",
            conversation_id="",
            function="agent_worker",
            event={"type": TICK} if shards == 1 else {"type": TICK, "shard": shard, "shards": shards},
            published_s=self._bus.world.now_s,
        )
