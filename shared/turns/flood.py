"""Floods: of more messages than a chat can be answered for, one waits for the end and answers for all, and the others become context.

Arrivals are counted by each instance, in memory.
"""

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from cachetools import LRUCache

from shared.clock import Clock, Deadline

A_MINUTE: Final = 30
"""Messages of one chat that are answered as they come."""
QUIET_S: Final = 3.0
_WINDOW_S: Final = 60.0
_LONGEST_WAIT_S: Final = 40.0  # of the life of its reply token
_POLL_S: Final = 0.5
_CHATS_KEPT: Final = 4_096


def _cache() -> LRUCache[str, deque[float]]:
    return LRUCache(_CHATS_KEPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Floods:
    """The newest arrivals of chats in this instance; safe to share between threads."""

    clock: Clock = field(repr=False)
    _arrivals: LRUCache[str, deque[float]] = field(default_factory=_cache, repr=False)
    _waiting: set[str] = field(default_factory=set, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def note(self, conversation_id: str) -> bool:
        """A message has arrived; return whether it is part of a flood: one of more than A_MINUTE within a minute."""
        now_s = self.clock.monotonic_s()
        with self._lock:
            arrivals = self._arrivals.get(conversation_id)
            if arrivals is None:
                arrivals = self._arrivals[conversation_id] = deque(maxlen=A_MINUTE + 1)
            arrivals.append(now_s)
            return len(arrivals) > A_MINUTE and now_s - arrivals[0] < _WINDOW_S

    def answers_for_all(self, conversation_id: str) -> bool:
        """Return whether this message answers for the flood, once that has ended; False at once if an earlier one waits to do that.

        So a flood holds one thread of the instance. One that does not end is answered while the token of the message that waits lives.
        """
        with self._lock:
            if conversation_id in self._waiting:
                return False
            self._waiting.add(conversation_id)
        try:
            deadline = Deadline.after(self.clock, _LONGEST_WAIT_S)
            while self.clock.monotonic_s() - self._newest_s(conversation_id) < QUIET_S and deadline.left_s:
                self.clock.sleep(_POLL_S)
        finally:
            with self._lock:
                self._waiting.discard(conversation_id)
        return True

    def _newest_s(self, conversation_id: str) -> float:
        with self._lock:
            arrivals = self._arrivals.get(conversation_id)
            return arrivals[-1] if arrivals else 0.0
