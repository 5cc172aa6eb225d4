"""Run a delivery through its chat's turn: take the turn, or wait for it; what arrives meanwhile is answered together by the next turn.

    read the turn ─▶ read the chat ─▶ nothing left to do: done
                                   ├▶ a live holder has the turn: wait, read again
                                   ├▶ committed, its holder's lease expired: finish it, read again
                                   └▶ open ─▶ think ─▶ commit ─▶ finish, read again

A delivery is acknowledged only when its own work has ended, or when a marker under `due/` hands it over. If many deliveries wait for one
turn, the older ones leave.
"""

import random
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from shared import logs
from shared.bus.result import EventResult
from shared.clock import Clock, Deadline
from shared.conversation.history import History
from shared.conversation.history_reader import HistoryReader, Listing
from shared.conversation.records import OutcomeRecord
from shared.conversation.spending import Spending
from shared.conversation.store import Conversation
from shared.conversation.turn import SeenTurn
from shared.errors import AizuchiError, TurnBusyError
from shared.turns.lease import Lease, open_turn, take_over
from shared.turns.outbox import ENDING_S, Outbox
from shared.turns.waiting_room import Place, WaitingRoom

_POLL_S: Final = 0.4
_LOOKS_AT_ONCE: Final = 4
_LOOKS_IN_VAIN: Final = 24
"""Looks of one delivery, none of which waited for another worker or ended its work: something is wrong that no further look mends.

The first few follow each other at once, as where a compaction passes or messages of the prompt are edited, the others after pauses.
"""
_LONGEST_TURN_S: Final = 50.0


class TurnDelivery(Protocol):
    """What one request wants of its chat's turn."""

    @property
    def turn_s(self) -> float:
        """Seconds in which its turn thinks and sends."""
        ...

    @property
    def event(self) -> str:
        """The id that all deliveries of its event share: the message's, or else the webhook event's."""
        ...

    @property
    def sent_ms(self) -> int:
        """LINE's timestamp of its event."""
        ...

    @property
    def is_answerable(self) -> bool:
        """Whether its answer could still be shown if the turn were free."""
        ...

    @property
    def can_hand_over(self) -> bool:
        """Whether another delivery, or a tick, can do its work."""
        ...

    def spends(self, spending: Spending) -> Spending:
        """Return the chat's spending with what its turn reserves of the budget."""
        ...

    def has_work_by_name(self, seen: SeenTurn, listing: Listing) -> bool:
        """Whether the names of objects alone tell that work is left, so that the turn can be opened while the bodies are read."""
        ...

    def tidy(self, history: History) -> None:
        """Apply the amendments that the history shows to the delivery's own message."""
        ...

    def result_in(self, history: History, unfinished: OutcomeRecord | None) -> EventResult | None:
        """Return what came of the delivery, or None while work is left; `unfinished` is committed and not recorded."""
        ...

    def take_turn(self, lease: Lease, history: History) -> OutcomeRecord | None:
        """Do the work; return the outcome as recorded, or None where the chat has to be read again."""
        ...

    def is_ended_by(self, outcome: OutcomeRecord) -> bool:
        """Whether no work is left after this outcome."""
        ...

    def hand_over(self) -> EventResult | None:
        """Stop waiting for the turn: another delivery or a tick does the work, or no answer can be shown any more.

        None: it never waits; or its outcome is committed, and it goes on waiting until that is recorded.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What came of a delivery; how many messages the chat's journal held then, and how many a prompt shows.

    `inherits` are the events of deliveries that left, and relied on this one, the newest first.
    """

    result: EventResult
    inherits: tuple[str, ...] = ()
    journalled: int = 0
    shown: int = 0


@dataclass(slots=True, kw_only=True)
class _Patience:
    """How long a delivery waits: until it could end no turn in time, its answer could not be shown, or newer deliveries took its place.

    A delivery with a short turn polls more often, so that it comes before those that think. `request` is the deadline of its request.
    `looks_in_vain` counts its looks since it waited last.
    """

    delivery: TurnDelivery
    deadline: Deadline
    request: Deadline
    place: Place
    poll_s: float
    waits: bool
    looks_in_vain: int = 0

    @property
    def is_over(self) -> bool:
        is_vain = not self.waits or not self.deadline.left_s or not self.delivery.is_answerable
        return is_vain or self.place.is_lost or self.has_no_end

    @property
    def has_no_end(self) -> bool:
        """Whether the delivery looks without an end."""
        return self.looks_in_vain >= _LOOKS_IN_VAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRunner:
    """Runs deliveries."""

    reader: HistoryReader
    outbox: Outbox
    room: WaitingRoom = field(default_factory=WaitingRoom, repr=False)
    clock: Clock = field(repr=False)
    chance: random.Random = field(repr=False)

    def run(
        self,
        conversation: Conversation,
        delivery: TurnDelivery,
        seen: SeenTurn,
        deadline: Deadline,
        *,
        waits: bool = True,
    ) -> Run:
        """No work is left for the delivery, or it is handed over; `seen` is the turn as it was read last.

        No turn is opened or taken over that could not end by the deadline of the request. `waits`: wait for other workers while the
        delivery could still open the turn and answer. Repeated: does the remaining work.
        Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        with self.room.place(
            conversation.id, event=delivery.event, sent_ms=delivery.sent_ms, gives_way=delivery.can_hand_over
        ) as place:
            patience = _Patience(
                delivery=delivery,
                deadline=deadline.earlier(delivery.turn_s + ENDING_S),
                request=deadline,
                place=place,
                poll_s=_POLL_S * delivery.turn_s / _LONGEST_TURN_S,
                waits=waits,
            )
            while True:
                # The turn is read before the chat: an outcome that is recorded between the two is then seen.
                # Its outcome is required: the journal may lack the message, because a withdrawal that came long before it dropped it.
                listing = self.reader.list(conversation, required_ids={delivery.event})
                patience.looks_in_vain += 1
                ended = self._look(conversation, delivery, seen, listing, patience)
                if ended is not None:
                    return replace(ended, inherits=tuple(event for _, event in sorted(place.inherits, reverse=True)))
                if patience.has_no_end:
                    logs.error("turn_does_not_end", looks=patience.looks_in_vain)
                if patience.is_over:
                    result = delivery.hand_over() if waits else None
                    if result is not None:
                        return Run(result=result)
                    if not waits or not patience.deadline.left_s or patience.has_no_end:
                        raise TurnBusyError("the chat's turn was not free in time")
                if patience.is_over or patience.looks_in_vain > _LOOKS_AT_ONCE:
                    self.clock.sleep(patience.poll_s)
                seen = conversation.turn.read()

    def try_once(self, conversation: Conversation, delivery: TurnDelivery, seen: SeenTurn) -> OutcomeRecord | None:
        """Return the outcome if work was left and the turn was free; None otherwise.  Waits for no other worker, and takes no turn over.

        Raises: StorageUnavailableError.
        """
        history = self.reader.read_newest(conversation, required_ids={delivery.event}).beside(seen.record)
        if delivery.result_in(history, unfinished_outcome(seen, history)) is not None:
            return None
        lease = open_turn(conversation, seen, spends=delivery.spends)
        return delivery.take_turn(lease, history) if lease is not None else None

    def _look(
        self,
        conversation: Conversation,
        delivery: TurnDelivery,
        seen: SeenTurn,
        listing: Listing,
        patience: _Patience,
    ) -> Run | None:
        """Read the chat once, and do the work that it shows; return what came of the delivery, or None: read again."""
        lease: Lease | None = None
        is_free = patience.deadline.left_s > 0 and self._is_free_by_name(conversation, seen, listing)
        if is_free and delivery.has_work_by_name(seen, listing):
            early = conversation.objects.reads.submit(open_turn, conversation, seen, spends=delivery.spends)
            try:
                history = self.reader.read(conversation, listing)
            except AizuchiError:
                _release(early.result())  # else the turn would count a try that asked no model
                raise
            lease = early.result()
            if lease is None:
                return None
        else:
            history = self.reader.read(conversation, listing)
        if history is None:
            _release(lease)
            return None
        history = history.beside(seen.record)
        unfinished = unfinished_outcome(seen, history)
        delivery.tidy(history)
        result = delivery.result_in(history, unfinished)
        if result is not None:
            _release(lease)
            return _run(result, history)
        if lease is None:
            if self._is_held(seen, unfinished) or not patience.deadline.left_s:
                self._wait(conversation, seen, patience)
                return None
            if unfinished is not None:
                taken = take_over(conversation, seen)
                outcome = None
                if taken is not None:
                    outcome = self.outbox.finish(taken, unfinished, deadline=patience.request, is_takeover=True)
                return _ended(delivery, outcome, history)
            lease = open_turn(conversation, seen, spends=delivery.spends)
        return _ended(delivery, delivery.take_turn(lease, history) if lease else None, history)

    def _is_free_by_name(self, conversation: Conversation, seen: SeenTurn, listing: Listing) -> bool:
        committed = seen.committed
        if committed is not None:
            name = conversation.names.outcome(committed.webhook_event_id)
            return any(one.name == name for one in listing.outcomes)
        return seen.record.state == "idle" or self.clock.now_ms() >= seen.record.expires_ms

    def _is_held(self, seen: SeenTurn, unfinished: OutcomeRecord | None) -> bool:
        is_taken = seen.record.state == "thinking" or unfinished is not None
        return is_taken and self.clock.now_ms() < seen.record.expires_ms

    def _wait(self, conversation: Conversation, seen: SeenTurn, patience: "_Patience") -> None:
        """Wait until the turn moves or its lease expires; only the journal tells whether a committed outcome was recorded."""
        patience.looks_in_vain = 0
        while not patience.is_over:
            self.clock.sleep(min(patience.poll_s * self.chance.uniform(0.75, 1.25), patience.deadline.left_s))
            if seen.record.state == "committed" or self.clock.now_ms() >= seen.record.expires_ms:
                return
            if conversation.turn.read().generation != seen.generation:
                return


def unfinished_outcome(seen: SeenTurn, history: History) -> OutcomeRecord | None:
    """Return the outcome that is committed and not recorded."""
    outcome = seen.committed
    return outcome if outcome is not None and outcome.webhook_event_id not in history.recorded else None


def _release(lease: Lease | None) -> None:
    if lease is not None:
        lease.release()


def _ended(delivery: TurnDelivery, outcome: OutcomeRecord | None, history: History) -> Run | None:
    if outcome is None or not delivery.is_ended_by(outcome):
        return None
    return _run(EventResult(outcome.kind), history)


def _run(result: EventResult, history: History) -> Run:
    return Run(result=result, journalled=history.journalled, shown=len(history.messages))
