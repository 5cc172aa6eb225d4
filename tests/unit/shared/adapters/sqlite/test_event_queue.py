"""What the queue does beyond the port: leases, pauses, dead letters, chats side by side, and what a killed process leaves."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from shared.adapters.memory import FixedClock
from shared.adapters.sqlite import Database, QueuedMessage, SqliteEventQueue
from shared.adapters.sqlite.event_queue import MOST_ATTEMPTS
from shared.bus.messages import BusMessage
from shared.errors import PublishFailedError

FIRST_PAUSE_S = 10.0
LEASE_S = 120.0


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(tmp_path)) as opened:
        yield opened


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def queue(database: Database, clock: FixedClock) -> SqliteEventQueue:
    return SqliteEventQueue(database, clock=clock)


def message(text: str, chat: str = "U1") -> BusMessage:
    return BusMessage(data=text.encode(), attributes={"type": "message", "conversation_id": chat})


def texts(messages: Sequence[QueuedMessage]) -> list[str]:
    return [one.data.decode() for one in messages]


def test_messages_are_taken_once_in_their_order(queue: SqliteEventQueue) -> None:
    queue.publish([message("one"), message("two")])
    queue.publish([message("three")])

    assert texts(queue.take(2)) == ["one", "two"]
    assert texts(queue.take(2)) == ["three"]
    assert queue.take(2) == ()


def test_unsends_are_taken_apart_from_the_others(queue: SqliteEventQueue) -> None:
    queue.publish(
        [message("one"), BusMessage(data=b"taken back", attributes={"type": "unsend", "conversation_id": "U1"})]
    )

    assert texts(queue.take(2, of_unsends=False)) == ["one"]
    assert queue.next_due_s(of_unsends=True) == 0
    assert queue.next_due_s(of_unsends=False) == LEASE_S
    assert texts(queue.take(2, of_unsends=True)) == ["taken back"]


def test_an_acknowledged_message_is_gone(queue: SqliteEventQueue, clock: FixedClock) -> None:
    queue.publish([message("one")])
    (taken,) = queue.take(1)

    queue.acknowledge(taken)
    queue.acknowledge(taken)
    clock.move(LEASE_S)

    assert queue.take(1) == ()
    assert queue.counts() == (0, 0)


def test_a_message_whose_lease_has_passed_is_taken_again(queue: SqliteEventQueue, clock: FixedClock) -> None:
    queue.publish([message("one")])
    (first,) = queue.take(1)

    clock.move(LEASE_S - 1)
    assert queue.take(1) == ()
    clock.move(1)
    (second,) = queue.take(1)

    assert (first.attempts, second.attempts) == (1, 2)


def test_a_refusal_of_an_earlier_attempt_has_no_effect(queue: SqliteEventQueue, clock: FixedClock) -> None:
    queue.publish([message("one")])
    (first,) = queue.take(1)
    clock.move(LEASE_S)
    queue.take(1)

    queue.refuse(first)
    clock.move(FIRST_PAUSE_S)

    assert queue.take(1) == ()


def test_pauses_double_up_to_ten_minutes(queue: SqliteEventQueue, clock: FixedClock) -> None:
    queue.publish([message("one")])
    pauses = []
    for _ in range(12):
        (taken,) = queue.take(1)
        queue.refuse(taken)
        pause_s = queue.next_due_s()
        assert pause_s is not None
        clock.move(pause_s - 0.1)
        assert queue.take(1) == ()
        clock.move(0.1)
        pauses.append(pause_s)

    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]


def test_a_message_that_was_refused_twenty_times_is_a_dead_letter(queue: SqliteEventQueue, clock: FixedClock) -> None:
    queue.publish([message("one")])
    for _ in range(MOST_ATTEMPTS):
        (taken,) = queue.take(1)
        queue.refuse(taken)
        clock.move(600)

    assert queue.take(1) == ()
    assert texts(queue.dead_letters(10)) == ["one"]
    assert queue.counts() == (0, 1)
    assert queue.next_due_s() is None


def test_dead_letters_are_deleted_after_a_week(queue: SqliteEventQueue, clock: FixedClock) -> None:
    test_a_message_that_was_refused_twenty_times_is_a_dead_letter(queue, clock)

    queue.drop_old_dead_letters()
    assert queue.counts() == (0, 1)
    clock.move(7 * 24 * 3_600)
    queue.drop_old_dead_letters()

    assert queue.counts() == (0, 0)


def test_a_busy_chat_does_not_stand_before_others(queue: SqliteEventQueue) -> None:
    queue.publish([message(str(number), "U1") for number in range(50)])
    queue.publish([message("other", "U2")])

    assert texts(queue.take(50, in_flight={"U1": 8}, most_of_a_chat=8)) == ["other"]


def test_a_chat_gets_no_more_than_its_share_with_what_is_in_flight(queue: SqliteEventQueue) -> None:
    queue.publish([message(str(number), "U1") for number in range(5)])
    queue.publish([message("other", "U2")])

    assert texts(queue.take(10, in_flight={"U1": 6}, most_of_a_chat=8)) == ["0", "1", "other"]


def test_events_of_no_chat_have_no_share(queue: SqliteEventQueue) -> None:
    queue.publish([BusMessage(data=b"one", attributes={}), BusMessage(data=b"two", attributes={})])

    assert texts(queue.take(10, in_flight={"": 1}, most_of_a_chat=1)) == ["one", "two"]


def test_what_waits_for_longer_than_a_lease_rests_with_the_dead_letters(
    queue: SqliteEventQueue, clock: FixedClock
) -> None:
    queue.publish([message("dead", "U1")])
    for _ in range(MOST_ATTEMPTS):
        queue.refuse(queue.take(1)[0])
        clock.move(600)
    queue.publish([message("tired", "U2"), message("in work", "U3"), message("new", "U4")])
    for pause_s in (1, 2, 4, 8, 16, 32, 64, 128, 0):  # then it waits for 256 s
        (tired,) = queue.take(1)
        queue.refuse(tired)
        clock.move(pause_s)
    queue.take(1)

    resting = queue.resting(10)

    assert texts(resting) == ["dead", "tired"]
    assert texts(queue.resting(1, behind=resting[0].id)) == ["tired"]
    assert queue.resting(10, behind=resting[1].id) == ()


def test_what_a_killed_process_had_taken_is_due_at_once_and_counts_the_attempt(
    database: Database, queue: SqliteEventQueue, clock: FixedClock
) -> None:
    queue.publish([message("one")])
    queue.take(1)

    (again,) = SqliteEventQueue(database, clock=clock).take(1)

    assert (again.data, again.attempts) == (b"one", 2)


def test_a_message_that_kills_its_process_twenty_times_is_a_dead_letter(tmp_path: Path, clock: FixedClock) -> None:
    with closing(Database(tmp_path)) as database:
        SqliteEventQueue(database, clock=clock).publish([message("kills"), message("waits")])

    for _ in range(MOST_ATTEMPTS):  # each process takes the oldest message, and dies of it
        with closing(Database(tmp_path)) as database:
            assert texts(SqliteEventQueue(database, clock=clock).take(1)) == ["kills"]
    with closing(Database(tmp_path)) as database:
        queue = SqliteEventQueue(database, clock=clock)
        taken = texts(queue.take(1)) + texts(queue.take(1))

        assert taken == ["waits"]
        assert texts(queue.dead_letters(2)) == ["kills"]
        assert queue.next_due_s() == LEASE_S


def test_a_message_that_was_never_settled_is_a_dead_letter_after_twenty_leases(
    queue: SqliteEventQueue, clock: FixedClock
) -> None:
    queue.publish([message("hangs")])
    for _ in range(MOST_ATTEMPTS):
        (taken,) = queue.take(1)
        clock.move(LEASE_S)

    assert queue.take(1) == ()
    assert texts(queue.dead_letters(2)) == ["hangs"]
    queue.acknowledge(taken)  # by the last worker after all
    assert queue.counts() == (0, 0)


def test_a_clock_that_is_set_back_delays_no_message_for_long(queue: SqliteEventQueue, clock: FixedClock) -> None:
    queue.publish([message("one")])

    clock.move(-10 * 365 * 24 * 3_600)

    assert texts(queue.take(1)) == ["one"]


def test_a_delivery_is_stored_whole_or_not_at_all(queue: SqliteEventQueue) -> None:
    unusable = BusMessage(data=b"two", attributes={"conversation_id": "\ud800"})

    with pytest.raises((PublishFailedError, UnicodeEncodeError)):
        queue.publish([message("one"), unusable])

    assert queue.counts() == (0, 0)
