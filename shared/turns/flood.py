"""Floods: more messages than can be answered singly.  The newest waits for the end and answers for all; the others become context.

Each instance counts arrivals in its own memory. For example, the 31st message within a minute begins a flood.
"""

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from cachetools import LRUCache

from shared.clock import Clock
from shared.conversation.records import MessageRecord, by_time
from shared.frozen import frozen

A_MINUTE: Final = 30
"""Messages of one chat per minute that are answered on arrival; with more, a flood begins."""
QUIET_S: Final = 3.0
LONGEST_S: Final = 40.0
_WINDOW_S: Final = 60.0
_MAX_CHATS: Final = 4_096
_MAX_FOLDED: Final = 64


_Arrivals = deque[tuple[float, str]]
"""Arrival time (monotonic seconds) and id of the newest messages of a chat: `(12.5, "5931")`."""


@dataclass(slots=True, kw_only=True)
class _Newest:
    """The newest message of a flood, whether its wait is over, and the newest of the messages folded into the answer."""

    message: MessageRecord = field(repr=False)
    has_waited: bool = False
    folded: tuple[MessageRecord, ...] = field(default=(), repr=False)

    def fold(self, *older: MessageRecord) -> None:
        """Answer for these messages, too."""
        self.folded = tuple(sorted((*self.folded, *older), key=by_time, reverse=True)[:_MAX_FOLDED])


def _arrivals() -> LRUCache[str, _Arrivals]:
    return LRUCache(_MAX_CHATS)


def _newest() -> LRUCache[str, _Newest]:
    return LRUCache(_MAX_CHATS)


@frozen
class Floods:
    """The newest arrivals of chats in this instance; safe to share between threads."""

    clock: Clock = field(repr=False)
    _arrivals: LRUCache[str, _Arrivals] = field(default_factory=_arrivals, repr=False)
    _newest: LRUCache[str, _Newest] = field(default_factory=_newest, repr=False)
    _since_s: LRUCache[str, float] = field(default_factory=lambda: LRUCache(_MAX_CHATS), repr=False)
    _arrived: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def note(self, conversation_id: str, message: MessageRecord) -> bool:
        """Record an arrival; return whether it belongs to a flood (more than A_MINUTE within a minute), and has to wait for the end.

        Repeated: a redelivered message counts once, and its redelivery is not folded.
        """
        now_s = self.clock.monotonic_s()
        with self._arrived:
            arrivals = self._arrivals.get(conversation_id)
            if arrivals is None:
                arrivals = self._arrivals[conversation_id] = deque(maxlen=A_MINUTE + 1)
            if any(one == message.line_message_id for _, one in arrivals):
                return False
            arrivals.append((now_s, message.line_message_id))
            is_flood = len(arrivals) > A_MINUTE and now_s - arrivals[0][0] < _WINDOW_S
            if is_flood:
                self._overtake(conversation_id, message)
            return is_flood

    def wait_for_end(self, conversation_id: str, line_message_id: str) -> tuple[MessageRecord, ...] | None:
        """Wait until the flood ends, so that this message answers for all; None as soon as a newer message waits.

        Return the newest of the folded messages, newest first: if this message needs no answer, because of a withdrawal or an earlier
        answer, the next folded message answers for all. A flood occupies one thread of the instance. An endless flood is answered every
        LONGEST_S, by the newest message. LINE's timestamps decide about "newer", because an older message may be redelivered.
        """
        with self._arrived:
            now_s = self.clock.monotonic_s()
            begun_s = self._since_s.setdefault(conversation_id, now_s)
            arrivals = self._arrivals.get(conversation_id)
            newest_s = arrivals[-1][0] if arrivals else now_s - QUIET_S
            is_overtaken = self._arrived.wait_for(
                lambda: self._is_overtaken(conversation_id, line_message_id),
                timeout=max(0.0, min(newest_s + QUIET_S, begun_s + LONGEST_S) - now_s),
            )
            if is_overtaken:
                return None
            self._since_s.pop(conversation_id, None)
            return self._end(conversation_id)

    def _end(self, conversation_id: str) -> tuple[MessageRecord, ...]:
        """End the flood: the newest message stops waiting.  Return the messages folded into the answer."""
        newest = self._newest.get(conversation_id)
        if newest is None:
            return ()
        newest.has_waited, folded, newest.folded = True, newest.folded, ()
        return folded

    def _overtake(self, conversation_id: str, arrived: MessageRecord) -> None:
        """Make the message the newest of the flood; if a newer message waits, fold the arrival into the newer one."""
        newest, overtaking = self._newest.get(conversation_id), _Newest(message=arrived)
        if newest is not None and not newest.has_waited:
            if arrived.timestamp_ms < newest.message.timestamp_ms:
                newest.fold(arrived)
                return
            overtaking.fold(newest.message, *newest.folded)
        self._newest[conversation_id] = overtaking
        self._arrived.notify_all()

    def _is_overtaken(self, conversation_id: str, line_message_id: str) -> bool:
        newest = self._newest.get(conversation_id)
        return newest is not None and newest.message.line_message_id != line_message_id
