"""What the first answer needs is made ready beside the first event: recording it and reading its chat need none of it.

A thread that began earlier would be lost: gunicorn forks its worker after it has loaded the function, and a fork has no threads.
"""

import threading
from collections.abc import Callable, Mapping

from shared.bus.envelope import Envelope
from shared.bus.messages import Tick
from shared.clock import Deadline

Handle = Callable[[Mapping[str, object] | Tick, Envelope, Deadline], str]


class WarmedUp:
    """Handles events, and begins with `prepare` on a thread when the first one comes."""

    def __init__(self, handle: Handle, prepare: Callable[[], None]) -> None:
        self._handle = handle
        self._prepare = prepare
        self._begun = threading.Lock()

    def __call__(self, event: Mapping[str, object] | Tick, envelope: Envelope, deadline: Deadline) -> str:
        """Return what came of the event."""
        if self._begun.acquire(blocking=False):  # for good: only the first event begins
            threading.Thread(target=self._prepare, name="warm-up", daemon=True).start()
        return self._handle(event, envelope, deadline)
