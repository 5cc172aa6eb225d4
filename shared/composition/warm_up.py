"""Warm-up: prepare for the first request to the model on a thread, while the first event is recorded and its chat is read.

The thread cannot start earlier: gunicorn loads the function before it forks its worker, and a fork has no threads.
"""

import threading
from collections.abc import Callable, Mapping

from shared.bus.envelope import Envelope
from shared.bus.messages import Tick
from shared.bus.notices import HookNotice
from shared.clock import Deadline

Handle = Callable[[Mapping[str, object] | Tick | HookNotice, Envelope, Deadline], str]


class WarmedUp:
    """Handles events, and starts `prepare` on a thread when the first event comes."""

    def __init__(self, handle: Handle, prepare: Callable[[], None]) -> None:
        self._handle = handle
        self._prepare = prepare
        self._begun = threading.Lock()

    def __call__(self, event: Mapping[str, object] | Tick | HookNotice, envelope: Envelope, deadline: Deadline) -> str:
        """Return the handler's result."""
        if self._begun.acquire(blocking=False):  # never released, so only the first event starts the thread
            threading.Thread(target=self._prepare, name="warm-up", daemon=True).start()
        return self._handle(event, envelope, deadline)
