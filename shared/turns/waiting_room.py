"""The waiting room: where deliveries wait for their chat's turn.  No chat holds more than a few threads of an instance by waiting.

Whoever opens the turn next answers everything that is recorded, so a few of many waiting deliveries are enough; the newest stay, because
they have the most time left.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

PLACES: Final = 4


@dataclass(slots=True, eq=False)
class Place:
    """One delivery's place.  It is lost when newer ones have come."""

    is_lost: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingRoom:
    """The places of one instance, by chat; safe to share between threads."""

    _places: dict[str, list[Place]] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @contextmanager
    def place(self, conversation_id: str) -> Iterator[Place]:
        """Hold a place inside the block; the oldest of more than PLACES loses its own."""
        place = Place()
        with self._lock:
            waiting = self._places.setdefault(conversation_id, [])
            waiting.append(place)
            if len(waiting) > PLACES:
                waiting.pop(0).is_lost = True
        try:
            yield place
        finally:
            with self._lock:
                if place in waiting:
                    waiting.remove(place)
                if not waiting and self._places.get(conversation_id) is waiting:
                    del self._places[conversation_id]
