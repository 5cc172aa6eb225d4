"""The outstanding messages of a subscription: waiting messages, and delivered messages without an acknowledgement.

A state machine without a clock or a network: time comes in as `now_s`. The states of a copy of a message:

    waiting(due) ──take──▶ in hand(deadline) ──acknowledge──▶ removed
         ▲                      │
         └── refuse, expire ────┘  after its backoff; `delivery_attempt` grows
"""

import datetime as dt
import heapq
from dataclasses import dataclass, field

from simulator.pubsub.errors import InvalidArgumentError
from simulator.pubsub.values import Delivery, PublishedMessage, RetryPolicy

REORDER_HOLD_S = 0.25  # the longest time that a reordered message waits for a later one


def backoff_s(policy: RetryPolicy | None, failures: int, *, floor_s: float) -> float:
    """Return how long a message waits after the `failures`-th failed delivery.

    The backoff doubles from the policy's minimum up to the maximum, and is never below the floor; no policy means the floor.
    For example, a policy of 10 s to 600 s gives 10, 20, 40 ... up to 600 s.
    """
    if policy is None:
        return floor_s
    doubled_s = max(policy.minimum_backoff_s, floor_s) * 2.0 ** min(failures - 1, 32)
    return min(doubled_s, max(policy.maximum_backoff_s, floor_s))


@dataclass(slots=True, kw_only=True, eq=False)
class _Copy:
    """A copy of a message. `ticket` names the valid heap entry; all other entries of the copy are stale."""

    message: PublishedMessage
    number: int
    ticket: int = 0
    when_s: float = 0.0
    failures: int = 0
    in_hand: Delivery | None = None
    deliveries: list[Delivery] = field(default_factory=list)


class Backlog:
    """The outstanding messages of a subscription."""

    def __init__(self) -> None:
        self._copies: set[_Copy] = set()
        self._held: list[_Copy] = []
        self._by_ack_id: dict[str, tuple[_Copy, Delivery]] = {}
        self._waiting: list[tuple[float, int, _Copy]] = []
        self._in_hand: list[tuple[float, int, _Copy]] = []
        self._tickets = 0
        self._ack_ids = 0

    def add(self, message: PublishedMessage, *, copy: int, due_s: float, lets_next_pass: bool = False) -> None:
        """Add a copy, due at `due_s`; with `lets_next_pass`, due after the next taken message, at the latest `REORDER_HOLD_S` later."""
        waiting = _Copy(message=message, number=copy)
        self._copies.add(waiting)
        if lets_next_pass:
            self._held.append(waiting)
        self._wait(waiting, due_s + REORDER_HOLD_S if lets_next_pass else due_s)

    def take(self, now_s: float, *, limit: int, ack_deadline_s: float) -> tuple[Delivery, ...]:
        """Deliver up to `limit` due messages, in the order of their due times."""
        deliveries: list[Delivery] = []
        while len(deliveries) < limit and (copy := self._first(self._waiting)) is not None and copy.when_s <= now_s:
            heapq.heappop(self._waiting)
            deliveries.append(self._hand_over(copy, now_s + ack_deadline_s))
            self._release_held(copy, now_s)
        return tuple(deliveries)

    def find(self, ack_id: str) -> Delivery | None:
        """Return the delivery by id; None after the copy's acknowledgement.

        Raises: InvalidArgumentError, for an id never given to a delivery.
        """
        if not (ack_id.isascii() and ack_id.isdecimal() and 0 < int(ack_id) <= self._ack_ids):
            raise InvalidArgumentError(f"Invalid ack id (ack_id={ack_id})")
        copy_and_delivery = self._by_ack_id.get(ack_id)
        return copy_and_delivery and copy_and_delivery[1]

    def acknowledge(self, delivery: Delivery) -> bool:
        """Remove the copy. Also valid after the deadline, as long as the copy was not acknowledged.

        Repeated: does nothing, returns False.
        """
        copy_and_delivery = self._by_ack_id.get(delivery.ack_id)
        if copy_and_delivery is None:
            return False
        copy, _ = copy_and_delivery
        self._copies.discard(copy)
        copy.ticket = 0
        for earlier in copy.deliveries:
            del self._by_ack_id[earlier.ack_id]
        return True

    def refuse(self, delivery: Delivery, now_s: float, *, policy: RetryPolicy | None, floor_s: float) -> bool:
        """Put the copy back until the end of the backoff.

        Repeated, or after the end of the delivery: does nothing, returns False.
        """
        copy = self._copy_in_hand(delivery)
        if copy is None:
            return False
        copy.in_hand = None
        copy.failures += 1
        self._wait(copy, now_s + backoff_s(policy, copy.failures, floor_s=floor_s))
        return True

    def extend(self, delivery: Delivery, deadline_s: float) -> None:
        """Move the deadline of the delivery. Does nothing after the end of the delivery."""
        copy = self._copy_in_hand(delivery)
        if copy is not None:
            self._schedule(self._in_hand, copy, deadline_s)

    def take_expired(self, now_s: float) -> tuple[Delivery, ...]:
        """Take out the deliveries past their deadline; the caller refuses them."""
        late: list[Delivery] = []
        while (copy := self._first(self._in_hand)) is not None and copy.when_s <= now_s and copy.in_hand is not None:
            heapq.heappop(self._in_hand)
            late.append(copy.in_hand)
        return tuple(late)

    def next_due_s(self) -> float | None:
        """Return the due time of the next waiting message."""
        copy = self._first(self._waiting)
        return None if copy is None else copy.when_s

    def next_deadline_s(self) -> float | None:
        """Return the next deadline of a delivery."""
        copy = self._first(self._in_hand)
        return None if copy is None else copy.when_s

    @property
    def oldest_publish_time(self) -> dt.datetime | None:
        """The earliest publish time of an unacknowledged copy."""
        return min((copy.message.publish_time for copy in self._copies), default=None)

    def count_outstanding(self, now_s: float, *, ignoring_waits_over_s: float | None = None) -> int:
        """Count the unacknowledged copies, without copies waiting longer than the limit from now."""
        if ignoring_waits_over_s is None:
            return len(self._copies)
        latest_s = now_s + ignoring_waits_over_s
        return sum(copy.in_hand is not None or copy.when_s <= latest_s for copy in self._copies)

    def _hand_over(self, copy: _Copy, deadline_s: float) -> Delivery:
        self._ack_ids += 1
        delivery = Delivery(
            ack_id=str(self._ack_ids),
            message=copy.message,
            copy=copy.number,
            delivery_attempt=copy.failures + 1,
            deadline_s=deadline_s,
        )
        copy.in_hand = delivery
        copy.deliveries.append(delivery)
        self._by_ack_id[delivery.ack_id] = (copy, delivery)
        self._schedule(self._in_hand, copy, deadline_s)
        return delivery

    def _release_held(self, passed_by: _Copy, now_s: float) -> None:
        if passed_by in self._held:
            self._held.remove(passed_by)
            return
        for copy in self._held:
            self._wait(copy, now_s)
        self._held.clear()

    def _copy_in_hand(self, delivery: Delivery) -> _Copy | None:
        copy_and_delivery = self._by_ack_id.get(delivery.ack_id)
        return (
            copy_and_delivery[0] if copy_and_delivery is not None and copy_and_delivery[0].in_hand is delivery else None
        )

    def _wait(self, copy: _Copy, due_s: float) -> None:
        self._schedule(self._waiting, copy, due_s)

    def _schedule(self, heap: list[tuple[float, int, _Copy]], copy: _Copy, when_s: float) -> None:
        self._tickets += 1
        copy.ticket, copy.when_s = self._tickets, when_s
        heapq.heappush(heap, (when_s, copy.ticket, copy))

    def _first(self, heap: list[tuple[float, int, _Copy]]) -> _Copy | None:
        while heap and heap[0][2].ticket != heap[0][1]:
            heapq.heappop(heap)
        return heap[0][2] if heap else None
