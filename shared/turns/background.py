"""Background work during a block of code, such as the renewal of a lease while the model thinks."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import field
from typing import Protocol

from shared import logs
from shared.errors import AizuchiError
from shared.frozen import frozen

Pause = Callable[[float], bool]


class Event(Protocol):
    """The part of threading.Event that blocks and waiting deliveries need."""

    def set(self) -> None: ...

    def clear(self) -> None: ...

    def wait(self, timeout: float | None = None) -> bool: ...


@frozen
class Background:
    """Runs work during a block, on `threads`: one thread for each block that runs at the same time."""

    threads: Executor = field(repr=False)
    new_event: Callable[[], Event] = field(default=threading.Event, repr=False)

    @contextmanager
    def during(self, work: Callable[[Pause], None]) -> Iterator[None]:
        """Run `work(pause)` during the block, for example `with background.during(attempt.renew_lease)`.

        `pause(seconds)` waits, and returns True as soon as the block has ended; the end of the block waits for the end of `work`. An
        AizuchiError of `work` is logged and dropped: background work must not undo what the block did.
        """
        ended = self.new_event()
        working = self.threads.submit(copy_context().run, work, ended.wait)
        try:
            yield
        finally:
            ended.set()
            try:
                working.result()
            except AizuchiError as cause:
                logs.warning("background_work_failed", error_type=type(cause).__name__)
