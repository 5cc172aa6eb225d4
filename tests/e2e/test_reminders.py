"""Many reminders of one minute over real wires: each is said once, in time, though workers are killed; without quota, with an answer."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self

import pytest

from tests.e2e.conftest import Platform
from tests.e2e.reminded import RemindedPeople
from tests.support.stacks import running_stack

FEW: Final = 20
AT_ONCE: Final = 5
MANY: Final = 1_000
IN_TIME_MS: Final = 120_000
TICK_S: Final = 60.0
OFTEN_S: Final = 3.0


@pytest.fixture
def reminding(tmp_path: Path) -> Iterator[Platform]:
    with running_stack(tmp_path, more_env={"SETTLE_MS": "0", "LEASE_S": "5"}, tick_shards=2) as (loop, stack):
        yield Platform(loop, stack, tmp_path)


class Ticks:
    """Cloud Scheduler: a tick every so many seconds, from now on, until the block ends."""

    def __init__(self, platform: Platform, *, every_s: float) -> None:
        self._platform = platform
        self._every_s = every_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tick_on)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _tick_on(self) -> None:
        while True:
            self._platform.do(lambda stack: stack.tick())
            if self._ended.wait(self._every_s):
                return


def wait_until_said(people: RemindedPeople, count: int, *, within_s: float) -> None:
    until_s = time.monotonic() + within_s
    while len(people.heard()) < count and time.monotonic() < until_s:
        time.sleep(0.2)


def wait_until_kept(platform: Platform, count: int, *, within_s: float) -> None:
    """Wait until so many chats have a reminder that is kept for their next answer; one whose work failed waits for the next tick."""
    until_s = time.monotonic() + within_s
    while len(chats_with_kept(platform)) < count and time.monotonic() < until_s:
        time.sleep(0.2)


def chats_with_kept(platform: Platform) -> set[str]:
    lines = platform.log_lines("agent_worker")
    return {line["conversation_id"] for line in lines if line["message"] == "reminder_kept"}


@pytest.mark.parametrize(
    ("count", "kills_after"), [(FEW, (0.5,)), pytest.param(MANY, (0.2, 0.4, 0.6, 0.8), marks=pytest.mark.load)]
)
def test_reminders_of_one_minute_are_said_once_though_workers_are_killed(
    reminding: Platform, count: int, kills_after: tuple[float, ...]
) -> None:
    reminding.do(lambda stack: setattr(stack.line.quota, "limit", None))
    people = RemindedPeople(platform=reminding, count=count)
    people.remind()
    people.wait_until_due()

    with Ticks(reminding, every_s=TICK_S if count == MANY else OFTEN_S):
        for part in kills_after:
            wait_until_said(people, round(count * part), within_s=TICK_S)
            people.kill_worker()
        wait_until_said(people, count, within_s=2 * TICK_S)
    reminding.settle()

    heard = people.heard()
    late_ms = sorted(one for one, _ in heard)
    print(f"{len(heard)} said, the last {late_ms[-1] / 1_000:.1f} s after its minute")  # noqa: T201 - a measurement
    assert people.said() == [*range(count)]
    assert late_ms[-1] <= IN_TIME_MS


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.load)])
def test_reminders_beyond_the_quota_come_with_the_next_answers(reminding: Platform, count: int) -> None:
    reminding.do(lambda stack: setattr(stack.line.quota, "limit", count // 2))
    people = RemindedPeople(platform=reminding, count=count)
    people.remind()
    people.wait_until_due()

    with Ticks(reminding, every_s=TICK_S if count == MANY else OFTEN_S):
        wait_until_said(people, count // 2, within_s=2 * TICK_S)
        wait_until_kept(reminding, count - count // 2, within_s=2 * TICK_S)
    reminding.settle()  # without ticks, because on a slow machine the next one comes before this one is handled
    assert len(people.said()) == count // 2

    silent = people.silent()
    for first in range(0, len(silent), AT_ONCE):
        for user_id in silent[first : first + AT_ONCE]:
            reminding.do(lambda stack, user_id=user_id: stack.line.say(user_id, user_id, "こんにちは"))  # type: ignore[misc]
        reminding.settle()

    assert people.said() == [*range(count)]
    assert sum("meant for" in text for _, text in people.heard()) == len(silent) == count - count // 2
