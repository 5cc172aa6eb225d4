"""One answer to each message, over real wires, with several worker processes and with workers that are killed."""

import datetime as dt
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.storage.due_marker import DUE_PREFIX, DueMarker
from shared.turns.follow_ups import MOST_ASKED_ANEW
from shared.turns.waiting_room import PLACES
from simulator.gemini.script import Hold, call
from simulator.line.switches import Fault as LineFault
from simulator.processes import Child, free_port
from simulator.storage import Fault as StorageFault
from tests.e2e.conftest import PATIENCE_S, Person, Platform, wait_until
from tests.support import push
from tests.support.serving import plain_http
from tests.support.stacks import running_stack


@pytest.fixture(scope="module")
def settling_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """A stack with the deployed settle window and lease, and with a model that takes a second."""
    folder = tmp_path_factory.mktemp("settling_stack")
    with running_stack(folder, model_latency_s=1.0, more_env={"LEASE_S": "25"}) as (loop, stack):
        yield Platform(loop, stack, folder)


def test_a_follow_up_ends_the_request_and_both_messages_get_one_answer(platform: Platform, person: Person) -> None:
    hold = Hold()
    platform.do(lambda stack: stack.gemini.script([call("reply", {"message": "to half of it"}).held(hold)]))
    person.says("bubble 1")
    hold.wait_until_reached(PATIENCE_S)

    person.says("bubble 2")
    wait_until(lambda: len(person.hears()) == 1)
    hold.release()
    platform.settle()

    first, last = platform.do(lambda stack: [one.request for one in stack.gemini.requests[-2:]])
    assert "bubble 2" not in str(first)
    assert all(f"bubble {number}" in str(last) for number in (1, 2))
    assert len(person.hears()) == 1
    assert "to half of it" not in person.hears()
    covered = [name for name in platform.bucket() if name.endswith(".outcome.json") and person.id in name]
    assert len(covered) == 1


def test_deliveries_that_leave_a_crowded_turn_are_answered_with_the_others(platform: Platform, person: Person) -> None:
    holds = [Hold() for _ in range(1 + MOST_ASKED_ANEW)]
    platform.do(
        lambda stack: stack.gemini.script([call("reply", {"message": "one moment"}).held(hold) for hold in holds])
    )
    person.says("hello")
    holds[0].wait_until_reached(PATIENCE_S)
    crowd = {person.says(f"bubble {number}") for number in range(PLACES + 3)}
    wait_until(lambda: len(platform.names(DUE_PREFIX)) == 3)
    left = {DueMarker.parse(name) for name in platform.names(DUE_PREFIX)}
    assert {(one.kind, one.conversation_id) for one in left} == {("reply", person.id)}
    assert {one.id for one in left} < crowd

    for hold in holds:
        hold.release()
    platform.settle()
    last = platform.do(lambda stack: stack.gemini.requests[-1].request)
    assert all(f"bubble {number}" in str(last) for number in range(PLACES + 3))
    said = person.hears()
    platform.carry_out_due()

    assert platform.names(DUE_PREFIX) == []
    assert person.hears() == said
    assert len(said) <= 3


@pytest.fixture
def worker_urls(settling_stack: Platform) -> Iterator[list[str]]:
    """Return the addresses of four worker processes on one bucket."""
    first = settling_stack.stack.children["agent_worker"]
    clones = [clone_of(first, number) for number in range(3)]
    for clone in clones:
        settling_stack.run(clone.start())
    yield [first.url, *(clone.url for clone in clones)]
    for clone in clones:
        settling_stack.run(clone.stop())


def clone_of(child: Child, number: int) -> Child:
    port = free_port()
    command = [str(port) if part == str(child.port) else part for part in child.command]
    log_path = child.log_path.with_name(f"agent_worker-{number}.log")
    return replace(child, command=command, port=port, log_path=log_path, _process=None)


def test_an_event_delivered_twenty_times_to_four_workers_is_answered_once(
    settling_stack: Platform, worker_urls: list[str]
) -> None:
    person = Person(settling_stack, "popular")
    before = settling_stack.do(lambda stack: stack.line.replies_with_effect)
    event = settling_stack.do(lambda stack: stack.line.say(person.id, person.id, "hello"))
    now = dt.datetime.fromtimestamp(event.fields["timestamp"] / 1_000, tz=dt.UTC).isoformat()
    body = push.envelope(event.as_sent(is_redelivery=True), published=now)

    with plain_http() as http, ThreadPoolExecutor(20) as deliveries:
        urls = [worker_urls[number % 4] for number in range(20)]
        statuses = list(deliveries.map(lambda url: http.post(url, content=body).status_code, urls))
    settling_stack.settle()

    assert set(statuses) == {204}
    assert len(person.hears()) == 1
    assert settling_stack.do(lambda stack: stack.line.replies_with_effect) - before == 1


POINTS = {
    "before the message is recorded": StorageFault(operation="insert", prefix="journal/", nth=1),
    "before the turn is opened": StorageFault(operation="insert", prefix="turns/", nth=1),
    "before the outcome is committed": StorageFault(operation="insert", prefix="turns/", nth=2),
    "before the outcome is recorded": StorageFault(operation="insert", prefix="journal/", nth=2),
}


@pytest.mark.parametrize("is_after", [False, True], ids=["request", "effect"])
@pytest.mark.parametrize("point", POINTS)
def test_a_worker_killed_at_any_write_leaves_one_answer(point: str, is_after: bool, killable: "KillableWorker") -> None:
    killable.die_at(POINTS[point], is_after=is_after)

    killable.person.says("hello")
    killable.revive()

    assert len(killable.answers()) == 1


@pytest.mark.parametrize("is_after", [False, True], ids=["request", "effect"])
def test_a_worker_killed_at_the_reply_leaves_one_answer(is_after: bool, killable: "KillableWorker") -> None:
    killable.die_at_reply(is_after=is_after)

    killable.person.says("hello")
    killable.revive()

    assert len(killable.answers()) == 1


class KillableWorker:
    """A stack with short leases whose worker is killed (SIGKILL) when one of its requests reaches a stand-in."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.person = Person(platform, "patient")
        self._before = platform.do(lambda stack: stack.line.replies_with_effect)

    def kill(self) -> None:
        os.killpg(self.platform.stack.children["agent_worker"].pid, signal.SIGKILL)

    def die_at(self, fault: StorageFault, *, is_after: bool) -> None:
        deadly = replace(fault, took_effect=self.kill) if is_after else replace(fault, arrived=self.kill)
        self.platform.do(lambda stack: stack.storage.faults.add(deadly))

    def die_at_reply(self, *, is_after: bool) -> None:
        fault = LineFault(path="/v2/bot/message/reply", nth=1, answer="cut")
        deadly = replace(fault, took_effect=self.kill) if is_after else replace(fault, arrived=self.kill)
        self.platform.do(lambda stack: stack.line.faults.add(deadly))

    def revive(self) -> None:
        """Wait for the end of the worker, and restart it on the same port."""
        child = self.platform.stack.children["agent_worker"]
        self.platform.run(child.ended())
        self.platform.run(child.start())

    def answers(self) -> list[str]:
        self.platform.settle()
        said = self.person.hears()
        assert self.platform.do(lambda stack: stack.line.replies_with_effect) - self._before == len(said)
        return said


@pytest.fixture(scope="module")
def short_leases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("killable")
    with running_stack(folder, more_env={"SETTLE_MS": "0", "LEASE_S": "2"}) as (loop, stack):
        yield Platform(loop, stack, folder)


@pytest.fixture
def killable(short_leases: Platform) -> Iterator[KillableWorker]:
    yield KillableWorker(short_leases)
    short_leases.reset()
