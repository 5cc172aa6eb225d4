"""The waiting room: where deliveries wait for their chat's turn.  A chat's deliveries occupy at most PLACES + 1 threads of an instance.

The next turn answers every recorded message, so a few waiting deliveries are enough; the newest stay, because they have the most time.
Deliveries are evicted in this order: duplicates of an event; then optional work, such as translations; then older messages; then commands,
and only for newer commands. No other delivery does a command's work, so an evicted command comes again: Pub/Sub delivers the command later.
The newest message has a place in addition to PLACES commands: a command's turn answers no message. For a moment, a message leaves a free
turn to an older command, whose turn is short. The end of a turn wakes the deliveries that wait in the same instance, and a turn that
thinks is told of each delivery that comes.

Example with PLACES = 4: a fifth message evicts the oldest message; a fifth command evicts the oldest command.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from shared.frozen import frozen
from shared.turns.background import Event

PLACES: Final = 4


@dataclass(slots=True, eq=False)
class Place:
    """One delivery's place, until newer deliveries take it.

    `event`: the same for all deliveries of an event; "" equals no other. `sent_ms`: LINE's timestamp of the event. `gives_way`: the
    delivery can hand over, as a message's can; such places are evicted before places of commands. `is_doubled`: evicted for a newer
    delivery of the same event. `inherits`: timestamp and event of each evicted delivery that relied on this place; those that no turn has
    answered are run after this delivery. `author`: who sent the message, or "" if a prompt would not show the event. `is_optional`: nobody
    asked for the work, so it takes no place from messages and commands. `has_turn`: the delivery holds the chat's turn, or has ended it.
    `woken`: set when a turn of the chat ends, or the place is taken.
    """

    event: str = ""
    sent_ms: int = 0
    gives_way: bool = True
    is_evicted: bool = False
    is_doubled: bool = False
    inherits: set[tuple[int, str]] = field(default_factory=set)
    author: str = ""
    is_optional: bool = False
    has_turn: bool = False
    woken: Event = field(default_factory=threading.Event, repr=False)


@frozen
class WaitingRoom:
    """The places of one instance, by chat; safe to share between threads."""

    new_event: Callable[[], Event] = field(default=threading.Event, repr=False)
    _places: dict[str, list[Place]] = field(default_factory=dict, repr=False)
    _watchers: dict[str, list[Callable[[Place], None]]] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @contextmanager
    def place(  # noqa: PLR0913 - what decides about a place
        self,
        conversation_id: str,
        *,
        event: str = "",
        sent_ms: int = 0,
        gives_way: bool = True,
        author: str = "",
        is_optional: bool = False,
    ) -> Iterator[Place]:
        """Hold a place inside the block; beyond PLACES, one place is evicted, except that one message may wait along with PLACES commands.

        Evicted is the oldest place whose event has a newer place; else the oldest optional place; else, of several messages, the oldest
        message; else the oldest command. A redelivered message therefore takes no place from a newer message.
        """
        place = Place(
            event=event,
            sent_ms=sent_ms,
            gives_way=gives_way,
            author=author,
            is_optional=is_optional,
            woken=self.new_event(),
        )
        with self._lock:
            waiting = self._places.setdefault(conversation_id, [])
            waiting.append(place)
            if len(waiting) > PLACES:
                _evict(waiting)
            for see in self._watchers.get(conversation_id, ()):
                see(place)
        try:
            yield place
        finally:
            with self._lock:
                if place in waiting:
                    waiting.remove(place)
                if not waiting and self._places.get(conversation_id) is waiting:
                    del self._places[conversation_id]

    @contextmanager
    def watched(self, conversation_id: str, see: Callable[[Place], None]) -> Iterator[None]:
        """Call `see` for each delivery of the chat that has a place, or gets a place inside the block.  `see` must not block."""
        with self._lock:
            watchers = self._watchers.setdefault(conversation_id, [])
            watchers.append(see)
            for place in self._places.get(conversation_id, ()):
                see(place)
        try:
            yield
        finally:
            with self._lock:
                watchers.remove(see)
                if not watchers and self._watchers.get(conversation_id) is watchers:
                    del self._watchers[conversation_id]

    def has_older_command(self, conversation_id: str, place: Place) -> bool:
        """Whether a command that is older than the place's event waits for the chat's turn in this instance."""
        with self._lock:
            waiting = self._places.get(conversation_id, ())
            return any(not (one.gives_way or one.has_turn) and one.sent_ms < place.sent_ms for one in waiting)

    def wake(self, conversation_id: str) -> None:
        """A turn of the chat has ended: wake the deliveries that wait."""
        with self._lock:
            for place in self._places.get(conversation_id, ()):
                place.woken.set()


def _evict(waiting: list[Place]) -> None:
    """Evict one place, unless a single message waits along with PLACES commands."""
    messages = [place for place in waiting if place.gives_way]
    commands = [place for place in waiting if not place.gives_way]
    doubled = _oldest_duplicate(waiting)
    if doubled is not None:
        doubled.is_doubled = True
    evicted = doubled or _oldest_optional(waiting)
    if evicted is None and len(messages) == 1 and len(commands) == PLACES:
        return
    evicted = evicted or min(messages if len(messages) > 1 else commands, key=lambda place: place.sent_ms)
    evicted.is_evicted = True
    evicted.woken.set()
    waiting.remove(evicted)
    _hand_to_newest(evicted, waiting)


def _oldest_duplicate(waiting: list[Place]) -> Place | None:
    """Return the oldest place whose event has a newer place too."""
    newest = {one.event: one for one in waiting}
    return next((one for one in waiting if one.event and newest[one.event] is not one), None)


def _oldest_optional(waiting: list[Place]) -> Place | None:
    """Return the oldest place of work for which nobody asked."""
    return min((place for place in waiting if place.is_optional), key=lambda place: place.sent_ms, default=None)


def _hand_to_newest(evicted: Place, waiting: list[Place]) -> None:
    """Pass the evicted delivery's event, and its inherited events, to the newest of the places that give way."""
    heirs = [place for place in waiting if place.gives_way and place.event != evicted.event]
    if evicted.gives_way and heirs:
        max(heirs, key=lambda place: place.sent_ms).inherits.update(
            {(evicted.sent_ms, evicted.event)}, evicted.inherits
        )
