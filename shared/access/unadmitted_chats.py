"""What this instance remembers of chats without admission; in memory, because such chats leave no byte in the bucket."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Final

from cachetools import LRUCache

from shared.clock import Clock
from shared.frozen import frozen

TOLD_EVERY_S: Final = 3_600.0
WAITS_A_CHAT: Final = 4
"""Messages of a chat, an hour, that wait for its admission."""
WAITS_AT_ONCE: Final = 8
"""Messages of all chats that wait at a moment: a fifth of the threads of an instance."""
_HOUR_S: Final = 3_600.0
_MAX_CHATS: Final = 20_000


def _cache() -> "LRUCache[str, _Caller]":
    return LRUCache(_MAX_CHATS)


@frozen
class _Caller:
    """The memory of one chat.

    `told_s`: when the chat was told how to get in. `waits`: how many of its messages have waited since `waits_since_s`.
    """

    told_s: float | None = None
    waits: int = 0
    waits_since_s: float = 0.0


@frozen
class UnadmittedChats:
    """Chats without admission: when each was told how to get in, and its waiting messages; safe to share between threads."""

    clock: Clock = field(repr=False)
    _callers: "LRUCache[str, _Caller]" = field(default_factory=_cache, repr=False)
    _waiting: list[str] = field(default_factory=list, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def may_tell(self, conversation_id: str) -> bool:
        """Whether the chat may be told how to get in: at most once an hour.  A True counts as told."""
        now_s = self.clock.monotonic_s()
        with self._lock:
            caller = self._callers.get(conversation_id, _Caller())
            if caller.told_s is not None and now_s - caller.told_s < TOLD_EVERY_S:
                return False
            self._callers[conversation_id] = replace(caller, told_s=now_s)
            return True

    @contextmanager
    def waiting(self, conversation_id: str) -> Iterator[bool]:
        """Whether a message of the chat may wait, inside the block, for the chat's admission.

        Limits: WAITS_A_CHAT messages of a chat within an hour, and WAITS_AT_ONCE messages of all chats at a moment.
        """
        may_wait = self._begin_wait(conversation_id)
        try:
            yield may_wait
        finally:
            if may_wait:
                with self._lock:
                    self._waiting.remove(conversation_id)

    def _begin_wait(self, conversation_id: str) -> bool:
        now_s = self.clock.monotonic_s()
        with self._lock:
            caller = self._callers.get(conversation_id, _Caller())
            if caller.waits == 0 or now_s - caller.waits_since_s >= _HOUR_S:
                caller = replace(caller, waits=0, waits_since_s=now_s)
            if caller.waits >= WAITS_A_CHAT or len(self._waiting) >= WAITS_AT_ONCE:
                return False
            self._callers[conversation_id] = replace(caller, waits=caller.waits + 1)
            self._waiting.append(conversation_id)
            return True
