"""Threads as greenlets on one thread: a thread that makes a call gives way to the others, and time is virtual.

The thread that is due first moves first. How long calls take is drawn from one seeded source, and so the order of all steps is drawn, too.
The same seed draws the same order in every process.
"""

import inspect
import itertools
import random
import zlib
from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from pathlib import Path
from types import FrameType
from typing import ClassVar, Final, NamedTuple, TypeAlias

from greenlet import GreenletExit, getcurrent, greenlet

STEPS: Final = 400_000
"""A schedule that takes more never comes to rest."""
_LAST_STEPS: Final = 5_000
NO_THREAD: Final = "only a thread can give way"
_ROOT: Final = f"{Path(__file__).parents[2]}/"
_PRODUCT: Final = (f"{_ROOT}shared/", f"{_ROOT}functions/")


class Step(NamedTuple):
    """A thread goes on after the call `about`.  `place` is the product's line that made the call, empty if places are not recorded.

    `number` counts the steps of a schedule from 1, as `--break` does.
    """

    number: int
    at_s: float
    thread: str
    about: str
    place: str

    def __str__(self) -> str:
        return f"{self.number:>5} {self.at_s:.6f} {self.thread}: {self.about}{self.place and f'  ({self.place})'}"


class Process:
    """One process of a function.  After its death none of its threads has an effect, not even while their stacks unwind."""

    def __init__(self, name: str, *, skew_s: float = 0.0) -> None:
        self.name = name
        self.skew_s = skew_s
        self.is_dead = False
        self.tasks: dict[Task, None] = {}


class Task:
    """One thread of a process.  `about` names the call that it is at, `request` the thread that began the request, which may be itself.

    `chat` is the chat that it works for. `starter` is the greenlet that started it, until it gives way for the first time. It moves on
    `carrier`.
    """

    __slots__ = (
        "about",
        "carrier",
        "chat",
        "is_over",
        "label",
        "name",
        "place",
        "process",
        "request",
        "scheduler",
        "starter",
        "ticket",
        "work",
    )

    def __init__(
        self, scheduler: "Scheduler", process: Process, name: str, work: Callable[[], object], chat: str
    ) -> None:
        self.scheduler = scheduler
        self.process = process
        self.name = name
        self.work = work
        self.request = name.rstrip("+")
        self.chat = chat
        self.label = zlib.crc32(name.encode())
        self.about = "begins"
        self.place = ""
        self.ticket = 0
        self.is_over = False
        self.carrier: _Carrier | None = None
        self.starter: greenlet | None = None


class _Carrier(greenlet):
    """A greenlet that does the work of one thread after another, because making a greenlet costs more than all of its switches."""

    free: ClassVar[list["_Carrier"]] = []

    def __init__(self, hub: greenlet) -> None:
        super().__init__(self._carry, hub)
        self.hub = hub
        self.task: Task | None = None

    @classmethod
    def of(cls, task: Task, hub: greenlet) -> "_Carrier":
        """Return a carrier that begins with the thread when it is switched to."""
        while cls.free:
            carrier = cls.free.pop()
            if carrier.hub is hub:
                break
        else:
            carrier = cls(hub)
        carrier.task = task
        task.carrier = carrier
        return carrier

    def _carry(self) -> None:
        while (task := self.task) is not None:
            try:
                task.work()
            except GreenletExit:
                pass
            finally:
                task.is_over = True
                task.carrier = None
            back = task.starter or self.hub
            self.task = task = None
            self.free.append(self)
            back.switch()


def current_task() -> Task:
    """Return the thread that moves.  Raises: TypeError, if none does."""
    carrier = getcurrent()
    if not isinstance(carrier, _Carrier) or carrier.task is None:
        raise TypeError(NO_THREAD)
    return carrier.task


_Due: TypeAlias = tuple[float, int, Callable[[], object] | Task, int]
_EVENT: Final = 0
_IDLE_EVENT: Final = -1


def _is_stale(due: _Due) -> bool:
    """Whether it is about a thread that was woken otherwise, or has ended."""
    _, _, thing, ticket = due
    return isinstance(thing, Task) and (thing.ticket != ticket or thing.is_over or thing.process.is_dead)


class Scheduler:
    """Moves the threads.  `on_step` may kill the process of the thread that is about to move.

    `records_places`: each step has the product's line that made the call. `on_break` is called in the thread of the step `break_at`, when
    the call is about to take effect, with the product's frame that made the call.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.now_s = 0.0
        self.steps = 0
        self.trace = 0
        self.open_events = 0
        self.open_threads = 0
        self._running: Task | None = None
        self._last_steps: deque[Step] = deque(maxlen=_LAST_STEPS)
        self.records_places = False
        self.break_at: int | None = None
        self.on_break: Callable[[FrameType], None] = lambda _: None
        self.on_step: Callable[[Task], None] = lambda _: None
        self._hub = getcurrent()
        self._switch_to_hub = self._hub.switch
        self._due: list[_Due] = []
        self._numbers = itertools.count(1)

    # -- for schedules and scenes

    def at(self, at_s: float, event: Callable[[], object], *, is_idle: bool = False) -> None:
        """Call `event` at this time.  `is_idle`: nothing is going on only because this event is to come."""
        self.open_events += not is_idle
        heappush(self._due, (at_s, next(self._numbers), event, _IDLE_EVENT if is_idle else _EVENT))

    @property
    def next_s(self) -> float:
        """When the next thread or event is due."""
        while self._due and _is_stale(self._due[0]):
            heappop(self._due)
        return self._due[0][0] if self._due else float("inf")

    @property
    def is_idle(self) -> bool:
        """Whether no thread lives, and no event is to come but idle ones."""
        return not self.open_events and not self.open_threads

    @property
    def last_steps(self) -> tuple[Step, ...]:
        return tuple(self._last_steps)

    def thread(self, process: Process, name: str, work: Callable[[], object], *, chat: str) -> Task:
        """Return a thread that has not begun."""
        return Task(self, process, name, work, chat)

    def begin(self, task: Task) -> Task:
        """Begin a thread; it moves for the first time when the caller gives way."""
        task.process.tasks[task] = None
        self.open_threads += 1
        self.wake(task)
        return task

    def start(self, task: Task) -> None:
        """Begin a thread that moves at once, until it gives way for the first time."""
        caller, self._running = self._running, task
        task.starter = getcurrent()
        task.process.tasks[task] = None
        self.open_threads += 1
        _Carrier.of(task, self._hub).switch()
        self._running = caller
        if task.is_over:
            self._forget(task)

    def delay(self, process: Process, seconds: float) -> None:
        """Hold every thread of the process for that long."""
        for task in process.tasks:
            held = [at_s for at_s, _, thing, ticket in self._due if thing is task and ticket == task.ticket]
            for at_s in held:
                self.wake(task, max(at_s - self.now_s, 0.0) + seconds)

    def kill(self, process: Process) -> None:
        """End every thread of the process where it is, as SIGKILL does."""
        process.is_dead = True
        if self._running is not None:
            # A thread of the process is running; its threads end when it has given way.
            self.at(self.now_s, lambda: self._end_threads(process))
        else:
            self._end_threads(process)

    def run(self, *, only: Process | None = None, until: Callable[[], bool] = lambda: False, steps: int) -> bool:
        """Move all threads, or `only` those of one process, until `until` holds; return whether nothing is left to move."""
        aside: list[_Due] = []
        try:
            for _ in range(steps):
                if until():
                    return False
                due = self._next(only, aside)
                if due is None:
                    return True
                self._move(due)
        finally:
            for due in aside:
                heappush(self._due, due)
        return not self._due

    # -- for the threads

    def give_way(self, about: str, seconds: float = 0.0) -> None:
        """Let other threads move for that long; `about` says what this one does meanwhile."""
        task = self.current()
        task.about = about
        task.ticket += 1
        heappush(self._due, (self.now_s + seconds, next(self._numbers), task, task.ticket))
        self.park(task)

    def current(self) -> Task:
        """Return the calling thread.  Raises: GreenletExit, if its process is dead."""
        task = self._running
        if task is None:
            raise TypeError(NO_THREAD)
        if task.process.is_dead:
            raise GreenletExit
        return task

    def wake(self, task: Task, seconds: float = 0.0) -> None:
        """Move the thread after that long, in place of any earlier plan for it."""
        task.ticket += 1
        heappush(self._due, (self.now_s + seconds, next(self._numbers), task, task.ticket))

    def park(self, task: Task) -> None:
        """Let other threads move until this one is woken."""
        if self.records_places:
            task.place = _place_of(_calling_frame())
        starter = task.starter
        if starter is None:
            self._switch_to_hub()
        else:
            task.starter = None
            starter.switch()
        if task.process.is_dead:
            raise GreenletExit
        if self.steps == self.break_at:
            frame = _calling_frame()
            if frame is not None:
                self.on_break(frame)

    def _next(self, only: Process | None, aside: list[_Due]) -> _Due | None:
        while self._due:
            due = heappop(self._due)
            thing = due[2]
            if _is_stale(due):
                continue
            if only is None or (isinstance(thing, Task) and thing.process is only):
                return due
            aside.append(due)
        return None

    def _move(self, due: _Due) -> None:
        at_s, _, thing, ticket = due
        self.now_s = max(self.now_s, at_s)
        if not isinstance(thing, Task):
            self.open_events -= ticket == _EVENT
            thing()
            return
        self.steps += 1
        self.trace = zlib.crc32(thing.about.encode(), self.trace ^ thing.label)
        self._last_steps.append(Step(self.steps, self.now_s, thing.name, thing.about, thing.place))
        self.on_step(thing)
        if thing.process.is_dead:
            return
        self._running = thing
        (thing.carrier or _Carrier.of(thing, self._hub)).switch()
        self._running = None
        if thing.is_over:
            self._forget(thing)

    def _forget(self, task: Task) -> None:
        if task in task.process.tasks:
            del task.process.tasks[task]
            self.open_threads -= 1

    def _end_threads(self, process: Process) -> None:
        for task in [*process.tasks]:
            if task.carrier is not None:
                self._running = task
                task.carrier.throw(GreenletExit)
                self._running = None
            task.is_over = True
        self.open_threads -= len(process.tasks)
        process.tasks.clear()


def _calling_frame() -> FrameType | None:
    """Return the innermost frame of the product on the stack of the calling thread, if there is one."""
    frame = inspect.currentframe()
    while frame is not None and not frame.f_code.co_filename.startswith(_PRODUCT):
        frame = frame.f_back
    return frame


def _place_of(frame: FrameType | None) -> str:
    """Return the line of the call, and of its caller: `"shared/conversation/due.py:42 clear < shared/handlers/tick.py:98 __call__"`."""
    frames = [frame, frame.f_back] if frame is not None else []
    return " < ".join(
        f"{inner.f_code.co_filename.removeprefix(_ROOT)}:{inner.f_lineno} {inner.f_code.co_name}"
        for inner in frames
        if inner is not None and inner.f_code.co_filename.startswith(_PRODUCT)
    )
