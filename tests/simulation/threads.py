"""Executors, futures, events and locks of the product, on threads that are greenlets.

The standard ones would block the one real thread that all greenlets share, or would not keep two greenlets apart.  `green_threads()` puts
these into the modules of the product that use the standard ones by name.
"""

import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from functools import partial
from types import SimpleNamespace
from typing import Any, Final, TypeVar, cast

from greenlet import GreenletExit

from shared.agent import overlay, staged
from shared.composition import assembly, features
from shared.handlers import message
from shared.tools.idempotency import IdempotentWrites
from shared.turns import reply
from shared.turns.flood import Floods
from tests.simulation.scheduler import Process, Scheduler, Task, current_task

_ResultT = TypeVar("_ResultT")
_FOREVER_S: Final = 1e9


class Event:
    """A `threading.Event` whose waiting threads let others move."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._is_set = False
        self._waiting: list[Task] = []

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        for task in self._waiting:
            self._scheduler.wake(task)
        self._waiting.clear()

    def clear(self) -> None:
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        if not self._is_set:
            scheduler, task = self._scheduler, self._scheduler.current()
            task.about = "waits" if timeout is None else "waits for a while"
            self._waiting.append(task)
            if timeout is None:
                task.ticket += 1
            else:
                scheduler.wake(task, timeout)
            scheduler.park(task)
            if task in self._waiting:
                self._waiting.remove(task)
        return self._is_set


class Pool(Executor):
    """A `ThreadPoolExecutor` whose threads belong to one process: at most `size` calls run at once, the others wait in order."""

    def __init__(self, scheduler: Scheduler, process: Process, *, size: int = 1_000) -> None:
        self._scheduler = scheduler
        self._process = process
        self._free = size
        self._queued: deque[Task] = deque()

    def submit(self, fn: Callable[..., _ResultT], /, *args: Any, **kwargs: Any) -> Future[_ResultT]:  # noqa: ANN401 - as in Executor
        return self._submit(partial(fn, *args, **kwargs) if args or kwargs else fn)

    def map(
        self,
        fn: Callable[..., _ResultT],
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int = 1,  # noqa: ARG002 - as in Executor
    ) -> Iterator[_ResultT]:
        pending = [self._submit(partial(fn, *arguments)) for arguments in zip(*iterables, strict=False)]
        return (one.result(timeout) for one in pending)

    def _submit(self, call: Callable[[], _ResultT]) -> "PendingResult[_ResultT]":
        scheduler = self._scheduler
        pending: PendingResult[_ResultT] = PendingResult(scheduler)
        caller = scheduler.current()
        work = partial(self._run, pending, call)
        thread = Task(scheduler, self._process, f"{caller.name}+", work, caller.chat)
        if self._free:
            self._free -= 1
            scheduler.start(thread)
        else:
            self._queued.append(thread)
        return pending

    def _run(self, pending: "PendingResult[_ResultT]", call: Callable[[], _ResultT]) -> None:
        pending.settle(call)
        if self._queued:
            self._scheduler.begin(self._queued.popleft())
        else:
            self._free += 1


class NoPool(Executor):
    """An executor that runs nothing, for work on which no invariant depends."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401, ARG002 - as in Executor
        pending: Future[Any] = Future()
        pending.set_result(None)
        return pending


class PendingResult(Future[_ResultT]):
    """A `Future` without its lock, because only one greenlet runs at a time.  It is never cancelled."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._done_event = Event(scheduler)
        self._value: object = None
        self._error: BaseException | None = None

    def settle(self, call: Callable[[], object]) -> None:
        """Make the call, and keep its result or error."""
        try:
            self._value = call()
        except GreenletExit:
            raise
        except BaseException as cause:  # noqa: BLE001 - as ThreadPoolExecutor does
            self._error = cause
        self._done_event.set()

    def done(self) -> bool:
        return self._done_event.is_set()

    def cancel(self) -> bool:
        return False

    def result(self, timeout: float | None = None) -> _ResultT:
        if not self._done_event.wait(timeout):
            raise TimeoutError
        if self._error is not None:
            try:
                raise self._error
            finally:
                self = None  # type: ignore[assignment]  # noqa: PLW0642 - as Future does: no cycle through the traceback
        return cast("_ResultT", self._value)


class RLock:
    """A `threading.RLock` that keeps greenlets apart."""

    def __init__(self) -> None:
        self._owner: object = None
        self._depth = 0
        self._waiting: deque[Event] = deque()

    def __enter__(self) -> None:
        task = current_task()
        while self._depth and self._owner is not task:
            self._waiting.append(Event(task.scheduler))
            self._waiting[-1].wait(_FOREVER_S)
        self._owner = task
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth and self._waiting:
            self._waiting.popleft().set()


class Condition(RLock):
    """The part of `threading.Condition` that the product uses; nothing yields while its lock is held.

    One for each process: a task that is killed while it waits does not take the lock again.
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiters: list[Event] = []

    def wait_for(self, predicate: Callable[[], bool], timeout: float) -> bool:
        task = current_task()
        ends_s = task.scheduler.now_s + timeout
        while not predicate() and task.scheduler.now_s < ends_s:
            event = Event(task.scheduler)
            self._waiters.append(event)
            self.__exit__()
            event.wait(ends_s - task.scheduler.now_s)
            self.__enter__()
        return predicate()

    def notify_all(self) -> None:
        for event in self._waiters:
            event.set()
        self._waiters.clear()


def wait(futures: Iterable[Future[object]], timeout: float | None = None) -> None:
    """Wait until all are done, one after another; like `concurrent.futures.wait`."""
    for future in futures:
        with contextlib.suppress(Exception):
            future.result(timeout)


@contextlib.contextmanager
def replaced(*replacements: tuple[Any, str, object]) -> Iterator[None]:
    """Set attributes inside the block: (owner, name, value)."""
    with contextlib.ExitStack() as undo:
        for owner, name, value in replacements:
            undo.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, value)
        yield


@contextlib.contextmanager
def green_threads() -> Iterator[None]:
    """Inside the block the product's modules use what waits on greenlets."""
    with replaced(
        (message, "wait", wait),
        (reply, "wait", wait),
        (overlay, "threading", SimpleNamespace(RLock=RLock)),
        (staged, "threading", SimpleNamespace(RLock=RLock)),
        (assembly, "Floods", lambda *, clock: Floods(clock=clock, _arrived=cast("Any", Condition()))),
        (
            features,
            "IdempotentWrites",
            lambda *, clock: IdempotentWrites(clock=clock, _condition=cast("Any", Condition())),
        ),
    ):
        yield
