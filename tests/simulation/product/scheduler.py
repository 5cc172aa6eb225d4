"""Threads as greenlets on one thread: a thread that makes a call gives way to the others, and time is virtual.

The thread that is due first moves first. How long calls take is drawn from one seeded source, and so the order of all steps is drawn, too.
The same seed draws the same order in every process.
"""

import heapq
import itertools
import random
import zlib
from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

from greenlet import GreenletExit, getcurrent, greenlet

_LAST_STEPS: Final = 5_000


class Process:
    """One process of a function.  After its death none of its threads has an effect, not even while their stacks unwind."""

    def __init__(self, name: str, *, skew_s: float = 0.0) -> None:
        self.name = name
        self.skew_s = skew_s
        self.is_dead = False
        self.tasks: dict[Task, None] = {}


class Task(greenlet):
    """One thread of a process.  `about` names the call that it is at, `request` the thread that began the request, which may be itself.

    `chat` is the chat that it works for. `starter` is the thread that started it, until it gives way for the first time.
    """

    def __init__(
        self, scheduler: "Scheduler", hub: greenlet, process: Process, name: str, work: Callable[[], object], chat: str
    ) -> None:
        super().__init__(work, hub)
        self.scheduler = scheduler
        self.process = process
        self.name = name
        self.request = name.rstrip("+")
        self.chat = chat
        self.label = zlib.crc32(name.encode())
        self.about = "begins"
        self.ticket = 0
        self.starter: greenlet | None = None


_Due: TypeAlias = tuple[float, int, Callable[[], object] | Task, int]
_EVENT: Final = 0
_IDLE_EVENT: Final = -1


class Scheduler:
    """Moves the threads.  `on_step` may kill the process of the thread that is about to move."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.now_s = 0.0
        self.steps = 0
        self.trace = 0
        self.open_events = 0
        self.open_threads = 0
        self._last_steps: deque[tuple[float, str, str]] = deque(maxlen=_LAST_STEPS)
        self.on_step: Callable[[Task], None] = lambda _: None
        self._hub = getcurrent()
        self._due: list[_Due] = []
        self._numbers = itertools.count(1)

    # -- for schedules and scenes

    def at(self, at_s: float, event: Callable[[], object], *, is_idle: bool = False) -> None:
        """Call `event` at this time.  `is_idle`: nothing is going on only because this event is to come."""
        self.open_events += not is_idle
        heapq.heappush(self._due, (at_s, next(self._numbers), event, _IDLE_EVENT if is_idle else _EVENT))

    @property
    def next_s(self) -> float:
        """When the next thread or event is due."""
        return self._due[0][0] if self._due else float("inf")

    @property
    def is_idle(self) -> bool:
        """Whether no thread lives, and no event is to come but idle ones."""
        return not self.open_events and not self.open_threads

    @property
    def last_steps(self) -> tuple[str, ...]:
        """The last steps as text."""
        return tuple(f"{now_s:.6f} {name}: {about}" for now_s, name, about in self._last_steps)

    def thread(self, process: Process, name: str, work: Callable[[], object], *, chat: str) -> Task:
        """Return a thread that has not begun."""
        return Task(self, self._hub, process, name, work, chat)

    def begin(self, task: Task) -> Task:
        """Begin a thread; it moves for the first time when the caller gives way."""
        task.process.tasks[task] = None
        self.open_threads += 1
        self.wake(task)
        return task

    def start(self, task: Task) -> None:
        """Begin a thread that moves at once, until it gives way for the first time."""
        task.parent = task.starter = getcurrent()
        task.process.tasks[task] = None
        self.open_threads += 1
        task.switch()
        if task.dead:
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
        if getcurrent() is not self._hub:
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
                heapq.heappush(self._due, due)
        return not self._due

    # -- for the threads

    def give_way(self, about: str, seconds: float = 0.0) -> None:
        """Let other threads move for that long; `about` says what this one does meanwhile."""
        task = self.current()
        task.about = about
        self.wake(task, seconds)
        self.park(task)

    def current(self) -> Task:
        """Return the calling thread.  Raises: GreenletExit, if its process is dead."""
        task = getcurrent()
        if not isinstance(task, Task):
            raise TypeError("only a thread can give way")
        if task.process.is_dead:
            raise GreenletExit
        return task

    def wake(self, task: Task, seconds: float = 0.0) -> None:
        """Move the thread after that long, in place of any earlier plan for it."""
        task.ticket += 1
        heapq.heappush(self._due, (self.now_s + seconds, next(self._numbers), task, task.ticket))

    def park(self, task: Task) -> None:
        """Let other threads move until this one is woken."""
        starter, task.starter = task.starter, None
        if starter is None:
            self._hub.switch()
        else:
            task.parent = self._hub
            starter.switch()
        if task.process.is_dead:
            raise GreenletExit

    def _next(self, only: Process | None, aside: list[_Due]) -> _Due | None:
        while self._due:
            due = heapq.heappop(self._due)
            thing, ticket = due[2:]
            if isinstance(thing, Task) and (thing.ticket != ticket or thing.dead or thing.process.is_dead):
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
        self._last_steps.append((self.now_s, thing.name, thing.about))
        self.on_step(thing)
        if thing.process.is_dead:
            return
        thing.switch()
        if thing.dead:
            self._forget(thing)

    def _forget(self, task: Task) -> None:
        if task in task.process.tasks:
            del task.process.tasks[task]
            self.open_threads -= 1

    def _end_threads(self, process: Process) -> None:
        for task in [*process.tasks]:
            task.throw(GreenletExit)
        self.open_threads -= len(process.tasks)
        process.tasks.clear()
