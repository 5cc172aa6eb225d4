"""A subscription: takes messages, pushes the messages or hands them to pulls, and settles the deliveries."""

import asyncio
import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from simulator.pubsub.backlog import Backlog
from simulator.pubsub.chaos import Chaos
from simulator.pubsub.errors import FailedPreconditionError, InvalidArgumentError
from simulator.pubsub.filters import parse_filter
from simulator.pubsub.limits import check_ack_deadline_change
from simulator.pubsub.push import PushResult, envelope
from simulator.pubsub.values import Delivery, PublishedMessage, SubscriptionSettings, Tuning

OnEvent = Callable[[str, Mapping[str, object]], None]

FIRST_COPY = 1


class PushSender(Protocol):
    """Sends pushes to endpoints."""

    async def push(self, endpoint: str, body: bytes, *, timeout_s: float) -> PushResult:
        """Send a push, and return the outcome within `timeout_s`; never raises because of the endpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionServices:
    """The broker's services for a subscription.

    Attributes:
        tuning: limits and times.
        chaos: returns the current faults, open to change at run time.
        dead_letter: publishes a delivery's message to the dead-letter topic; returns False without such a topic.
        on_event: called for every step; must not raise.
        on_change: called after every change of the outstanding messages.
    """

    tuning: Tuning
    chaos: Callable[[], Chaos]
    dead_letter: Callable[[SubscriptionSettings, Delivery], bool]
    on_event: OnEvent
    on_change: Callable[[], None]


class Subscription:
    """The messages of a subscription and the task that delivers them. Lives in the event loop in which it was started."""

    def __init__(self, settings: SubscriptionSettings, services: SubscriptionServices) -> None:
        self._backlog = Backlog()
        self._services = services
        self._work = asyncio.Event()
        self._pushes = 0
        self._task: asyncio.Task[None] | None = None
        self.settings = settings

    @property
    def settings(self) -> SubscriptionSettings:
        """The settings, which can be replaced while messages are outstanding."""
        return self._settings

    @settings.setter
    def settings(self, settings: SubscriptionSettings) -> None:
        self._settings = settings
        self._filter = parse_filter(settings.filter)
        self._work.set()

    def start(self, pushes: PushSender) -> None:
        """Start the deliveries."""
        self._task = asyncio.get_running_loop().create_task(self._run(pushes), name=self.settings.name)
        self._task.add_done_callback(_report_crash)

    async def stop(self) -> None:
        """Stop the deliveries, and cancel the pushes in flight; the messages stay until their deadline."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def offer(self, published: PublishedMessage) -> None:
        """Take the message; a message refused by the filter counts as acknowledged."""
        if self._filter is not None and not self._filter.matches(published.message.attributes):
            return
        chaos, name, number = self._services.chaos(), self.settings.name, published.number
        for copy in range(FIRST_COPY, FIRST_COPY + chaos.copies(name, number)):
            self._backlog.add(
                published,
                copy=copy,
                due_s=_now_s() + chaos.first_delay_s(name, number, copy),
                lets_next_pass=chaos.reorders(name, number, copy),
            )
        self._notify()

    async def pull(self, max_messages: int, *, wait: bool) -> tuple[Delivery, ...]:
        """Return up to `max_messages` deliveries; with `wait`, at least one if a message becomes due soon.

        Raises:
            InvalidArgumentError: `max_messages` is less than 1.
            FailedPreconditionError: the subscription pushes.
        """
        if max_messages < 1:
            raise InvalidArgumentError("No max_messages specified")
        give_up_s = _now_s() + self._services.tuning.pull_wait_s
        while True:
            if self.settings.push_endpoint:
                raise FailedPreconditionError("This method is not supported for push subscriptions.")
            self._expire()
            deliveries = self._take(max_messages)
            if deliveries:
                self._notify()  # the task sleeps until the earliest deadline, perhaps that of a new delivery
            if deliveries or not wait or _now_s() >= give_up_s:
                return deliveries
            await self._sleep_until(give_up_s, self._backlog.next_due_s(), self._backlog.next_deadline_s())

    def acknowledge(self, ack_ids: Sequence[str]) -> None:
        """Acknowledge the deliveries, unless chaos loses an acknowledgement.

        Raises: InvalidArgumentError, without ids or with an unknown id; then no delivery is acknowledged.
        """
        for delivery in self._deliveries(ack_ids):
            if not self._loses_acknowledgement(delivery):
                self._settle(delivery)

    def modify_ack_deadline(self, ack_ids: Sequence[str], ack_deadline_s: float) -> None:
        """Set the deadline of the deliveries to `ack_deadline_s` from now; 0 refuses the deliveries.

        Raises: InvalidArgumentError, as `acknowledge`, and for a number out of range.
        """
        check_ack_deadline_change(ack_deadline_s)
        for delivery in self._deliveries(ack_ids):
            if ack_deadline_s == 0.0:
                self._refuse(delivery)
            else:
                self._backlog.extend(delivery, _now_s() + ack_deadline_s)
        self._notify()

    def count_outstanding(self, *, ignoring_waits_over_s: float | None = None) -> int:
        """Count the unacknowledged messages, without messages waiting longer than the limit."""
        return self._backlog.count_outstanding(_now_s(), ignoring_waits_over_s=ignoring_waits_over_s)

    @property
    def oldest_publish_time(self) -> dt.datetime | None:
        """The publish time of the oldest unacknowledged message; None without one."""
        return self._backlog.oldest_publish_time

    async def _run(self, pushes: PushSender) -> None:
        async with asyncio.TaskGroup() as under_way:
            while True:
                self._expire()
                room = self._services.tuning.push_window - self._pushes if self.settings.push_endpoint else 0
                for delivery in self._take(room):
                    self._pushes += 1
                    under_way.create_task(self._push(pushes, delivery))
                more_s = self._backlog.next_due_s() if self._pushes < self._services.tuning.push_window else None
                await self._sleep_until(
                    self._backlog.next_deadline_s(), more_s if self.settings.push_endpoint else None
                )

    async def _push(self, pushes: PushSender, delivery: Delivery) -> None:
        started_s, settings = _now_s(), self.settings
        about = self._about(delivery)
        self._services.on_event("push_started", about)
        timeout_s = delivery.deadline_s - started_s
        try:
            result = await pushes.push(settings.push_endpoint, envelope(delivery, settings), timeout_s=timeout_s)
        finally:
            self._pushes -= 1
        outcome: str = result.outcome
        if outcome == "acknowledged" and self._loses_acknowledgement(delivery):
            outcome = "acknowledgement_lost"
        duration_ms = round((_now_s() - started_s) * 1000.0, 3)
        self._services.on_event(
            "push_ended", {**about, "status": result.status, "outcome": outcome, "duration_ms": duration_ms}
        )
        if outcome == "acknowledged":
            self._settle(delivery)
        else:
            self._refuse(delivery)
        self._notify()  # also if no delivery was settled: there is room in the window

    def _take(self, limit: int) -> tuple[Delivery, ...]:
        return self._backlog.take(_now_s(), limit=limit, ack_deadline_s=self.settings.ack_deadline_s)

    def _expire(self) -> None:
        for late in self._backlog.take_expired(_now_s()):
            self._refuse(late)

    def _settle(self, delivery: Delivery) -> None:
        if self._backlog.acknowledge(delivery):
            self._services.on_event("acknowledged", self._about(delivery))
            self._notify()

    def _refuse(self, delivery: Delivery) -> None:
        policy = self.settings.dead_letter_policy
        if not self._backlog.refuse(
            delivery, _now_s(), policy=self.settings.retry_policy, floor_s=self._services.tuning.redelivery_floor_s
        ):
            return
        spent = policy is not None and delivery.delivery_attempt >= policy.max_delivery_attempts
        if spent and self._services.dead_letter(self.settings, delivery):
            self._backlog.acknowledge(delivery)
        self._notify()

    def _loses_acknowledgement(self, delivery: Delivery) -> bool:
        return self._services.chaos().loses_acknowledgement(
            self.settings.name, delivery.message.number, delivery.copy, delivery.delivery_attempt
        )

    def _deliveries(self, ack_ids: Sequence[str]) -> tuple[Delivery, ...]:
        if not ack_ids:
            raise InvalidArgumentError("No ack ids specified.")
        deliveries = [self._backlog.find(ack_id) for ack_id in ack_ids]
        return tuple(delivery for delivery in deliveries if delivery is not None)

    def _about(self, delivery: Delivery) -> dict[str, object]:
        return {
            "subscription": self.settings.name,
            "pubsub_message_id": delivery.message.pubsub_message_id,
            "delivery_attempt": delivery.delivery_attempt,
        }

    def _notify(self) -> None:
        self._work.set()
        self._services.on_change()

    async def _sleep_until(self, *moments_s: float | None) -> None:
        """Return at the first of the moments, or earlier when something changed."""
        self._work.clear()
        known_s = [moment_s for moment_s in moments_s if moment_s is not None]
        try:
            async with asyncio.timeout_at(min(known_s, default=None)):
                await self._work.wait()
        except TimeoutError:
            return


def _now_s() -> float:
    return asyncio.get_running_loop().time()


def _report_crash(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        task.get_loop().call_exception_handler({"message": f"{task.get_name()} stopped", "exception": error})
