import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from shared.access.usage import REWRITTEN_S, DeploymentUsage, UsageRecord
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.spending import Ledger
from shared.errors import StorageUnavailableError
from shared.metering import ModelUsage, Purpose
from shared.storage.codec import encode
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import usage_name
from shared.storage.object_store import ListedObject, StoredObject
from tests.support.inline import InlineExecutor

DAY = Ledger().day(FixedClock().now_ms())


class StoreThatMayFail(MemoryObjectStore):
    """A bucket that does not list while `is_down`."""

    is_down = False

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        if self.is_down:
            raise StorageUnavailableError("down")
        return super().list(prefix, since=since, before=before)


class UnwaitedFuture(Future[Any]):
    """Fails the test if anything waits for it."""

    def result(self, timeout: float | None = None) -> Any:  # noqa: ANN401 - as in Future
        assert self.done(), "a turn waited for an exchange"
        return super().result(timeout)


class LaterExecutor(Executor):
    """Runs nothing until it is told to."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[], object]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - as in Executor
        future = UnwaitedFuture()
        self._waiting.append(lambda: future.set_result(fn(*args, **kwargs)))
        return future

    def run_all(self) -> None:
        """Run what was submitted."""
        while self._waiting:
            self._waiting.pop(0)()


class AwaitedExecutor(Executor):
    """Runs what was submitted when it is waited for."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - as in Executor
        return AwaitedFuture(partial(fn, *args, **kwargs))


class AwaitedFuture(Future[Any]):
    """Work that is done in `result`."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__()
        self._work = work

    def result(self, timeout: float | None = None) -> Any:  # noqa: ANN401 - as in Future
        if not self.done():
            self.set_result(self._work())
        return super().result(timeout)


@pytest.fixture
def store() -> StoreThatMayFail:
    return StoreThatMayFail()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


def instance(
    name: str, store: MemoryObjectStore, clock: FixedClock, threads: Executor | None = None
) -> DeploymentUsage:
    """Return the usage as one instance of the deployment knows it."""
    return DeploymentUsage(
        objects=ObjectCache(store=store, reads=InlineExecutor()),
        threads=threads or InlineExecutor(),
        clock=clock,
        day=Ledger().day,
        instance=name,
        is_limited=True,
    )


def a_request(prompt_tokens: int) -> ModelUsage:
    return ModelUsage(
        purpose=Purpose.TURN,
        model_name="model",
        requests=1,
        prompt_tokens=prompt_tokens,
        cached_tokens=0,
        output_tokens=0,
        thought_tokens=0,
    )


def test_an_instance_knows_what_others_spent_half_a_minute_after_they_wrote(
    store: StoreThatMayFail, clock: FixedClock
) -> None:
    one, other = instance("one", store, clock), instance("other", store, clock)
    one.begin_exchange()
    one.charge("U1", a_request(700))
    other.charge("U2", a_request(20))
    clock.move(REWRITTEN_S)

    one.begin_exchange()
    other.begin_exchange()

    assert (one.tokens(DAY), other.tokens(DAY)) == (700, 720)


def test_a_sum_is_written_at_most_every_half_minute(store: StoreThatMayFail, clock: FixedClock) -> None:
    usage = instance("one", store, clock)
    usage.charge("U1", a_request(1))
    usage.begin_exchange()
    written = store.list("usage/")
    usage.charge("U1", a_request(1))
    clock.move(REWRITTEN_S - 1)

    usage.begin_exchange()

    assert store.list("usage/") == written
    assert len(written) == 1


def test_a_sum_that_has_not_grown_is_not_written_again(store: StoreThatMayFail, clock: FixedClock) -> None:
    usage = instance("one", store, clock)
    usage.charge("U1", a_request(1))
    usage.begin_exchange()
    written = store.list("usage/")
    clock.move(REWRITTEN_S)

    usage.begin_exchange()

    assert store.list("usage/") == written


def test_the_first_turn_of_an_instance_knows_what_the_others_spent(store: StoreThatMayFail, clock: FixedClock) -> None:
    other = instance("other", store, clock)
    other.charge("U2", a_request(20))
    other.begin_exchange()
    usage = instance("one", store, clock, AwaitedExecutor())

    usage.begin_exchange()

    assert usage.tokens(DAY) == 20


class StoreReadTogether(MemoryObjectStore):
    """A bucket that answers the reads of usage only eight at a time."""

    def __init__(self) -> None:
        super().__init__()
        self._together = threading.Barrier(8)

    def read(self, name: str) -> StoredObject | None:
        self._together.wait(30)
        return super().read(name)


def test_the_usage_of_other_instances_is_read_side_by_side(clock: FixedClock) -> None:
    store = StoreReadTogether()
    for number in range(40):
        store.create(usage_name(DAY, f"other{number}"), encode(UsageRecord(tokens=1)))
    with ThreadPoolExecutor(8) as reads:
        usage = replace(instance("one", store, clock), objects=ObjectCache(store=store, reads=reads))

        usage.begin_exchange()

        assert usage.tokens(DAY) == 40


def test_an_answer_does_not_wait_for_a_slow_first_exchange(store: StoreThatMayFail, clock: FixedClock) -> None:
    may_end = threading.Event()
    with ThreadPoolExecutor(1) as threads:
        threads.submit(may_end.wait, 10)  # the exchange comes after this
        usage = replace(instance("one", store, clock, threads), waited_s=0.01)
        other = instance("other", store, clock)
        other.charge("U2", a_request(20))
        other.begin_exchange()
        usage.begin_exchange()

        before = usage.tokens(DAY)
        may_end.set()

    assert (before, usage.tokens(DAY)) == (0, 20)


def test_a_turn_waits_for_the_first_exchange_only(store: StoreThatMayFail, clock: FixedClock) -> None:
    threads = LaterExecutor()
    usage = instance("one", store, clock, threads)
    usage.begin_exchange()
    threads.run_all()
    clock.move(REWRITTEN_S)

    usage.begin_exchange()  # its work has not begun

    assert usage.tokens(DAY) == 0


def test_the_first_turn_after_an_idle_hour_waits_for_what_the_others_spent(
    store: StoreThatMayFail, clock: FixedClock
) -> None:
    usage = instance("one", store, clock, AwaitedExecutor())
    usage.begin_exchange()
    assert usage.tokens(DAY) == 0
    other = instance("other", store, clock)
    other.charge("U2", a_request(20))
    other.begin_exchange()
    clock.move(3_600)

    usage.begin_exchange()

    assert usage.tokens(DAY) == 20


def test_a_sum_has_grown_until_it_is_written(store: StoreThatMayFail, clock: FixedClock) -> None:
    usage = instance("one", store, clock)
    usage.begin_exchange()
    idle = usage.has_grown
    usage.charge("U1", a_request(1))
    clock.move(REWRITTEN_S)
    grown = usage.has_grown

    usage.begin_exchange()

    assert (idle, grown, usage.has_grown) == (False, True, False)


def test_a_bucket_that_is_down_leaves_the_own_sum(store: StoreThatMayFail, clock: FixedClock) -> None:
    usage = instance("one", store, clock)
    usage.charge("U1", a_request(9))
    store.is_down = True

    usage.begin_exchange()

    assert usage.tokens(DAY) == 9


def test_yesterday_is_written_a_last_time_and_then_forgotten(store: StoreThatMayFail, clock: FixedClock) -> None:
    usage = instance("one", store, clock)
    usage.charge("U1", a_request(9))
    clock.move(86_400)

    usage.begin_exchange()

    assert [one.name for one in store.list("usage/")] == [f"usage/{DAY}/one.json"]
    assert usage.tokens(DAY) == 0
