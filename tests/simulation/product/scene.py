"""A scene: a schedule that is told step by step instead of drawn.  Nothing fails in it but what it says."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from shared.conversation.snapshot import MemoryLimits
from shared.turns.deferral import LateReply
from tests.simulation.model.times import SETTLE_S
from tests.simulation.product.bus import Delivery
from tests.simulation.product.mind import Mood
from tests.simulation.product.people import Message
from tests.simulation.product.schedule import STEPS, Stage, played
from tests.simulation.product.scheduler import Task
from tests.simulation.product.wiring import SMALL, Settings
from tests.simulation.product.world import Weather

_INSTANCES: Final = 6
_CALL_S: Final = 0.05


class Scene:
    """One chat, one hand that moves everything.  Every request has an instance of its own, so that it can move while others stand still."""

    def __init__(
        self,
        *,
        seed: int = 0,
        seconds: float = 2.0,
        late_reply: LateReply = LateReply.BUTTON,
        skews_s: tuple[float, ...] = (0.0,) * _INSTANCES,
        clocks_hold: bool = True,
        group: bool = False,
        even_call_s: float | None = None,
        limits: MemoryLimits | None = None,
    ) -> None:
        """`seed` decides which of two calls that are made side by side comes first.

        `clocks_hold`: no wall clock is off by more than 5 s; if one is, a live holder may lose its turn, and nothing worse.
        `even_call_s`: every call takes that long, and nobody waits for more bubbles, so that time counts what comes one after the other.
        """
        is_even = even_call_s is not None
        weather = Weather(calm=True, call_s=even_call_s or _CALL_S, is_even=is_even)
        self.stage = Stage(
            random.Random(seed),
            weather,
            settings=Settings(
                late_reply=late_reply,
                settle_s=0.0 if is_even else SETTLE_S,
                limits=limits or SMALL,
            ),
            mood=Mood(seconds=(seconds, seconds)),
            skews_s=skews_s,
        )
        self.world = self.stage.world
        self.world.clocks_hold = clocks_hold
        self.stage.people.is_group = group
        self._instances = 0

    @contextmanager
    def played(self) -> Iterator["Scene"]:
        """Inside of this the scene is played."""
        with played(self.stage):
            yield self

    # -- people

    def says(self, *, addressed: bool = True) -> Message:
        """Somebody writes."""
        return self.stage.people.message(at_s=self.world.now_s, addressed=addressed)

    def received(self, message: Message) -> Delivery:
        """LINE delivers the message, for the first time or again."""
        return self.stage.webhook(message, published_s=self.world.now_s)

    def asks(self, *, instance: int | None = None) -> Task:
        """Somebody addresses the bot, and the message is pushed at once."""
        return self.pushed(self.received(self.says()), instance=instance)

    def takes_back(self, message: Message) -> Task:
        """Somebody takes a message back."""
        event = self.stage.people.unsend(message, at_s=self.world.now_s)
        return self.pushed(self.stage.unsend(message, event))

    def edits(self, message: Message, *, at_s: float | None = None) -> Task:
        """Somebody edits a message, now or then."""
        edited_s = self.world.now_s if at_s is None else at_s
        return self.pushed(self.stage.edit(message, self.stage.people.edit(message, at_s=edited_s), at_s=edited_s))

    def presses(self, button: str) -> Delivery:
        """Somebody presses a button; its token lives from now on."""
        return self.received(self.stage.people.press(button, at_s=self.world.now_s))

    def comes(self) -> Delivery:
        """The bot comes into the chat."""
        return self.stage.welcome(self.stage.people.welcome(at_s=self.world.now_s))

    def parts(self, *, at_s: float | None = None) -> Task:
        """The bot is removed from the chat, now or then."""
        parted_s = self.world.now_s if at_s is None else at_s
        return self.pushed(self.stage.part(self.stage.people.part(at_s=parted_s), at_s=parted_s))

    # -- requests

    def pushed(self, delivery: Delivery, *, instance: int | None = None) -> Task:
        """Pub/Sub pushes the message."""
        number = self._instances % _INSTANCES if instance is None else instance
        self._instances += 1
        request = self.stage.bus.push(delivery, number=number)
        if request is None:
            raise AssertionError(f"{delivery.name} is not delivered any more")
        return request

    def until(self, request: Task, about: str | tuple[str, ...], *, times: int = 1) -> None:
        """The instance of the request moves, and no other, until one of its threads comes to (one of) these calls (the nth time)."""
        if not self.comes_to(request, about, times=times):
            raise AssertionError(f"{request.name} ended before it came to {about!r}")

    def past(self, request: Task, about: str) -> None:
        """Like `until`, and this call comes back."""
        self.until(request, about)
        calling = [task for task in request.process.tasks if task.about.startswith(about)]
        self.world.scheduler.run(
            only=request.process,
            until=lambda: not any(not task.dead and task.about.startswith(about) for task in calling),
            steps=STEPS,
        )

    def comes_to(self, request: Task, about: str | tuple[str, ...], *, times: int = 1) -> bool:
        """Like `until`, for a request that may end before: whether it came to the call."""
        met: dict[tuple[Task, int], None] = {}

        def is_there() -> bool:
            for task in request.process.tasks:
                if task.about.startswith(about):
                    met[task, task.ticket] = None
            return request.dead or len(met) >= times

        self.world.scheduler.run(only=request.process, until=is_there, steps=STEPS)
        return not request.dead

    def through(self, request: Task) -> None:
        """The instance of the request moves, and no other, until the request ends."""
        self.world.scheduler.run(only=request.process, until=lambda: request.dead, steps=STEPS)
        if not request.dead:
            raise AssertionError(f"{request.name} never ends; it is at {request.about!r}")

    def sleeps(self, seconds: float) -> None:
        """Time passes."""
        self.world.scheduler.now_s += seconds

    def sleeps_in(self, request: Task, *, seconds: float) -> None:
        """The instance of the request stands still for that long, whatever comes back to it meanwhile."""
        self.world.scheduler.delay(request.process, seconds)

    def dies(self, request: Task) -> None:
        """The instance of the request is killed; the message is delivered again, some time."""
        self.world.scheduler.kill(request.process)

    def rests(self, *, calm: bool = False) -> list[str]:
        """Everything else comes to its end, in its time; return what is broken then.  `calm`: nothing failed, so nobody meets silence."""
        self.world.weather.calm = calm
        rests = self.world.scheduler.run(steps=STEPS)
        return self.stage.violations() if rests else ["I1: nothing ever came to rest"]

    @property
    def said(self) -> list[str]:
        """What appeared in the chat."""
        return [one.text for one in self.world.truth.said]
