"""Seeded schedules: what people do, what fails, who moves next.  The same seed is the same schedule, step by step."""

import random
from dataclasses import dataclass, replace
from functools import partial
from typing import Final
from zlib import crc32

from tests.simulation.model.checks import Story, violations
from tests.simulation.model.guards import Guards
from tests.simulation.model.records import Message
from tests.simulation.model.stage import Delivery, Stage
from tests.simulation.model.world import LateReply, World
from tests.simulation.product.times import MODEL_S, PUBLISH_S, SKEW_S

_STEPS: Final = 30_000
_MESSAGES: Final = 12
_KILLS: Final = 0.01
_KILLS_BESIDE_POISON: Final = 3
_STALLS: Final = 0.01
_LATE_REPLIES: Final[tuple[LateReply, ...]] = ("button", "push", "drop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """What a schedule may suffer."""

    calm: bool
    call_s: float
    kills: int = 0
    stalls: int = 0
    outage_s: float = 0.0
    backlog_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of a schedule; `trace` is a digest of every step."""

    violations: tuple[str, ...]
    trace: int
    steps: int
    model_calls: int


def play(seed: int, guards: Guards | None = None) -> Verdict:
    """Play one schedule to its end."""
    return _Schedule(random.Random(seed), guards or Guards()).play()


class _Schedule:
    def __init__(self, rng: random.Random, guards: Guards) -> None:
        self.rng = rng
        self.weather = _weather(rng)
        self.stage = Stage(
            World(rng, guards=guards, late_reply=rng.choice(_LATE_REPLIES), lost_answers=rng.choice((0.0, 0.05))),
            skews_s=tuple(rng.uniform(-SKEW_S / 2, SKEW_S / 2) for _ in range(3)),
        )
        self.world = self.stage.world
        self.messages: list[Message] = []
        self.unsent: set[str] = set()
        self.erased_s = -1.0
        self.kills, self.stalls = self.weather.kills, self.weather.stalls
        self.seen = 0
        self.trace = 0

    def play(self) -> Verdict:
        self._people()
        self._machines()
        steps = 0
        while (next_s := self.stage.next_s()) is not None and steps < _STEPS:
            steps += 1
            self.world.now_s = max(self.world.now_s, next_s)
            self._step()
            self._press()
        story = Story(
            messages=tuple(self.messages),
            unsent=frozenset(self.unsent),
            erased_s=self.erased_s,
            calm=self.weather.calm,
            outage=self.weather.outage_s > 0,
        )
        found = ["I1: nothing ever came to rest"] if steps == _STEPS else violations(self.stage, story)
        return Verdict(violations=tuple(found), trace=self.trace, steps=steps, model_calls=self.world.truth.model_calls)

    # -- people

    def _people(self) -> None:
        """Messages with their redeliveries; some are taken back, some edited, sometimes everything is erased, in any order."""
        rng, gap_s = self.rng, self.rng.choice((0.3, 2.0, 20.0))
        at_s = 1.0
        for number in range(rng.randint(1, 5)):
            at_s += rng.random() * gap_s
            message = self.stage.message(f"m{number}", at_s=at_s, addressed=rng.random() < 0.8)
            self._write(message)
            if rng.random() < 0.2:
                self._take_back(message)
            for _ in range(rng.randint(1, 2) if rng.random() < 0.2 else 0):
                edited_s = at_s + rng.random() * 30
                self._send(edited_s, self.stage.edit(message.id, at_s=edited_s))
        for _ in range(rng.randint(1, 2) if rng.random() < 0.2 else 0):
            erased_s = rng.random() * (at_s + 10)
            self.erased_s = max(self.erased_s, erased_s)
            self._send(erased_s, self.stage.erase(at_s=erased_s))

    def _write(self, message: Message) -> None:
        rng = self.rng
        self.messages.append(message)
        received_s = [message.timestamp_s + rng.random() * 0.5]
        if (
            not self.weather.calm and rng.random() < 0.2
        ):  # the first delivery came to nothing, or LINE did not hear that it did not
            received_s = [received_s[0] + rng.choice((0.0, 20.0))]
        if rng.random() < 0.2:
            pause_s = 5.0 if self.weather.calm else rng.choice((5.0, 45.0, 300.0))
            received_s.append(received_s[0] + pause_s * rng.random())
        for at_s in received_s:
            self.stage.at(at_s, lambda: self._receive(message))

    def _receive(self, message: Message) -> None:
        publish_s = self.rng.random() * (PUBLISH_S if not self.weather.calm else 0.2)
        delivery = self.stage.webhook(message, publish_s=publish_s)
        self._send(self.world.now_s + publish_s, delivery)

    def _take_back(self, message: Message) -> None:
        self.unsent.add(message.id)
        unsent_s = message.timestamp_s + self.rng.random() * self.rng.choice((2.0, 15.0, 90.0))
        self._send(unsent_s, self.stage.unsend(message.id, at_s=unsent_s))

    def _press(self) -> None:
        """Whoever sees a button may press it, more than once, and others may too."""
        effects = self.world.line.effects
        for effect in effects[self.seen :]:
            if effect.outcome.has_button and len(self.messages) < _MESSAGES and self.rng.random() < 0.8:
                for _ in range(self.rng.randint(1, 3)):
                    pressed_s = effect.at_s + 0.5 + self.rng.random() * self.rng.choice((3.0, 60.0))
                    name = f"p{len(self.messages)}"
                    self._write(self.stage.message(name, at_s=pressed_s, presses=effect.outcome.id))
        self.seen = len(effects)

    # -- machines

    def _send(self, published_s: float, delivery: Delivery) -> None:
        """Pub/Sub delivers after a moment, out of order, sometimes twice at once."""
        rng, weather = self.rng, self.weather
        for _ in range(1 if rng.random() < 0.85 else 2):
            pause_s = rng.random() * (
                rng.choice((0.5, 3.0)) if weather.calm else rng.choice((0.5, 5.0, weather.backlog_s))
            )
            instance = rng.randrange(len(self.stage.skews_s))
            copy = replace(delivery)
            self.stage.at(published_s + pause_s, partial(self.stage.deliver, copy, instance))

    def _machines(self) -> None:
        rng, weather, mind = self.rng, self.weather, self.world.mind
        for _ in range(rng.randint(0, 5)):
            compaction = self.stage.compaction()
            self.stage.at(
                rng.random() * rng.choice((10.0, 60.0)), partial(self.stage.deliver, compaction, rng.randrange(3))
            )
        mind.seconds = rng.choice(((0.3, 3.0), (1.0, 8.0), (5.0, MODEL_S), (30.0, MODEL_S)))
        mind.rounds = rng.choice((1, 1, 2))
        mind.downs, mind.skips, mind.files = (
            rng.choice((0.0, 0.1)),
            rng.choice((0.0, 0.15)),
            rng.choice((0.0, 0.5, 1.0)),
        )
        if weather.calm:
            return
        self.world.line.lossiness = rng.choice((0.0, 0.1))
        if rng.random() < 0.15:
            mind.poison = frozenset({rng.choice(self.messages).id})
            self.kills = min(self.kills, _KILLS_BESIDE_POISON)
        if weather.outage_s:
            self.stage.at(rng.random() * 40, self._outage)

    def _outage(self) -> None:
        self.world.now_s += self.weather.outage_s

    def _step(self) -> None:
        """The next event happens, or the next request moves, sleeps in, or dies with its instance."""
        rng, stage, now_s = self.rng, self.stage, self.world.now_s
        if stage.happen():
            return
        job = min(stage.jobs, key=lambda one: one.wakes_s)
        self.trace = crc32(f"{job.delivery.name} {job.about} {now_s:.6f}".encode(), self.trace)
        chance = rng.random()
        if self.kills and chance < _KILLS:
            self.kills -= 1
            if rng.random() < 0.5:
                stage.kill(job)
            else:
                stage.kill_instance(job.instance)
        elif self.stalls and chance > 1 - _STALLS:
            self.stalls -= 1
            job.wakes_s = now_s + rng.random() * 70
        else:
            stage.step(job)
            job.wakes_s += rng.random() * self.weather.call_s * (1 if rng.random() < 0.9 else 10)


def _weather(rng: random.Random) -> Weather:
    if rng.random() < 0.3:
        return Weather(calm=True, call_s=0.1)
    return Weather(
        calm=False,
        call_s=rng.choice((0.02, 0.1, 0.4)),
        kills=rng.choice((0, 3, 8)),
        stalls=rng.choice((0, 2, 4)),
        outage_s=rng.choice((60.0, 1_190.0, 1_500.0)) if rng.random() < 0.08 else 0.0,
        backlog_s=rng.choice((5.0, 30.0, 80.0)),
    )
