"""Wrong codes: after five wrong codes, a chat's codes are refused for a day; in memory, because such chats leave no byte in the bucket."""

import threading
from dataclasses import dataclass, field
from typing import Final

from cachetools import LRUCache

from shared.clock import Clock
from shared.frozen import frozen

WRONG_CODES: Final = 5
CLOSED_S: Final = 86_400.0
_MAX_CHATS: Final = 20_000


@dataclass(frozen=True, slots=True)
class _Tries:
    """The events with a chat's wrong codes; a day begins with the newest, at `since_s`."""

    events: frozenset[str] = frozenset()
    since_s: float = 0.0


def _cache() -> "LRUCache[str, _Tries]":
    return LRUCache(_MAX_CHATS)


@frozen
class WrongCodes:
    """The wrong codes of chats without admission, as this instance has seen them; safe to share between threads."""

    clock: Clock = field(repr=False)
    _tries: "LRUCache[str, _Tries]" = field(default_factory=_cache, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def are_too_many(self, conversation_id: str) -> bool:
        """Whether the chat sent so many wrong codes within a day that no further code is checked.

        Example: after five wrong codes at 09:00, a sixth code is ignored until 09:00 of the next day.
        """
        with self._lock:
            return len(self._recent(conversation_id).events) >= WRONG_CODES

    def note(self, conversation_id: str, webhook_event_id: str) -> None:
        """Count a wrong code.  Repeated, for the same event: changes nothing."""
        with self._lock:
            recent = self._recent(conversation_id)
            if webhook_event_id not in recent.events:
                events = recent.events | {webhook_event_id}
                self._tries[conversation_id] = _Tries(events, self.clock.monotonic_s())

    def _recent(self, conversation_id: str) -> _Tries:
        tries = self._tries.get(conversation_id, _Tries())
        return tries if self.clock.monotonic_s() - tries.since_s < CLOSED_S else _Tries()
