"""The backlog of one subscription, in simulated time."""

import datetime as dt
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.pubsub.backlog import REORDER_HOLD_S, Backlog, backoff_s
from simulator.pubsub.errors import InvalidArgumentError
from simulator.pubsub.values import Delivery, Message, PublishedMessage, RetryPolicy

MOMENT = dt.datetime(2026, 1, 31, 9, 30, tzinfo=dt.UTC)
FLOOR_S = 0.1


def published(number: int) -> PublishedMessage:
    return PublishedMessage(
        number=number, pubsub_message_id=str(number), publish_time=MOMENT, message=Message(data=b"x")
    )


def take(backlog: Backlog, now_s: float, *, limit: int = 10) -> tuple[Delivery, ...]:
    return backlog.take(now_s, limit=limit, ack_deadline_s=10.0)


def refuse(backlog: Backlog, delivery: Delivery, now_s: float, policy: RetryPolicy | None = None) -> bool:
    return backlog.refuse(delivery, now_s, policy=policy, floor_s=FLOOR_S)


def test_messages_are_taken_in_order_when_they_are_due() -> None:
    backlog = Backlog()
    for number in (1, 2, 3):
        backlog.add(published(number), copy=1, due_s=5.0)

    early, first, rest = take(backlog, 4.9), take(backlog, 5.0, limit=2), take(backlog, 5.0)

    assert early == ()
    assert [delivery.message.number for delivery in (*first, *rest)] == [1, 2, 3]
    assert all(delivery.deadline_s == 15.0 and delivery.delivery_attempt == 1 for delivery in first)


def test_an_acknowledged_message_is_removed() -> None:
    backlog = Backlog()
    backlog.add(published(1), copy=1, due_s=0.0)
    (delivery,) = take(backlog, 0.0)

    assert backlog.acknowledge(delivery)

    assert backlog.count_outstanding(0.0) == 0
    assert not backlog.acknowledge(delivery)
    assert not refuse(backlog, delivery, 1.0)
    assert (backlog.next_due_s(), backlog.next_deadline_s()) == (None, None)
    assert take(backlog, 100.0) == ()


def test_a_refused_message_comes_back_after_its_backoff_with_the_next_attempt() -> None:
    backlog = Backlog()
    backlog.add(published(1), copy=1, due_s=0.0)
    (first,) = take(backlog, 0.0)

    assert refuse(backlog, first, 1.0, RetryPolicy(minimum_backoff_s=2.0, maximum_backoff_s=60.0))

    assert backlog.next_due_s() == 3.0
    assert take(backlog, 2.9) == ()
    (second,) = take(backlog, 3.0)
    assert (first.delivery_attempt, second.delivery_attempt) == (1, 2)
    assert first.ack_id != second.ack_id


def test_a_message_past_its_deadline_is_reported_once() -> None:
    backlog = Backlog()
    backlog.add(published(1), copy=1, due_s=0.0)
    (delivery,) = take(backlog, 0.0)

    assert backlog.take_expired(9.9) == ()
    assert backlog.take_expired(10.0) == (delivery,)
    assert refuse(backlog, delivery, 10.0)
    assert backlog.take_expired(20.0) == ()


def test_a_late_acknowledgement_is_valid_while_the_message_waits() -> None:
    backlog = Backlog()
    backlog.add(published(1), copy=1, due_s=0.0)
    (delivery,) = take(backlog, 0.0)
    refuse(backlog, delivery, 10.0)

    assert backlog.acknowledge(delivery)

    assert take(backlog, 100.0) == ()


def test_a_late_refusal_does_not_disturb_the_next_attempt() -> None:
    backlog = Backlog()
    backlog.add(published(1), copy=1, due_s=0.0)
    (first,) = take(backlog, 0.0)
    refuse(backlog, first, 10.0)
    (second,) = take(backlog, 11.0)

    assert not refuse(backlog, first, 12.0)
    backlog.extend(first, 500.0)

    assert backlog.next_deadline_s() == second.deadline_s == 21.0


def test_an_extended_deadline_replaces_the_old_one() -> None:
    backlog = Backlog()
    backlog.add(published(1), copy=1, due_s=0.0)
    (delivery,) = take(backlog, 0.0)

    backlog.extend(delivery, 50.0)

    assert backlog.take_expired(49.9) == ()
    assert backlog.take_expired(50.0) == (delivery,)


def test_a_reordered_message_follows_the_next_one() -> None:
    backlog = Backlog()
    backlog.add(published(1), copy=1, due_s=0.0, lets_next_pass=True)
    backlog.add(published(2), copy=1, due_s=0.0)
    backlog.add(published(3), copy=1, due_s=1.0)

    assert [delivery.message.number for delivery in take(backlog, 0.0)] == [2, 1]


def test_a_reordered_message_does_not_wait_for_ever() -> None:
    backlog = Backlog()
    backlog.add(published(1), copy=1, due_s=0.0, lets_next_pass=True)

    assert take(backlog, 0.0) == ()
    assert [delivery.message.number for delivery in take(backlog, REORDER_HOLD_S)] == [1]


@pytest.mark.parametrize("ack_id", ["", "0", "2", "garbage", "-1", "²", "1.0"])
def test_an_unknown_ack_id_is_refused(ack_id: str) -> None:
    backlog = Backlog()
    backlog.add(published(1), copy=1, due_s=0.0)
    take(backlog, 0.0)

    with pytest.raises(InvalidArgumentError, match="Invalid ack id"):
        backlog.find(ack_id)


def test_waits_beyond_the_limit_are_not_counted() -> None:
    backlog = Backlog()
    backlog.add(published(1), copy=1, due_s=5.0)
    backlog.add(published(2), copy=1, due_s=0.0)
    take(backlog, 0.0)

    assert backlog.count_outstanding(0.0) == 2
    assert backlog.count_outstanding(0.0, ignoring_waits_over_s=4.9) == 1
    assert backlog.count_outstanding(0.0, ignoring_waits_over_s=5.0) == 2


def test_the_backoff_doubles_up_to_its_maximum() -> None:
    policy = RetryPolicy(minimum_backoff_s=1.0, maximum_backoff_s=6.0)

    assert [backoff_s(policy, failures, floor_s=FLOOR_S) for failures in (1, 2, 3, 4, 500)] == [1, 2, 4, 6, 6]


def test_without_a_policy_the_backoff_is_the_floor() -> None:
    assert [backoff_s(None, failures, floor_s=FLOOR_S) for failures in (1, 9)] == [FLOOR_S, FLOOR_S]


@given(st.floats(0, 600), st.floats(0, 600), st.integers(1, 10_000))
def test_a_backoff_stays_within_bounds_and_never_shrinks(one_s: float, other_s: float, failures: int) -> None:
    shortest_s, longest_s = sorted((one_s, other_s))
    policy = RetryPolicy(minimum_backoff_s=shortest_s, maximum_backoff_s=longest_s)

    rest_s = backoff_s(policy, failures, floor_s=FLOOR_S)

    assert max(shortest_s, FLOOR_S) <= rest_s <= max(longest_s, FLOOR_S)
    assert rest_s <= backoff_s(policy, failures + 1, floor_s=FLOOR_S)


@given(st.lists(st.sampled_from(["add", "take", "acknowledge", "refuse", "expire"]), max_size=60), st.randoms())
def test_no_message_is_lost_or_delivered_twice_at_once(steps: list[str], chance: random.Random) -> None:
    backlog, now_s, added, acknowledged = Backlog(), 0.0, 0, 0
    in_hand: dict[int, Delivery] = {}
    for step in steps:
        now_s += 3.0
        picked = chance.choice(sorted(in_hand)) if in_hand else None
        if step == "add":
            added += 1
            backlog.add(published(added), copy=1, due_s=now_s, lets_next_pass=chance.random() < 0.3)
        elif step == "take":
            for delivery in take(backlog, now_s, limit=2):
                assert in_hand.setdefault(delivery.message.number, delivery) is delivery
        elif step == "expire":
            for late in backlog.take_expired(now_s):
                assert refuse(backlog, in_hand.pop(late.message.number), now_s)
        elif picked is not None and step == "acknowledge":
            acknowledged += backlog.acknowledge(in_hand.pop(picked))
        elif picked is not None:
            assert refuse(backlog, in_hand.pop(picked), now_s)

    assert backlog.count_outstanding(now_s) == added - acknowledged
    assert len(take(backlog, now_s + 1e6, limit=added + 1)) == added - acknowledged - len(in_hand)
