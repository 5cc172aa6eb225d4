"""Floods: of more messages than a chat can be answered for, the newest waits for the end and answers for all; the others become context.

Arrivals are counted by each instance, in memory.
"""

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from cachetools import LRUCache

from shared.clock import Clock

A_MINUTE: Final = 30
"""Messages of one chat that are answered as they come."""
QUIET_S: Final = 3.0
LONGEST_S: Final = 40.0
_WINDOW_S: Final = 60.0
_CHATS_KEPT: Final = 4_096


_Arrivals = deque[tuple[float, str]]
"""When the newest messages of a chat came, and their ids."""


def _cache() -> LRUCache[str, _Arrivals]:
    return LRUCache(_CHATS_KEPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Floods:
    """The newest arrivals of chats in this instance; safe to share between threads."""

    clock: Clock = field(repr=False)
    _arrivals: LRUCache[str, _Arrivals] = field(default_factory=_cache, repr=False)
    _since_s: LRUCache[str, float] = field(default_factory=lambda: LRUCache(_CHATS_KEPT), repr=False)
    _arrived: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def note(self, conversation_id: str, line_message_id: str) -> bool:
        """A message has arrived; return whether it is part of a flood: one of more than A_MINUTE within a minute.

        Repeated: a message that is delivered again counts once, and is not folded because of that.
        """
        now_s = self.clock.monotonic_s()
        with self._arrived:
            arrivals = self._arrivals.get(conversation_id)
            if arrivals is None:
                arrivals = self._arrivals[conversation_id] = deque(maxlen=A_MINUTE + 1)
            if any(one == line_message_id for _, one in arrivals):
                return False
            arrivals.append((now_s, line_message_id))
            self._arrived.notify_all()
            return len(arrivals) > A_MINUTE and now_s - arrivals[0][0] < _WINDOW_S

    def answers_for_all(self, conversation_id: str, line_message_id: str) -> bool:
        """Return whether this message of a flood answers for all: the newest does, once no more come; False as soon as a newer one came.

        So a flood holds one thread of the instance. One that does not end is answered every LONGEST_S, by the message that was the newest.
        """
        with self._arrived:
            now_s = self.clock.monotonic_s()
            begun_s = self._since_s.setdefault(conversation_id, now_s)
            newest_s, _ = self._newest(conversation_id) or (now_s - QUIET_S, "")
            is_overtaken = self._arrived.wait_for(
                lambda: self._is_overtaken(conversation_id, line_message_id),
                timeout=max(0.0, min(newest_s + QUIET_S, begun_s + LONGEST_S) - now_s),
            )
            if not is_overtaken:
                self._since_s.pop(conversation_id, None)
            return not is_overtaken

    def _is_overtaken(self, conversation_id: str, line_message_id: str) -> bool:
        newest = self._newest(conversation_id)
        return newest is not None and newest[1] != line_message_id

    def _newest(self, conversation_id: str) -> tuple[float, str] | None:
        arrivals = self._arrivals.get(conversation_id)
        return arrivals[-1] if arrivals else None
