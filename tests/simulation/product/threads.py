"""The executors and events of the product, on threads that are greenlets."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

from greenlet import GreenletExit

from tests.simulation.product.scheduler import Process, Scheduler, Task

_ResultT = TypeVar("_ResultT")


class Event:
    """A `threading.Event` whose waiting threads let others move."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._is_set = False
        self._waiting: dict[Task, None] = {}

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        for task in self._waiting:
            self._scheduler.wake(task)
        self._waiting.clear()

    def wait(self, timeout: float | None = None) -> bool:
        scheduler, task = self._scheduler, self._scheduler.current()
        if not self._is_set:
            task.about = "waits"
            self._waiting[task] = None
            if timeout is None:
                task.ticket += 1
            else:
                scheduler.wake(task, timeout)
            scheduler.park(task)
            self._waiting.pop(task, None)
        return self._is_set


class Pool(Executor):
    """A `ThreadPoolExecutor` without a limit, whose threads belong to one process."""

    def __init__(self, scheduler: Scheduler, process: Process) -> None:
        self._scheduler = scheduler
        self._process = process

    def submit(self, fn: Callable[..., _ResultT], /, *args: Any, **kwargs: Any) -> Future[_ResultT]:  # noqa: ANN401 - as in Executor
        scheduler, caller = self._scheduler, self._scheduler.current()
        pending: _PendingResult[_ResultT] = _PendingResult(scheduler)

        def run() -> None:
            if not pending.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except GreenletExit:
                raise
            except BaseException as cause:  # noqa: BLE001 - as ThreadPoolExecutor does
                pending.set_exception(cause)
            else:
                pending.set_result(result)
            pending.done_event.set()

        scheduler.begin(self._process, f"{caller.name}+", run)
        return pending


class NoPool(Executor):
    """An executor that runs nothing, for work on which no invariant depends."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401, ARG002 - as in Executor
        pending: Future[Any] = Future()
        pending.set_result(None)
        return pending


class _PendingResult(Future[_ResultT]):
    def __init__(self, scheduler: Scheduler) -> None:
        super().__init__()
        self.done_event = Event(scheduler)

    def result(self, timeout: float | None = None) -> _ResultT:
        self.done_event.wait(timeout)
        return super().result(timeout=0)
