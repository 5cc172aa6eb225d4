"""Many threads as greenlets on one: whoever makes a call gives way, and time is virtual.

What is due first moves first. How long calls take is drawn from one seeded source, so the order of everything is drawn, too, and the same
seed draws the same order in every process.
"""

import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias
from zlib import crc32

from greenlet import GreenletExit, getcurrent, greenlet

_LAST_STEPS: Final = 5_000


class Process:
    """One process of a function.  Once it is dead none of its threads has an effect any more, not even while it is torn down."""

    def __init__(self, name: str, *, skew_s: float = 0.0) -> None:
        self.name = name
        self.skew_s = skew_s
        self.is_dead = False
        self.tasks: dict[Task, None] = {}


class Task(greenlet):
    """One thread of a process; `about` is the call that it is at, `request` the thread that it works for, which may be itself."""

    def __init__(self, hub: greenlet, process: Process, name: str, work: Callable[[], object]) -> None:
        super().__init__(work, hub)
        self.process = process
        self.name = name
        self.request = name.rstrip("+")
        self.about = "begins"
        self.ticket = 0


Due: TypeAlias = tuple[float, int, Callable[[], object] | Task, int]


class Scheduler:
    """Moves the threads.  `on_step` may kill the process of the thread that is about to move."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.now_s = 0.0
        self.steps = 0
        self.trace = 0
        self.last_steps: deque[str] = deque(maxlen=_LAST_STEPS)
        self.on_step: Callable[[Task], None] = lambda _: None
        self._hub = getcurrent()
        self._due: list[Due] = []
        self._numbers = itertools.count(1)

    # -- for those who look on

    def at(self, at_s: float, event: Callable[[], object]) -> None:
        """Something happens at this time."""
        heapq.heappush(self._due, (at_s, next(self._numbers), event, 0))

    def begin(self, process: Process, name: str, work: Callable[[], object]) -> Task:
        """A thread begins, as soon as whoever begins it gives way."""
        task = Task(self._hub, process, name, work)
        process.tasks[task] = None
        self.wake(task)
        return task

    def delay(self, process: Process, seconds: float) -> None:
        """Nothing moves in the process for that long."""
        for task in process.tasks:
            held = [at_s for at_s, _, thing, ticket in self._due if thing is task and ticket == task.ticket]
            for at_s in held:
                self.wake(task, max(at_s - self.now_s, 0.0) + seconds)

    def kill(self, process: Process) -> None:
        """SIGKILL: every thread of the process ends where it is."""
        process.is_dead = True
        if (
            getcurrent() is not self._hub
        ):  # by one of its own threads: the others are buried at once, this one when it gives way
            self.at(self.now_s, lambda: self._bury(process))
        else:
            self._bury(process)

    def run(self, *, only: Process | None = None, until: Callable[[], bool] = lambda: False, steps: int) -> bool:
        """Let everything move, or `only` the threads of one process, until that is so; return whether nothing is left to move."""
        aside: list[Due] = []
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
        """Let others move for that long."""
        task = self.current()
        task.about = about
        self.wake(task, seconds)
        self.park(task)

    def current(self) -> Task:
        """Return the thread that asks.  Raises: GreenletExit, where it is dead."""
        task = getcurrent()
        if not isinstance(task, Task):
            raise TypeError("only a thread can give way")
        if task.process.is_dead:
            raise GreenletExit
        return task

    def wake(self, task: Task, seconds: float = 0.0) -> None:
        """The thread moves after that long, whatever was said before."""
        task.ticket += 1
        heapq.heappush(self._due, (self.now_s + seconds, next(self._numbers), task, task.ticket))

    def park(self, task: Task) -> None:
        """Others move until somebody wakes the thread."""
        self._hub.switch()
        if task.process.is_dead:
            raise GreenletExit

    def _next(self, only: Process | None, aside: list[Due]) -> Due | None:
        while self._due:
            due = heapq.heappop(self._due)
            thing, ticket = due[2:]
            if isinstance(thing, Task) and (thing.ticket != ticket or thing.dead or thing.process.is_dead):
                continue
            if only is None or (isinstance(thing, Task) and thing.process is only):
                return due
            aside.append(due)
        return None

    def _move(self, due: Due) -> None:
        at_s, _, thing, _ = due
        self.now_s = max(self.now_s, at_s)
        if not isinstance(thing, Task):
            thing()
            return
        self.steps += 1
        step = f"{self.now_s:.6f} {thing.name}: {thing.about}"
        self.trace = crc32(step.encode(), self.trace)
        self.last_steps.append(step)
        self.on_step(thing)
        if thing.process.is_dead:
            return
        thing.switch()
        if thing.dead:
            thing.process.tasks.pop(thing, None)

    def _bury(self, process: Process) -> None:
        for task in [*process.tasks]:
            task.throw(GreenletExit)
        process.tasks.clear()
