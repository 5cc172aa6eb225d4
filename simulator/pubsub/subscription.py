"""One subscription at work: takes messages in, pushes them or hands them to pulls, and settles what comes back."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from simulator.pubsub.chaos import Chaos
from simulator.pubsub.delivery import Backlog
from simulator.pubsub.errors import FailedPreconditionError, InvalidArgumentError
from simulator.pubsub.filters import parse_filter
from simulator.pubsub.limits import check_ack_deadline_change
from simulator.pubsub.model import Delivery, PublishedMessage, SubscriptionSettings, Tuning
from simulator.pubsub.push import PushResult, envelope

OnEvent = Callable[[str, Mapping[str, object]], None]

FIRST_COPY = 1


class Pushes(Protocol):
    """Brings messages to endpoints."""

    async def push(self, endpoint: str, body: bytes, *, timeout_s: float) -> PushResult:
        """The push ended within `timeout_s`, one way or another; never raises for what the endpoint does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a subscription needs of the service that it belongs to.

    Attributes:
        tuning: see there.
        chaos: asked anew for every fate, so that it may change at run time.
        bury: publishes a delivery's message to the dead-letter topic; False when there is no such topic any more.
        on_event: told of every step; must not raise.
        on_change: called after every change of what is outstanding.
    """

    tuning: Tuning
    chaos: Callable[[], Chaos]
    bury: Callable[[SubscriptionSettings, Delivery], bool]
    on_event: OnEvent
    on_change: Callable[[], None]


class Subscription:
    """A subscription's messages and the task that moves them. Lives in the event loop in which it was started."""

    def __init__(self, settings: SubscriptionSettings, surroundings: Surroundings) -> None:
        self._backlog = Backlog()
        self._around = surroundings
        self._work = asyncio.Event()
        self._pushes = 0
        self._task: asyncio.Task[None] | None = None
        self.settings = settings

    @property
    def settings(self) -> SubscriptionSettings:
        """What the owner asked for; may be replaced while messages are outstanding."""
        return self._settings

    @settings.setter
    def settings(self, settings: SubscriptionSettings) -> None:
        self._settings = settings
        self._filter = parse_filter(settings.filter)
        self._work.set()

    def start(self, pushes: Pushes) -> None:
        """Messages move from here on."""
        self._task = asyncio.get_running_loop().create_task(self._run(pushes), name=self.settings.name)
        self._task.add_done_callback(_report_a_crash)

    async def stop(self) -> None:
        """No message moves any more; pushes in flight are cut off, and their messages stay until their deadline."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def offer(self, published: PublishedMessage) -> None:
        """The message is outstanding, or was filtered out, which counts as acknowledged."""
        if self._filter is not None and not self._filter.matches(published.message.attributes):
            return
        chaos, name, number = self._around.chaos(), self.settings.name, published.number
        for copy in range(FIRST_COPY, FIRST_COPY + chaos.copies(name, number)):
            self._backlog.add(
                published,
                copy=copy,
                due_s=_now_s() + chaos.first_delay_s(name, number, copy),
                lets_next_pass=chaos.reorders(name, number, copy),
            )
        self._changed()

    async def pull(self, max_messages: int, *, wait: bool) -> tuple[Delivery, ...]:
        """Up to `max_messages` deliveries; with `wait`, at least one if any becomes due soon.

        Raises:
            InvalidArgumentError: no messages were asked for.
            FailedPreconditionError: the subscription pushes.
        """
        if max_messages < 1:
            raise InvalidArgumentError("No max_messages specified")
        give_up_s = _now_s() + self._around.tuning.pull_wait_s
        while True:
            if self.settings.push_endpoint:
                raise FailedPreconditionError("This method is not supported for push subscriptions.")
            self._expire()
            taken = self._take(max_messages)
            if taken:
                self._changed()  # the task below sleeps until the earliest deadline, which may be one of these
            if taken or not wait or _now_s() >= give_up_s:
                return taken
            await self._sleep_until(give_up_s, self._backlog.next_due_s(), self._backlog.next_deadline_s())

    def acknowledge(self, ack_ids: Sequence[str]) -> None:
        """The deliveries' messages are gone, unless chaos loses the acknowledgement.

        Raises: InvalidArgumentError, when there are no ids, or one that was never given out; then nothing is done.
        """
        for delivery in self._deliveries(ack_ids):
            if not self._loses_acknowledgement(delivery):
                self._acknowledged(delivery)

    def modify_ack_deadline(self, ack_ids: Sequence[str], ack_deadline_s: float) -> None:
        """The deliveries end that many seconds from now; 0 refuses them.

        Raises: InvalidArgumentError, as `acknowledge`, and for a number out of range.
        """
        check_ack_deadline_change(ack_deadline_s)
        for delivery in self._deliveries(ack_ids):
            if ack_deadline_s == 0.0:
                self._refused(delivery)
            else:
                self._backlog.extend(delivery, _now_s() + ack_deadline_s)
        self._changed()

    def outstanding(self, *, ignoring_waits_over_s: float | None = None) -> int:
        """How many messages are not acknowledged, without those that wait longer than the limit."""
        return self._backlog.outstanding(_now_s(), ignoring_waits_over_s=ignoring_waits_over_s)

    async def _run(self, pushes: Pushes) -> None:
        async with asyncio.TaskGroup() as under_way:
            while True:
                self._expire()
                room = self._around.tuning.push_window - self._pushes if self.settings.push_endpoint else 0
                for delivery in self._take(room):
                    self._pushes += 1
                    under_way.create_task(self._push(pushes, delivery))
                more_s = self._backlog.next_due_s() if self._pushes < self._around.tuning.push_window else None
                await self._sleep_until(
                    self._backlog.next_deadline_s(), more_s if self.settings.push_endpoint else None
                )

    async def _push(self, pushes: Pushes, delivery: Delivery) -> None:
        started_s, settings = _now_s(), self.settings
        about = self._about(delivery)
        self._around.on_event("push_started", about)
        timeout_s = delivery.deadline_s - started_s
        try:
            result = await pushes.push(settings.push_endpoint, envelope(delivery, settings), timeout_s=timeout_s)
        finally:
            self._pushes -= 1
        outcome: str = result.outcome
        if outcome == "acknowledged" and self._loses_acknowledgement(delivery):
            outcome = "acknowledgement_lost"
        duration_ms = round((_now_s() - started_s) * 1000.0, 3)
        self._around.on_event(
            "push_ended", {**about, "status": result.status, "outcome": outcome, "duration_ms": duration_ms}
        )
        if outcome == "acknowledged":
            self._acknowledged(delivery)
        else:
            self._refused(delivery)
        self._changed()  # also when nothing was settled: there is room in the window

    def _take(self, limit: int) -> tuple[Delivery, ...]:
        return self._backlog.take(_now_s(), limit=limit, ack_deadline_s=self.settings.ack_deadline_s)

    def _expire(self) -> None:
        for late in self._backlog.expired(_now_s()):
            self._refused(late)

    def _acknowledged(self, delivery: Delivery) -> None:
        if self._backlog.acknowledge(delivery):
            self._around.on_event("acknowledged", self._about(delivery))
            self._changed()

    def _refused(self, delivery: Delivery) -> None:
        policy = self.settings.dead_letter_policy
        if not self._backlog.refuse(
            delivery, _now_s(), policy=self.settings.retry_policy, floor_s=self._around.tuning.redelivery_floor_s
        ):
            return
        spent = policy is not None and delivery.delivery_attempt >= policy.max_delivery_attempts
        if spent and self._around.bury(self.settings, delivery):
            self._backlog.acknowledge(delivery)
        self._changed()

    def _loses_acknowledgement(self, delivery: Delivery) -> bool:
        return self._around.chaos().loses_acknowledgement(
            self.settings.name, delivery.message.number, delivery.copy, delivery.delivery_attempt
        )

    def _deliveries(self, ack_ids: Sequence[str]) -> tuple[Delivery, ...]:
        if not ack_ids:
            raise InvalidArgumentError("No ack ids specified.")
        found = [self._backlog.find(ack_id) for ack_id in ack_ids]
        return tuple(delivery for delivery in found if delivery is not None)

    def _about(self, delivery: Delivery) -> dict[str, object]:
        return {
            "subscription": self.settings.name,
            "pubsub_message_id": delivery.message.pubsub_message_id,
            "delivery_attempt": delivery.delivery_attempt,
        }

    def _changed(self) -> None:
        self._work.set()
        self._around.on_change()

    async def _sleep_until(self, *moments_s: float | None) -> None:
        """Returns at the first of the moments, or earlier when something changed."""
        self._work.clear()
        known_s = [moment_s for moment_s in moments_s if moment_s is not None]
        try:
            async with asyncio.timeout_at(min(known_s, default=None)):
                await self._work.wait()
        except TimeoutError:
            return


def _now_s() -> float:
    return asyncio.get_running_loop().time()


def _report_a_crash(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        task.get_loop().call_exception_handler({"message": f"{task.get_name()} stopped", "exception": error})
