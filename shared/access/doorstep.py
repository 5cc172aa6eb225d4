"""The doorstep: what this instance remembers of chats that were not admitted; in memory, because they leave no byte in the bucket."""

import threading
from dataclasses import dataclass, field
from typing import Final

from cachetools import LRUCache

from shared.clock import Clock

TOLD_EVERY_S: Final = 3_600.0
WRONG_CODES: Final = 5
CLOSED_S: Final = 86_400.0
_CHATS_KEPT: Final = 20_000


def _cache() -> "LRUCache[str, _Caller]":
    return LRUCache(_CHATS_KEPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Caller:
    """What is remembered of a chat: when it was told how to get in, and the events of its wrong codes since `wrong_since_s`."""

    told_s: float | None = None
    wrong: frozenset[str] = frozenset()
    wrong_since_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Doorstep:
    """Chats that were not admitted; safe to share between threads."""

    clock: Clock = field(repr=False)
    _callers: "LRUCache[str, _Caller]" = field(default_factory=_cache, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def may_tell(self, conversation_id: str) -> bool:
        """Whether the chat may be told how to get in: not within the last hour.  Counts as told from now on."""
        now_s = self.clock.monotonic_s()
        with self._lock:
            caller = self._callers.get(conversation_id, _Caller())
            if caller.told_s is not None and now_s - caller.told_s < TOLD_EVERY_S:
                return False
            self._callers[conversation_id] = _Caller(
                told_s=now_s, wrong=caller.wrong, wrong_since_s=caller.wrong_since_s
            )
            return True

    def is_closed_to(self, conversation_id: str) -> bool:
        """Whether the chat sent so many wrong codes within a day that none is looked at any more."""
        with self._lock:
            caller = self._callers.get(conversation_id, _Caller())
        is_recent = self.clock.monotonic_s() - caller.wrong_since_s < CLOSED_S
        return is_recent and len(caller.wrong) >= WRONG_CODES

    def note_wrong_code(self, conversation_id: str, webhook_event_id: str) -> None:
        """Count a wrong code.  Repeated, for the same event: changes nothing."""
        now_s = self.clock.monotonic_s()
        with self._lock:
            caller = self._callers.get(conversation_id, _Caller())
            is_recent = bool(caller.wrong) and now_s - caller.wrong_since_s < CLOSED_S
            before = caller.wrong if is_recent else frozenset[str]()
            is_new = webhook_event_id not in before
            self._callers[conversation_id] = _Caller(
                told_s=caller.told_s,
                wrong=before | {webhook_event_id},
                wrong_since_s=now_s if is_new else caller.wrong_since_s,
            )
