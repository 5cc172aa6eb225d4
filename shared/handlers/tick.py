"""Ticks: once a minute, all due markers are carried out.

A deployment may have several ticks a minute, each for the chats of one shard. A tick may be lost, late, doubled, or run along with another
tick: a marker is cleared only after its work was done, all work may be repeated, and the next tick continues with the remaining markers. A
failure therefore never causes the redelivery of a tick.
Example: `due/20261122T0930/reminder.U0123….r1` is carried out by the tick of 09:30, or by a later one.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import field
from typing import Final, Protocol

from shared import logs
from shared.access.usage import DeploymentUsage
from shared.bus.messages import Tick
from shared.bus.result import EventResult
from shared.clock import MINUTE_MS, Clock, Deadline
from shared.conversation.due import DueMarkers
from shared.conversation.store import Conversation, Conversations
from shared.errors import StorageUnavailableError, TurnBusyError
from shared.frozen import frozen
from shared.handlers.heartbeat import Heartbeat
from shared.storage.due_marker import DueMarker

AT_ONCE: Final = 64
"""Markers that an instance carries out at the same time, over all its ticks.

A reminder takes about ten calls in sequence and writes its record twice; Cloud Storage takes one write of an object per second. A
reminder therefore takes 1.5 s, mostly waiting: 64 at once deliver two thousand reminders while a tick begins work, if the CPU allows that.
"""
EVERY_CHAT: Final = Tick()
MARKERS_A_TICK: Final = 3_000
BEGINS_S: Final = 50.0
"""Seconds after the tick's beginning in which a marker may begin, so that all end within the request."""


class DueTask(Protocol):
    """The work of one kind of markers."""

    def __call__(self, conversation: Conversation, marker_id: str, /) -> None:
        """The work of the marker is done.  Repeated: no further effect.  Any error leaves the marker to the next tick."""
        ...


@frozen
class _Round:
    """The work of a tick: the markers of each chat, a place for each marker that may still begin, and the deadline for beginning."""

    chats: deque[deque[DueMarker]]
    places: Iterator[int]
    deadline: Deadline
    done: list[DueMarker] = field(default_factory=list)


@frozen
class TickHandler:
    """Handles ticks.  `tasks` by the kind of their markers, tasks that wait for a model last.

    `threads` run AT_ONCE tasks at the same time. `renewals` are begun by each tick of the first shard, and never raise.
    """

    markers: DueMarkers
    conversations: Conversations
    tasks: Mapping[str, DueTask]
    threads: Executor = field(repr=False)
    clock: Clock = field(repr=False)
    heartbeat: Heartbeat | None = None
    renewals: Sequence[Callable[[], None]] = ()
    usage: DeploymentUsage | None = None

    def __call__(self, tick: Tick = EVERY_CHAT, *, is_late: bool = False) -> EventResult:
        """Every due marker of the tick's chats was tried once, each chat's one after another, by kind.  Work beyond one tick is left.

        One tick of each minute has LINE test the webhook. `is_late`: the tick has waited for a worker. After an outage many ticks come at
        once, and LINE tests a webhook at most sixty times an hour. Repeated: carries out the remaining markers.
        """
        deadline, began_ms = Deadline.after(self.clock, BEGINS_S), self.clock.now_ms()
        if self.heartbeat is not None and not is_late and tick.shard == 0:
            self.heartbeat()
        try:
            every = self.markers.until(began_ms)
        except StorageUnavailableError as cause:
            logs.error("tick_failed", cause=cause)
            return EventResult.TICK_LOST
        due = tuple(marker for marker in every if tick.is_for(marker.conversation_id))
        if self.usage is not None and (
            due or self.usage.has_grown
        ):  # what is due may ask a model; an idle deployment lists nothing
            self.usage.begin_exchange()
        self._report_unknown(due)
        chats = self._by_chat(marker for marker in due if marker.kind in self.tasks)
        if began_ms // MINUTE_MS % 2:  # so that markers that always fail cannot hold up all later ones
            chats.reverse()
        work = _Round(chats=chats, places=iter(range(MARKERS_A_TICK)), deadline=deadline)
        renewals = self.renewals if tick.shard == 0 and not is_late else ()
        running = [self.threads.submit(copy_context().run, renew) for renew in renewals]
        running += [
            self.threads.submit(copy_context().run, self._carry_out, work) for _ in range(min(AT_ONCE, len(chats)))
        ]
        for worker in running:
            worker.result()
        remaining, of_other_shards = {*due} - {*work.done}, {*every} - {*due}
        self._report(remaining, done=len(work.done), others_oldest_s=_oldest_s(of_other_shards, began_ms))
        return EventResult.TICKED

    def _by_chat(self, markers: Iterable[DueMarker]) -> deque[deque[DueMarker]]:
        """Return the markers of each chat in the order of the tasks; the chats in the order of their first markers."""
        chats: dict[str, list[DueMarker]] = {}
        for marker in markers:
            chats.setdefault(marker.conversation_id, []).append(marker)
        ranks = {kind: rank for rank, kind in enumerate(self.tasks)}
        return deque(deque(sorted(in_chat, key=lambda marker: ranks[marker.kind])) for in_chat in chats.values())

    def _carry_out(self, work: _Round) -> None:
        """Carry out one marker after another.

        Meanwhile the marker's chat is not in the queue, so no other thread begins the chat's next marker.
        """
        while work.chats and work.deadline.left_s > 0 and next(work.places, None) is not None:
            try:
                markers = work.chats.popleft()
            except IndexError:  # another thread took the last chat
                return
            marker = markers.popleft()
            if self._is_done(marker):
                work.done.append(marker)
            if markers:
                work.chats.append(markers)

    def _is_done(self, marker: DueMarker) -> bool:
        with logs.bound(conversation_id=logs.pseudonym(marker.conversation_id), kind=marker.kind):
            try:
                self.tasks[marker.kind](self.conversations.of(marker.conversation_id), marker.id)
                self.markers.clear(marker)
            except TurnBusyError:  # a live worker holds the turn; the next tick tries again
                logs.info("due_marker_waits")
                return False
            except Exception as cause:  # noqa: BLE001 - an error of one marker must not stop the others
                logs.error("due_marker_failed", cause=cause)
                return False
        return True

    def _report_unknown(self, due: Iterable[DueMarker]) -> None:
        """Log markers of an unknown kind: a newer release made them, and has to carry them out."""
        for kind, count in Counter(marker.kind for marker in due if marker.kind not in self.tasks).items():
            logs.error("due_kind_unknown", kind=kind, count=count)

    def _report(self, remaining: Collection[DueMarker], *, done: int, others_oldest_s: int) -> None:
        """Log the number of remaining markers, and the age of the oldest marker.

        `others_oldest_s`: the age of the oldest marker of other shards when the tick began; their ticks may have stopped.
        """
        oldest_left_s = max(_oldest_s(remaining, self.clock.now_ms()), others_oldest_s)
        logs.info("tick_handled", done=done, left=len(remaining), oldest_left_s=oldest_left_s)


def _oldest_s(markers: Iterable[DueMarker], now_ms: int) -> int:
    """Return how many seconds ago the first of the markers was due; 0 without markers."""
    return max(0, now_ms - min((marker.due_ms for marker in markers), default=now_ms)) // 1_000
