"""Seeded schedules: what people do, what fails, which thread moves next.  The same seed plays the same schedule, step by step."""

import contextlib
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from shared import logs
from shared.turns.deferral import LateReply
from tests.simulation.model.times import PUBLISH_S, SKEW_S
from tests.simulation.product.bus import Bus, Delivery
from tests.simulation.product.checks import Story, violations
from tests.simulation.product.holders import Holders
from tests.simulation.product.line import Line
from tests.simulation.product.mind import Mind, Mood
from tests.simulation.product.people import Json, Message, People, Welcome
from tests.simulation.product.scheduler import Task
from tests.simulation.product.wiring import Ports, Settings
from tests.simulation.product.world import ShownText, Weather, World

STEPS: Final = 60_000
_KILLS: Final = 0.005
_KILLS_BESIDE_POISON: Final = 3
_INSTANCES: Final = 3
_MESSAGES: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of a schedule.  `trace` is a digest of every step, `last_steps` are the last ones as text."""

    violations: tuple[str, ...]
    trace: int
    steps: int
    model_calls: int
    last_steps: tuple[str, ...]


def play(seed: int) -> Verdict:
    """Play one schedule to its end."""
    rng = random.Random(seed)
    stage = draw_stage(rng)
    with collected_logs(stage):
        _Schedule(stage).begin()
        rests = stage.world.scheduler.run(steps=STEPS)
    found = stage.violations() if rests else ["I1: nothing ever came to rest"]
    scheduler = stage.world.scheduler
    return Verdict(
        violations=tuple(found),
        trace=scheduler.trace,
        steps=scheduler.steps,
        model_calls=stage.world.truth.model_calls,
        last_steps=tuple(scheduler.last_steps),
    )


def draw_stage(rng: random.Random) -> "Stage":
    """Draw the world of a schedule, in which nothing has happened yet."""
    return Stage(
        rng,
        _weather(rng),
        settings=Settings(late_reply=rng.choice(tuple(LateReply))),
        skews_s=tuple(rng.uniform(-SKEW_S / 2, SKEW_S / 2) for _ in range(_INSTANCES)),
    )


class Stage:
    """One world with its people and machines; a schedule or a scene decides what they do, and when."""

    def __init__(
        self,
        rng: random.Random,
        weather: Weather,
        *,
        settings: Settings,
        mood: Mood | None = None,
        skews_s: tuple[float, ...] = (0.0,) * 3,
    ) -> None:
        self.world = World(rng, weather)
        self.line = Line(self.world)
        self.mood = mood or Mood()
        self.people = People()
        self.ports = Ports(
            world=self.world,
            holders=Holders(self.world),
            line=self.line,
            mind=Mind(self.world, self.mood),
            settings=settings,
        )
        self.bus = Bus(self.ports, skews_s)

    def webhook(self, message: Message, *, published_s: float) -> Delivery:
        """LINE delivers the message, for the first time or again.  The token's minute starts; Pub/Sub has the message at `published_s`."""
        self.line.delivers(message.reply_token, happened_s=message.at_s)
        return Delivery(name=message.id, function="agent_worker", event=message.event, published_s=published_s)

    def welcome(self, welcome: Welcome) -> Delivery:
        """LINE delivers the join or follow, for the first time or again."""
        self.line.delivers(welcome.reply_token, happened_s=welcome.at_s)
        return Delivery(name=welcome.id, function="agent_worker", event=welcome.event, published_s=self.world.now_s)

    def unsend(self, message: Message, event: Json) -> Delivery:
        """LINE delivers the unsend; from its acknowledgement on, the words of the message must be gone."""
        return Delivery(
            name=f"unsend {message.id}",
            function="unsend",
            event=event,
            published_s=self.world.now_s,
            on_ack=lambda: self.world.truth.forget(word for word, _ in message.words),
        )

    def edit(self, message: Message, event: Json, *, at_s: float) -> Delivery:
        """LINE delivers the edit; from its acknowledgement on, the older words of the message are outdated."""
        return Delivery(
            name=f"edit {message.id}",
            function="agent_worker",
            event=event,
            published_s=self.world.now_s,
            on_ack=lambda: self.world.truth.outdate(message.id, message.words, edited_s=at_s, now_s=self.world.now_s),
        )

    def departure(self, event: Json, *, at_s: float) -> Delivery:
        """LINE delivers the leave or unfollow; from its acknowledgement on, every word up to `at_s` must be gone."""
        return Delivery(
            name="part",
            function="agent_worker",
            event=event,
            published_s=self.world.now_s,
            on_ack=lambda: self.world.truth.forget(
                word for one in self.people.messages for word, since_s in one.words if max(since_s, one.at_s) <= at_s
            ),
        )

    def violations(self) -> list[str]:
        """Return the violations; to be asked when nothing is left to do."""
        return violations(
            Story(
                people=self.people,
                world=self.world,
                mood=self.mood,
                bus=self.bus,
                late_reply=self.ports.settings.late_reply,
            )
        )


@contextlib.contextmanager
def collected_logs(stage: Stage) -> Iterator[None]:
    """Write what the product logs inside the block into the log of the schedule."""
    logs.configure(stage.world.truth.log)
    try:
        yield
    finally:
        logs.configure()


class _Schedule:
    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.world = stage.world
        self.rng = stage.world.rng
        self.weather = stage.world.weather
        self.kills = self.weather.kills
        self.world.scheduler.on_step = self._on_step
        stage.line.on_said = self._press

    def begin(self) -> None:
        """Draw the events.  Their delays and failures are drawn as they occur."""
        self._mood()
        self._people()

    # -- people

    def _people(self) -> None:
        """Draw messages with their redeliveries, withdrawals and edits, and the times at which the bot joins and leaves."""
        rng, people = self.rng, self.stage.people
        people.is_group = rng.random() < 0.4
        gap_s = rng.choice((0.3, 2.0, 20.0))
        at_s = 1.0
        for _ in range(rng.randint(1, 5) if rng.random() < 0.9 else _MESSAGES):
            at_s += rng.random() * gap_s
            message = people.message(at_s=at_s, addressed=rng.random() < 0.7)
            self._write(message)
            if rng.random() < 0.25:
                self._withdraw(message)
            for _ in range(rng.randint(1, 2) if people.is_group and rng.random() < 0.25 else 0):
                self._edit(message)
        for _ in range(rng.randint(1, 2) if rng.random() < 0.15 else 0):
            self._welcome(rng.random() * (at_s + 10))
        for _ in range(rng.randint(1, 2) if rng.random() < 0.15 else 0):
            self._depart(rng.random() * (at_s + 10))

    def _write(self, message: Message) -> None:
        rng, calm = self.rng, self.weather.calm
        received_s = [message.at_s + rng.random() * 0.5]
        if not calm and rng.random() < 0.2:  # the first delivery failed, or only its answer was lost
            received_s = [received_s[0] + rng.choice((0.0, 20.0))]
        if rng.random() < 0.2:
            received_s.append(received_s[0] + rng.random() * (5.0 if calm else rng.choice((5.0, 45.0, 300.0))))
        for at_s in received_s:
            self.world.scheduler.at(at_s, partial(self._receive, message))

    def _receive(self, message: Message) -> None:
        published_s = self.world.now_s + self.rng.random() * (0.2 if self.weather.calm else PUBLISH_S)
        self._publish(self.stage.webhook(message, published_s=published_s))

    def _withdraw(self, message: Message) -> None:
        at_s = message.at_s + self.rng.random() * self.rng.choice((2.0, 15.0, 90.0))
        event = self.stage.people.unsend(message, at_s=at_s)
        self.world.scheduler.at(at_s, lambda: self._publish(self.stage.unsend(message, event)))

    def _edit(self, message: Message) -> None:
        at_s = message.at_s + self.rng.random() * 30
        event = self.stage.people.edit(message, at_s=at_s)
        self.world.scheduler.at(at_s, lambda: self._publish(self.stage.edit(message, event, at_s=at_s)))

    def _welcome(self, at_s: float) -> None:
        welcome = self.stage.people.welcome(at_s=at_s)
        for _ in range(1 if self.rng.random() < 0.8 else 2):
            received_s = at_s + self.rng.random() * 0.5
            self.world.scheduler.at(received_s, lambda: self._publish(self.stage.welcome(welcome)))

    def _depart(self, at_s: float) -> None:
        event = self.stage.people.departure(at_s=at_s)
        self.world.scheduler.at(at_s, lambda: self._publish(self.stage.departure(event, at_s=at_s)))

    def _press(self, said: ShownText) -> None:
        """Draw presses of a button that was shown: by any member, and perhaps more than once."""
        people = self.stage.people
        if said.button is not None and len(people.messages) < _MESSAGES and self.rng.random() < 0.8:
            for _ in range(self.rng.randint(1, 3)):
                pressed_s = said.at_s + 0.5 + self.rng.random() * self.rng.choice((3.0, 60.0))
                self._write(people.press(said.button, at_s=pressed_s))

    # -- machines

    def _publish(self, delivery: Delivery) -> None:
        """Pub/Sub delivers after a delay, out of order, and sometimes twice."""
        rng, weather = self.rng, self.weather
        for _ in range(1 if rng.random() < 0.85 else 2):
            pause_s = rng.random() * rng.choice(
                (0.5, min(3.0, weather.backlog_s)) if weather.calm else (0.5, 5.0, weather.backlog_s)
            )
            copy = replace(delivery)
            self.world.scheduler.at(
                max(delivery.published_s, self.world.now_s) + pause_s, partial(self.stage.bus.push, copy)
            )

    def _mood(self) -> None:
        rng, mood = self.rng, self.stage.mood
        mood.seconds = rng.choice(((0.3, 3.0), (1.0, 8.0), (5.0, 39.0), (30.0, 39.0)))
        mood.downs, mood.skips = rng.choice((0.0, 0.1)), rng.choice((0.0, 0.15))
        if not self.weather.calm and rng.random() < 0.15:
            mood.poison = frozenset({f"word{rng.randrange(3)}a"})
            self.kills = min(self.kills, _KILLS_BESIDE_POISON)

    def _on_step(self, task: Task) -> None:
        if self.kills and self.rng.random() < _KILLS:
            self.kills -= 1
            self.world.scheduler.kill(task.process)


def _weather(rng: random.Random) -> Weather:
    if rng.random() < 0.3:
        return Weather(calm=True, lost_answers=rng.choice((0.0, 0.05)))
    down_s = rng.random() * 40
    return Weather(
        calm=False,
        call_s=rng.choice((0.02, 0.1, 0.3)),
        failures=rng.choice((0.0, 0.005)),
        lost_answers=rng.choice((0.0, 0.05)),
        lossiness=rng.choice((0.0, 0.1)),
        kills=rng.choice((0, 3, 8)),
        stalls=rng.choice((0, 2, 4)),
        backlog_s=rng.choice((5.0, 30.0, 80.0)) if rng.random() < 0.95 else 1_260.0,
        outage_s=(down_s, down_s + rng.choice((20.0, 300.0, 1_500.0))) if rng.random() < 0.08 else (0.0, 0.0),
    )
