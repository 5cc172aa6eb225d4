"""The product's executors and its background, on threads that are greenlets."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

from greenlet import GreenletExit

from tests.simulation.product.scheduler import Process, Scheduler, Task

_ResultT = TypeVar("_ResultT")


class Event:
    """threading.Event: a thread that waits stops, others move."""

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
    """ThreadPoolExecutor with as many threads as it takes, all of one process."""

    def __init__(self, scheduler: Scheduler, process: Process) -> None:
        self._scheduler = scheduler
        self._process = process

    def submit(self, fn: Callable[..., _ResultT], /, *args: Any, **kwargs: Any) -> Future[_ResultT]:  # noqa: ANN401 - as Executor has it
        scheduler, caller = self._scheduler, self._scheduler.current()
        promised: _Promised[_ResultT] = _Promised(scheduler)

        def run() -> None:
            if not promised.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except GreenletExit:
                raise
            except BaseException as cause:  # noqa: BLE001 - as ThreadPoolExecutor does
                promised.set_exception(cause)
            else:
                promised.set_result(result)
            promised.came.set()

        scheduler.begin(self._process, f"{caller.name}+", run)
        return promised


class NoPool(Executor):
    """Runs nothing: for what nothing depends on."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401, ARG002 - as Executor has it
        promised: Future[Any] = Future()
        promised.set_result(None)
        return promised


class _Promised(Future[_ResultT]):
    def __init__(self, scheduler: Scheduler) -> None:
        super().__init__()
        self.came = Event(scheduler)

    def result(self, timeout: float | None = None) -> _ResultT:
        self.came.wait(timeout)
        return super().result(timeout=0)
