"""The waiting room: where deliveries wait for their chat's turn.  A chat occupies at most PLACES + 1 threads of an instance by waiting.

The next turn answers everything that is recorded, so a few waiting deliveries are enough; the newest stay, because they have the most time
left. A delivery whose work no other one does, such as a command's, loses its place only to newer ones of its kind, and to none while an
event that was delivered twice has two places. The newest message keeps a place beside PLACES commands, because the turn of a command
answers no message.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

PLACES: Final = 4


@dataclass(slots=True, eq=False)
class Place:
    """One delivery's place, which it loses to newer deliveries.

    `event` is the same for all deliveries of an event; "" equals no other. `sent_ms` is LINE's timestamp of the event. `gives_way`: the
    delivery can hand over, as a message's can; of several such places one is lost before those of commands. `inherits`: timestamp and event
    of each delivery that left and relied on this one; if its own message is withdrawn, it waits for those.
    """

    event: str = ""
    sent_ms: int = 0
    gives_way: bool = True
    is_lost: bool = False
    inherits: set[tuple[int, str]] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingRoom:
    """The places of one instance, by chat; safe to share between threads."""

    _places: dict[str, list[Place]] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @contextmanager
    def place(
        self, conversation_id: str, *, event: str = "", sent_ms: int = 0, gives_way: bool = True
    ) -> Iterator[Place]:
        """Hold a place inside the block; of more than PLACES, one is lost, except that a single message has a place beside PLACES commands.

        That is the oldest place whose event has a newer one, too; else, of several messages, the one that was sent first; else the command
        that was sent first. So a redelivered message takes no place from a newer one.
        """
        place = Place(event=event, sent_ms=sent_ms, gives_way=gives_way)
        with self._lock:
            waiting = self._places.setdefault(conversation_id, [])
            waiting.append(place)
            if len(waiting) > PLACES:
                _give_up_one(waiting)
        try:
            yield place
        finally:
            with self._lock:
                if place in waiting:
                    waiting.remove(place)
                if not waiting and self._places.get(conversation_id) is waiting:
                    del self._places[conversation_id]


def _give_up_one(waiting: list[Place]) -> None:
    """One of too many loses its place, unless a single message waits beside as many commands as there may be."""
    messages = [one for one in waiting if one.gives_way]
    commands = [one for one in waiting if not one.gives_way]
    lost = _repeated(waiting)
    if lost is None and len(messages) == 1 and len(commands) == PLACES:
        return
    lost = lost or min(messages if len(messages) > 1 else commands, key=lambda one: one.sent_ms)
    lost.is_lost = True
    waiting.remove(lost)
    _leave_to_newest(lost, waiting)


def _repeated(waiting: list[Place]) -> Place | None:
    """Return the oldest place whose event has a newer one too."""
    newest = {one.event: one for one in waiting}
    return next((one for one in waiting if one.event and newest[one.event] is not one), None)


def _leave_to_newest(lost: Place, waiting: list[Place]) -> None:
    """Let the newest of the places that give way inherit what the lost place waited for."""
    others = [one for one in waiting if one.gives_way and one.event != lost.event]
    if lost.gives_way and others:
        max(others, key=lambda one: one.sent_ms).inherits.update({(lost.sent_ms, lost.event)}, lost.inherits)
