"""How queued messages reach the workers: each once, chats side by side, failures again, withdrawals with an empty log."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from selfhost.dispatcher import AT_ONCE, Dispatcher
from shared.adapters.sqlite import Database, SqliteEventQueue
from shared.bus.endpoint import PushEndpoint
from shared.bus.envelope import Envelope
from shared.bus.messages import BusMessage, Tick
from shared.bus.notices import HookNotice
from shared.clock import Clock, Deadline, SystemClock
from shared.errors import TransientError

PATIENCE_S = 30.0


class Worker:
    """Records what it handles; `work` is done within each."""

    def __init__(self) -> None:
        self.handled: list[tuple[str, int | None]] = []
        self.work: Callable[[str], object] = lambda _: None
        self.changed = threading.Condition()

    def __call__(self, event: Mapping[str, object] | Tick | HookNotice, envelope: Envelope, _: Deadline) -> str:
        text = "tick" if isinstance(event, Tick | HookNotice) else str(event["text"])
        with self.changed:
            self.handled.append((text, envelope.delivery_attempt))
            self.changed.notify_all()
        self.work(text)
        return "replied"

    def wait_for(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.handled) >= count, timeout=PATIENCE_S), self.handled


class Machine:
    """A running dispatcher."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.worker, self.unsend = Worker(), Worker()
        self.database = Database(folder)
        self.queue = SqliteEventQueue(self.database, clock=clock, first_pause_s=0.05)
        self.waiting_when_forgotten: list[int] = []
        self.dispatcher = Dispatcher(
            self.queue,
            worker=PushEndpoint(handle=self.worker, clock=clock),
            unsend=PushEndpoint(handle=self.unsend, clock=clock),
            clean_up=lambda: self.waiting_when_forgotten.append(self.queue.counts()[0]),
            clock=clock,
        )
        self.dispatcher.start()

    def publish(self, *texts: str, chat: str = "U1", kind: str = "message") -> None:
        self.dispatcher.publish(
            [
                BusMessage(
                    data=json.dumps({"event": {"text": text}}).encode(),
                    attributes={"type": kind, "conversation_id": chat},
                )
                for text in texts
            ]
        )

    def close(self) -> None:
        self.dispatcher.stop()
        self.database.close()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with closing(Machine(tmp_path, SystemClock())) as running:
        yield running


def test_messages_reach_the_worker_of_their_type(machine: Machine) -> None:
    machine.publish("hello", "there")
    machine.publish("taken back", kind="unsend")
    machine.worker.wait_for(2)
    machine.unsend.wait_for(1)

    machine.dispatcher.stop()

    assert sorted(machine.worker.handled) == [("hello", 1), ("there", 1)]
    assert machine.unsend.handled == [("taken back", 1)]
    assert machine.queue.counts() == (0, 0)


def test_a_withdrawal_is_acknowledged_after_the_log_is_empty(machine: Machine) -> None:
    machine.publish("taken back", kind="unsend")
    machine.unsend.wait_for(1)

    machine.dispatcher.stop()

    assert machine.waiting_when_forgotten == [1]


def test_a_message_that_failed_comes_again(machine: Machine) -> None:
    def fail_once(_: str) -> None:
        if len(machine.worker.handled) == 1:
            raise TransientError("later")

    machine.worker.work = fail_once
    machine.publish("hello")
    machine.worker.wait_for(2)

    machine.dispatcher.stop()

    assert machine.worker.handled == [("hello", 1), ("hello", 2)]
    assert machine.queue.counts() == (0, 0)


def test_a_busy_chat_does_not_hold_up_another(machine: Machine) -> None:
    go_on = threading.Event()
    machine.worker.work = lambda text: text == "other" or go_on.wait(PATIENCE_S)
    machine.publish(*map(str, range(60)))
    machine.publish("other", chat="U2")

    machine.worker.wait_for(9)
    with machine.worker.changed:
        started = [text for text, _ in machine.worker.handled]
    go_on.set()
    machine.worker.wait_for(61)

    assert "other" in started
    assert len(started) == 9  # eight of the busy chat


def test_a_withdrawal_does_not_wait_for_the_messages_of_its_chat(machine: Machine) -> None:
    go_on = threading.Event()
    machine.worker.work = lambda _: go_on.wait(PATIENCE_S)
    machine.publish(*map(str, range(60)))
    machine.worker.wait_for(8)  # as many as a chat may have

    machine.publish("taken back", kind="unsend")
    machine.unsend.wait_for(1)
    go_on.set()

    machine.worker.wait_for(60)


def test_a_withdrawal_does_not_wait_for_a_thread_of_the_worker(machine: Machine) -> None:
    go_on = threading.Event()
    machine.worker.work = lambda _: go_on.wait(PATIENCE_S)
    for chat in range(AT_ONCE):
        machine.publish("hello", "there", chat=f"U{chat}")
    machine.worker.wait_for(AT_ONCE)

    machine.publish("taken back", chat="U1000", kind="unsend")
    machine.unsend.wait_for(1)
    go_on.set()

    machine.worker.wait_for(2 * AT_ONCE)


def test_a_chat_never_has_more_than_its_share(machine: Machine) -> None:
    go_on = threading.Event()
    machine.worker.work = lambda text: text.startswith("other") or go_on.wait(PATIENCE_S)
    machine.publish(*map(str, range(7)))
    machine.worker.wait_for(7)

    machine.publish(*map(str, range(7, 30)))
    machine.publish("other", chat="U2")  # comes behind all of the busy chat, so it shows that no more of that is taken
    machine.worker.wait_for(9)
    with machine.worker.changed:
        started = [text for text, _ in machine.worker.handled if text != "other"]
    go_on.set()
    machine.worker.wait_for(31)

    assert len(started) == 8


def test_a_tick_goes_past_the_queue(machine: Machine) -> None:
    assert machine.dispatcher.tick()

    assert machine.worker.handled == [("tick", 1)]
    assert machine.queue.counts() == (0, 0)


def test_a_stop_waits_for_what_is_being_handled(machine: Machine) -> None:
    go_on = threading.Event()
    machine.worker.work = lambda _: go_on.wait(PATIENCE_S)
    machine.publish("hello")
    machine.worker.wait_for(1)

    stopping = threading.Thread(target=machine.dispatcher.stop)
    stopping.start()
    go_on.set()
    stopping.join(PATIENCE_S)

    assert machine.queue.counts() == (0, 0)
