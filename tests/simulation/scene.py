"""A scene: a schedule that is written step by step instead of drawn.  Only the failures that it states occur."""

import math
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from shared.access.admission import Access
from shared.access.budgets import Limits
from shared.conversation.snapshot import MemoryLimits
from shared.line.addressing import GroupPolicy
from shared.line.postback_data import ConfirmPress, ReminderChoice, ReminderPress
from shared.reminders.delivery import Reminding
from shared.turns.deferral import LateReply
from shared.turns.flood import A_MINUTE
from tests.simulation.bus import TICK_S, Delivery
from tests.simulation.mind import FirstFails, Manner, Mind, Mood
from tests.simulation.people import PERSON, SETTLE, SPARE, TAKE_BACK, VOTE, Message, Order
from tests.simulation.scheduler import STEPS, Task
from tests.simulation.stage import Stage, playing
from tests.simulation.times import LEASE_S, SECOND_PASS_S
from tests.simulation.wiring import NO_LIMITS, SMALL, THREADS, Settings
from tests.simulation.withdrawal_checks import check_withdrawn
from tests.simulation.world import Down, Weather

_INSTANCES: Final = 6
_CALL_S: Final = 0.05
MINUTE_S: Final = 60.0
LONG_SLEEP_S: Final = 120.0
"""Longer than both passes of a withdrawal take."""
JOURNAL: Final = f"journal/{PERSON}/"
"""Of the first chat, where that is a 1:1 chat."""


class Scene:
    """One chat whose requests are moved explicitly.  Each request has its own instance, so that it can move while the others wait."""

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
        manner: Manner = "repeats",
        has_knowledge: bool = False,
        has_notion: bool = False,
        has_archive: bool = True,
        has_embeddings: bool = False,
        has_expenses: bool = False,
        has_lists: bool = False,
        has_links: bool = False,
        has_polls: bool = False,
        has_hooks: bool = False,
        has_calendar: bool = False,
        has_translation: bool = False,
        threads: int = THREADS,
        chats: int = 1,
        group_policy: GroupPolicy = GroupPolicy.MENTION,
        access: Access = Access.OPEN,
        reminding: Reminding = Reminding.OFF,
        first_fails: FirstFails | None = None,
        bounds: Mapping[str, int] | None = None,
        a_minute: int = A_MINUTE,
        budget: Limits = NO_LIMITS,
        tick_shards: int = 1,
        lease_s: float = LEASE_S,
        make_mind: Callable[..., Mind] = Mind,
    ) -> None:
        """`seed` decides which of two calls that are made side by side comes first.

        `clocks_hold`: no wall clock is off by more than 5 s.  If one is, a live holder may lose its turn, but nothing else may break.
        `bounds` are as in `SMALL_BOUNDS`; more messages than `a_minute` are a flood.
        `even_call_s`: every call takes that long, so that the elapsed time counts sequential calls.
        """
        is_even = even_call_s is not None
        weather = Weather(calm=False, call_s=even_call_s or _CALL_S, is_even=is_even)
        self.stage = Stage(
            random.Random(seed),
            weather,
            settings=Settings(
                late_reply=late_reply,
                lease_s=lease_s,
                limits=limits or SMALL,
                has_knowledge=has_knowledge,
                has_notion=has_notion,
                has_archive=has_archive,
                has_embeddings=has_embeddings,
                has_expenses=has_expenses,
                has_lists=has_lists,
                has_links=has_links,
                has_polls=has_polls,
                has_hooks=has_hooks,
                has_calendar=has_calendar,
                has_translation=has_translation,
                threads=threads,
                group_policy=group_policy,
                access=access,
                reminding=reminding,
                first_fails=first_fails,
                budget=budget,
            ),
            mood=Mood(seconds=(seconds, seconds), manner=manner),
            skews_s=skews_s,
            chats=chats,
            bounds=bounds,
            a_minute=a_minute,
            ticks_are_reliable=True,
            tick_shards=tick_shards,
            make_mind=make_mind,
        )
        self.world = self.stage.world
        self.world.clocks_hold = clocks_hold
        for people in self.stage.chats:
            people.is_group = group
        self._instances = 0

    @contextmanager
    def playing(self) -> Iterator["Scene"]:
        """Play the scene inside the block."""
        with playing(self.stage):
            yield self

    # -- people

    def says(
        self,
        *,
        addressed: bool = True,
        verb: str = "",
        quotes: str | None = None,
        chat: int = 0,
        says_more: bool = False,
        by: str | None = None,
    ) -> Message:
        """A member writes; nothing is delivered yet."""
        people, at_s = self.stage.chats[chat], self.world.now_s
        return people.message(at_s=at_s, addressed=addressed, verb=verb, quotes=quotes, says_more=says_more, by=by)

    def sends_image(self) -> Message:
        """A member sends an image; nothing is delivered yet."""
        return self.stage.people.image(at_s=self.world.now_s)

    def commands(self, command: str) -> Order:
        """A member gives a command; nothing is delivered yet."""
        return self.stage.people.order(command, at_s=self.world.now_s)

    def delivers_order(self, order: Order) -> Delivery:
        """LINE delivers the command or the press that confirms, for the first time or again."""
        if order.command in {"confirm", SPARE}:
            return self.stage.confirmation(self.stage.people, order)
        if order.command == TAKE_BACK:
            return self.stage.taking_back(self.stage.people, order)
        if order.command in {"choose", VOTE, SETTLE}:
            return self.stage.welcome(order)
        return self.stage.command(self.stage.people, order)

    def is_asked_about(self, command: str) -> Order:
        """A member gives a command and is asked; return the press of the button, a second later, not delivered yet."""
        asking = self.commands(command)
        self.runs_to_end(self.pushes(self.delivers_order(asking)))
        self.sleeps(1)
        return self.stage.people.confirm(ConfirmPress(question_id=asking.id).data, at_s=self.world.now_s)

    def presses_again(self, press: Order) -> Order:
        """Another member presses the same button; nothing is delivered yet."""
        return self.stage.people.confirm(press.presses, at_s=self.world.now_s + 0.01)

    def confirms(self, button: str) -> Delivery:
        """A member presses the button under a question."""
        return self.delivers_order(self.stage.people.confirm(button, at_s=self.world.now_s))

    def takes_back_as_proposed(self, *, by: str) -> Order:
        """A member presses the button under the messages that the bot proposed last to take back; nothing is delivered yet."""
        said = next(one for one in reversed(self.world.truth.said) if one.button is not None)
        return self.stage.people.take_back(said.button or "", at_s=self.world.now_s, by=by)

    def chooses(self, choice: ReminderChoice) -> Order:
        """A member presses this quick reply under the newest reminder that was pushed; nothing is delivered yet."""
        said = next(one for one in reversed(self.world.truth.said) if one.choices)
        press = next(one for one in map(ReminderPress.read, said.choices) if one is not None)
        data = replace(press, choice=choice).data
        return self.stage.people.choose(data, at_s=self.world.now_s)

    def bot_joins(self) -> Delivery:
        """The bot is invited to the group, or added as a friend."""
        return self.stage.welcome(self.stage.people.welcome(at_s=self.world.now_s))

    def delivers(self, message: Message) -> Delivery:
        """LINE delivers the message, for the first time or again; Pub/Sub does not push it yet."""
        return self.stage.webhook(message, published_s=self.world.now_s)

    def asks(self, *, instance: int | None = None, by: str | None = None) -> Task:
        """A member addresses the bot, and the message is pushed at once."""
        return self.pushes(self.delivers(self.says(by=by)), instance=instance)

    def asks_for(self, verb: str) -> Task:
        """A member asks for something to be done with the message, which is pushed at once."""
        return self.pushes(self.delivers(self.says(verb=verb)))

    def asks_for_together(self, first: str, second: str) -> None:
        """Two members ask, the second one while the model thinks about the first: one turn does both, in this order."""
        thinking = self.asks_for(first)
        self.runs_until(thinking, "model")
        waiting = self.asks_for(second)
        self.runs_until(waiting, "waits for a while")
        self.runs_to_end(thinking)
        self.runs_to_end(waiting)

    def takes_back(self, message: Message) -> Task:
        """The author withdraws the message."""
        event = self.stage.people.unsend(message, at_s=self.world.now_s)
        return self.pushes(self.stage.unsend(message, event))

    def takes_back_command(self, order: Order) -> Task:
        """The member withdraws the command."""
        event = self.stage.people.unsend_of(order, at_s=self.world.now_s)
        return self.pushes(self.stage.unsend_of_command(order, event))

    def edits(self, message: Message, *, at_s: float | None = None) -> Task:
        """The author edits the message, by default now."""
        return self.pushes(self.delivers_edit(message, at_s=at_s))

    def delivers_edit(self, message: Message, *, at_s: float | None = None, has_token: bool = False) -> Delivery:
        """The author edits the message, by default now; nothing is delivered yet."""
        edited_s = self.world.now_s if at_s is None else at_s
        event = self.stage.people.edit(message, at_s=edited_s, has_token=has_token)
        return self.stage.edit(message, event, at_s=edited_s)

    def presses(self, button: str) -> Delivery:
        """A member presses a button; the minute of the press's token starts now."""
        return self.delivers(self.stage.people.press(button, at_s=self.world.now_s))

    def joins(self) -> Task:
        """A member joins the group."""
        return self.pushes(self.stage.joining(self.stage.people.joining(at_s=self.world.now_s)))

    def bot_leaves(self, *, at_s: float | None = None) -> Task:
        """The bot is removed from the chat, by default now."""
        parted_s = self.world.now_s if at_s is None else at_s
        return self.pushes(self.stage.departure(self.stage.people.departure(at_s=parted_s), at_s=parted_s))

    # -- requests

    def pushes(self, delivery: Delivery, *, instance: int | None = None) -> Task:
        """Pub/Sub pushes the message, to `instance` or to the next one in turn."""
        number = self._instances % _INSTANCES if instance is None else instance
        self._instances += 1
        request = self.stage.bus.push(delivery, number=number)
        if request is None:
            raise AssertionError(f"{delivery.name} was acknowledged or is a dead letter")
        return request

    def runs_until(self, request: Task, about: str | tuple[str, ...], *, times: int = 1) -> None:
        """Run only the request's instance, until its threads have come `times` times to a call that begins with `about`."""
        if not self.comes_to(request, about, times=times):
            raise AssertionError(f"{request.name} ended before it came to {about!r}")

    def runs_behind(self, order: Order, message: Message) -> None:
        """Push both: the press has come while the model answers the message, and waits for the end of that turn."""
        answering = self.pushes(self.delivers(message), instance=0)
        self.runs_until(answering, "model")
        pressing = self.pushes(self.delivers_order(order), instance=1)
        self.runs_until(pressing, "waits for a while")
        self.runs_to_end(answering)
        self.runs_to_end(pressing)

    def runs_past(self, request: Task, about: str) -> None:
        """Like `runs_until`, and then until that call returns."""
        self.runs_until(request, about)
        calling = [(task, task.ticket) for task in request.process.tasks if task.about.startswith(about)]
        self.world.scheduler.run(
            only=request.process,
            until=lambda: not any(not task.is_over and task.ticket == ticket for task, ticket in calling),
            steps=STEPS,
        )

    def comes_to(self, request: Task, about: str | tuple[str, ...], *, times: int = 1) -> bool:
        """Like `runs_until`, for a request that may end earlier; return whether it came to the call."""
        met: dict[tuple[Task, int], None] = {}

        def is_there() -> bool:
            for task in request.process.tasks:
                if task.about.startswith(about):
                    met[task, task.ticket] = None
            return request.is_over or len(met) >= times

        self.world.scheduler.run(only=request.process, until=is_there, steps=STEPS)
        return not request.is_over

    def runs_to_end(self, request: Task) -> None:
        """Run only the request's instance, until the request ends."""
        self.world.scheduler.run(only=request.process, until=lambda: request.is_over, steps=STEPS)
        if not request.is_over:
            raise AssertionError(f"{request.name} never ends; it is at {request.about!r}")

    def ticks(self) -> None:
        """A minute has begun: a tick carries out what is due by now."""
        self.runs_to_end(self.pushes(self.stage.ticker.tick()))

    def takes_effect(self, request: Task) -> None:
        """The withdrawal or erasure is handled: the request ends, and a tick carries out its second pass."""
        self.runs_to_end(request)
        due_s = math.ceil((self.world.now_s + SECOND_PASS_S) / TICK_S) * TICK_S
        self.sleeps(due_s - self.world.now_s)
        self.ticks()

    def runs(self, *, seconds: float) -> None:
        """Run everything for that long."""
        ends_s = self.world.now_s + seconds
        self.world.scheduler.run(until=lambda: self.world.scheduler.next_s > ends_s, steps=STEPS)
        self.world.scheduler.now_s = ends_s

    def sleeps(self, seconds: float) -> None:
        """Time passes in which no process moves."""
        self.world.scheduler.now_s += seconds

    def sleeps_in(self, request: Task, *, seconds: float) -> None:
        """The request's instance does not move for that long, even if its calls return meanwhile."""
        self.world.weather.stalls += 1
        self.world.scheduler.delay(request.process, seconds)

    def sleeps_after(self, request: Task, about: str, *, seconds: float) -> None:
        """The next call of the request's instance that begins with `about` takes effect in time, and is answered so much later."""
        self.world.weather.stalls += 1
        self.world.sleeps_after = request.process, about, seconds

    def is_down(self, service: Down, *, seconds: float) -> None:
        """From now on the service answers nobody for that long."""
        weather, now_s = self.world.weather, self.world.now_s
        weather.down, weather.down_s = service, (now_s, now_s + seconds)
        if service == "bucket":
            weather.outage_s = weather.down_s

    def dies(self, request: Task) -> None:
        """The request's instance is killed; its message will be redelivered."""
        self.world.scheduler.kill(request.process)

    def keeps(self) -> list[str]:
        """Return the withdrawn words that are stored by now, each as a violation: a second pass may still come, and hide who left them."""
        return [one for story in self.stage.stories() for one in check_withdrawn(story)]

    def rests(self, *, calm: bool = False) -> list[str]:
        """Run everything to its end and return the violations.  `calm`: nothing failed, so no addressed message may meet silence."""
        self.world.weather.calm = calm
        self.stage.ticker.begin(self.world.now_s)
        rests = self.world.scheduler.run(steps=STEPS)
        return self.stage.violations() if rests else ["I1: nothing ever came to rest"]

    @property
    def said(self) -> list[str]:
        """The texts that appeared in the chat."""
        return [one.text for one in self.world.truth.said]
