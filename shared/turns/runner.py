"""Run a delivery through its chat's turn: take the turn, or wait for it; messages that arrive meanwhile are answered by the next turn.

    read the turn ─▶ read the chat ─▶ nothing left to do: done
                                   ├▶ a live holder has the turn: wait, read again
                                   ├▶ committed, its holder's lease expired: finish it, read again
                                   └▶ open ─▶ think ─▶ commit ─▶ finish, read again

A delivery is acknowledged only at the end of its own work, or when a marker under `due/` hands the work over. If many deliveries wait
for one turn, the older deliveries leave.
"""

import random
from collections.abc import Callable
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
from shared.conversation.turn import StoredTurn
from shared.errors import AizuchiError, TurnBusyError
from shared.frozen import frozen
from shared.turns.lease import Lease, open_turn, take_over
from shared.turns.outbox import ENDING_S, Outbox
from shared.turns.waiting_room import Place, WaitingRoom

_POLL_S: Final = 0.4
_READINGS_AT_ONCE: Final = 4
_FRUITLESS_READINGS: Final = 24
"""How often one delivery reads the chat without waiting or ending its work; after that, an error is assumed that reading cannot fix.

The first few readings follow each other at once (a compaction passes, or messages of the prompt are edited), the others after pauses.
"""
_LONGEST_TURN_S: Final = 50.0
_YIELDS_S: Final = 1.0
"""For how long after the end of a turn a message leaves the next one to an older command."""


class TurnWork(Protocol):
    """What a delivery does in its chat's turn."""

    def spends(self, spending: Spending) -> Spending:
        """Return the chat's spending, with the reservation of this delivery's turn added."""
        ...

    def has_work_by_name(self, stored_turn: StoredTurn, listing: Listing) -> bool:
        """Whether the names of objects alone show that work remains, so that the turn can be opened while the bodies are read.

        Example: `journal/U0123…/5931.json` is listed, no outcome of the turn covers message 5931, and no amendment names it.
        """
        ...

    def result_in(self, history: History, unfinished: OutcomeRecord | None) -> EventResult | None:
        """Apply the history's amendments to the delivery's own message; return the delivery's result, or None while work remains.

        `unfinished` is committed and not recorded. Example: message 5931 was withdrawn, so the result is WITHDRAWN.
        """
        ...

    def take_turn(self, lease: Lease, history: History) -> OutcomeRecord | None:
        """Do the work; return the recorded outcome, or None if the chat has to be read again."""
        ...


@frozen
class Waiting:
    """How a delivery waits for its chat's turn.  By default: as a message that the next turn, or a tick, answers too.

    `turn_s`: seconds for thinking and sending in a turn. `gives_way`: another delivery, or a tick, can do the work. `is_optional`: nobody
    asked for the work. `is_answerable`: whether an answer could still be shown if the turn were free. `hand_over` ends the wait: another
    delivery or a tick does the work, or no answer can be shown any more; None where the delivery's outcome is committed, so that the
    delivery waits for the record; an error where only a later delivery of the event can do the work.
    Example: a greeting's turn takes 10 s, and the greeting is answerable while its reply token lives.
    """

    turn_s: float = _LONGEST_TURN_S
    gives_way: bool = True
    is_optional: bool = False
    is_answerable: Callable[[], bool] = lambda: True
    hand_over: Callable[[Place], EventResult | None] = lambda _: None


@frozen
class TurnDelivery:
    """A request's work in its chat's turn, and how the request waits for the turn.

    `event`: the id shared by all deliveries of the event: the LINE message id, for example `5931`, or else the webhook event id. `sent_ms`:
    LINE's timestamp of the event. `author`: who sent the message, for example `U0123…`; "" if a prompt would not show the event, as with a
    command. `asks_model`: the turn may ask the model, so the chat is read with what prompts show of features' things.
    """

    event: str
    sent_ms: int
    author: str = ""
    asks_model: bool = False
    work: TurnWork
    waiting: Waiting = field(default_factory=Waiting)

    def is_ended_by(self, outcome: OutcomeRecord) -> bool:
        """Whether the outcome is the event's own, or covers the event's message or press."""
        return self.event == outcome.webhook_event_id or self.event in outcome.covered_ids


@frozen
class Run:
    """The result of a delivery; how many messages the chat's journal held then, and how many a prompt shows.

    `inherits`: the events of evicted deliveries that relied on this delivery, the newest first. `stored_turn`: the turn as this delivery
    wrote it last; None if the delivery took no turn.
    """

    result: EventResult
    inherits: tuple[str, ...] = ()
    journalled: int = 0
    shown: int = 0
    stored_turn: StoredTurn | None = None


@dataclass(slots=True, kw_only=True)
class _Patience:
    """How long a delivery waits: until no turn could end in time, no answer could be shown, or newer deliveries took the place.

    A short turn polls more often, and so comes before turns that think: a turn of 50 s polls every 0.4 s, a turn of
    5 s every 0.04 s. `request`: the deadline of the request. `fruitless_readings`: how often the chat was read since the last wait.
    `yielded_s`: the pauses since the turn was last held.
    """

    delivery: TurnDelivery
    deadline: Deadline
    request: Deadline
    place: Place
    poll_s: float
    waits: bool
    fruitless_readings: int = 0
    yielded_s: float = 0.0

    @property
    def is_over(self) -> bool:
        cannot_answer = not self.waits or not self.deadline.left_s or not self.delivery.waiting.is_answerable()
        return cannot_answer or self.place.is_evicted or self.has_no_end

    @property
    def yields(self) -> bool:
        """Whether the delivery leaves a free turn to an older command, for a moment: that may have no thread left to run on."""
        return self.waits and self.delivery.waiting.gives_way and self.yielded_s < _YIELDS_S

    @property
    def has_no_end(self) -> bool:
        """Whether further reading of the chat would never end the work."""
        return self.fruitless_readings >= _FRUITLESS_READINGS


@frozen
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
        stored_turn: StoredTurn,
        deadline: Deadline,
        *,
        waits: bool = True,
    ) -> Run:
        """No work remains for the delivery, or it is handed over; `stored_turn` is the turn as it was read last.

        No turn is opened or taken over that could not end by the deadline of the request. `waits`: wait for other workers while the
        delivery could still open the turn and answer. Repeated: does the remaining work.
        Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        waiting = delivery.waiting
        with self.room.place(
            conversation.id,
            event=delivery.event,
            sent_ms=delivery.sent_ms,
            gives_way=waiting.gives_way,
            author=delivery.author,
            is_optional=waiting.is_optional,
        ) as place:
            patience = _Patience(
                delivery=delivery,
                deadline=deadline.earlier(waiting.turn_s + ENDING_S),
                request=deadline,
                place=place,
                poll_s=_POLL_S * waiting.turn_s / _LONGEST_TURN_S,
                waits=waits,
            )
            while True:
                # The turn is read before the chat: an outcome that is recorded between the two readings is found.
                # The event's outcome is required: the journal may lack the message, if a much earlier withdrawal dropped it.
                listing = self.reader.list(
                    conversation,
                    required_ids={delivery.event},
                    with_blocks=_shows_reminders(delivery, stored_turn),
                )
                patience.fruitless_readings += 1
                ended = self._advance(conversation, delivery, stored_turn, listing, patience)
                if ended is not None:
                    return replace(ended, inherits=tuple(event for _, event in sorted(place.inherits, reverse=True)))
                if patience.has_no_end:
                    logs.error("turn_does_not_end", looks=patience.fruitless_readings)
                if patience.is_over:
                    result = waiting.hand_over(place) if waits else None
                    if result is not None:
                        return Run(result=result)
                    if not waits or not patience.deadline.left_s or patience.has_no_end:
                        raise TurnBusyError("the chat's turn was not free in time")
                if patience.is_over or patience.fruitless_readings > _READINGS_AT_ONCE:
                    self.clock.sleep(patience.poll_s)
                stored_turn = conversation.turn.read()

    def try_once(
        self, conversation: Conversation, delivery: TurnDelivery, stored_turn: StoredTurn
    ) -> OutcomeRecord | None:
        """Return the outcome of unasked work, such as an interjection, if work remained and the turn was free; None otherwise.

        Never waits, and takes over no turn.

        Raises: StorageUnavailableError.
        """
        history = self.reader.read_newest(
            conversation, required_ids={delivery.event}, with_blocks=_shows_reminders(delivery, stored_turn)
        ).with_covered_by(stored_turn.record)
        unfinished = unfinished_outcome(stored_turn, history)
        if self._is_held(stored_turn, unfinished) or delivery.work.result_in(history, unfinished) is not None:
            return None
        lease = open_turn(conversation, stored_turn, spends=delivery.work.spends, is_unasked=True)
        return self._take_turn(delivery, lease, history, stored_turn) if lease is not None else None

    def _advance(
        self,
        conversation: Conversation,
        delivery: TurnDelivery,
        stored_turn: StoredTurn,
        listing: Listing,
        patience: _Patience,
    ) -> Run | None:
        """Read the chat once, and do the remaining work; return the delivery's result, or None: read again."""
        lease: Lease | None = None
        is_unasked = not delivery.asks_model  # such as a command: workers that die of it have read no question
        yields = patience.yields and self.room.has_older_command(conversation.id, patience.place)
        is_free = patience.deadline.left_s > 0 and self._is_free_by_name(conversation, stored_turn, listing)
        if is_free and not yields and delivery.work.has_work_by_name(stored_turn, listing):
            early = conversation.objects.reads.submit(
                open_turn, conversation, stored_turn, spends=delivery.work.spends, is_unasked=is_unasked
            )
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
        history = history.with_covered_by(stored_turn.record)
        unfinished = unfinished_outcome(stored_turn, history)
        result = delivery.work.result_in(history, unfinished)
        if result is not None:
            _release(lease)
            return _run(result, history)
        if lease is None:
            is_held = self._is_held(stored_turn, unfinished)
            pause_s = patience.poll_s if yields and not is_held else _pause_s(conversation, stored_turn, delivery)
            if pause_s or is_held or not patience.deadline.left_s:
                self._wait(conversation, stored_turn, patience, pause_s=pause_s)
                return None
            if unfinished is not None:
                lease_taken_over = take_over(conversation, stored_turn)
                outcome = None
                if lease_taken_over is not None:
                    outcome = self.outbox.finish(
                        lease_taken_over, unfinished, deadline=patience.request, is_takeover=True
                    )
                return _run_if_ended(delivery, outcome, history, lease_taken_over)
            lease = open_turn(conversation, stored_turn, spends=delivery.work.spends, is_unasked=is_unasked)
        patience.place.has_turn = lease is not None
        outcome = self._take_turn(delivery, lease, history, stored_turn) if lease else None
        patience.place.has_turn = False
        return _run_if_ended(delivery, outcome, history, lease)

    def _take_turn(
        self, delivery: TurnDelivery, lease: Lease, history: History, stored_turn: StoredTurn
    ) -> OutcomeRecord | None:
        """Take the turn, and wake the deliveries that waited in this instance for its end."""
        # An outcome that was unrecorded when the turn was read may have written its reminders after the listing
        if history.has_no_things and not stored_turn.record.writes_reminders:
            lease.note_no_reminders()
        try:
            return delivery.work.take_turn(lease, history)
        finally:
            self.room.wake(lease.conversation.id)

    def _is_free_by_name(self, conversation: Conversation, stored_turn: StoredTurn, listing: Listing) -> bool:
        committed = stored_turn.record.committed
        if committed is not None:
            name = conversation.names.outcome(committed.webhook_event_id)
            return any(one.name == name for one in listing.outcomes)
        return stored_turn.record.state == "idle" or self.clock.now_ms() >= stored_turn.record.expires_ms

    def _is_held(self, stored_turn: StoredTurn, unfinished: OutcomeRecord | None) -> bool:
        is_taken = stored_turn.record.state == "thinking" or unfinished is not None
        return is_taken and self.clock.now_ms() < stored_turn.record.expires_ms

    def _wait(
        self, conversation: Conversation, stored_turn: StoredTurn, patience: "_Patience", *, pause_s: float
    ) -> None:
        """Wait until the turn changes or its lease expires; only the journal shows whether a committed outcome was recorded.

        A turn of this instance wakes the delivery when the turn ends, so polls find the turns of other instances. During `pause_s` no write
        of the turn could win, and what comes meanwhile goes into the same turn.
        """
        patience.fruitless_readings = 0
        if pause_s:
            patience.yielded_s += pause_s
            self.clock.sleep(pause_s)
            return
        patience.yielded_s = 0.0
        woken = patience.place.woken
        while not patience.is_over:
            pause_s = min(patience.poll_s * self.chance.uniform(0.75, 1.25), patience.deadline.left_s)
            if woken.wait(pause_s):
                woken.clear()
                return
            if stored_turn.record.state == "committed" or self.clock.now_ms() >= stored_turn.record.expires_ms:
                return
            if conversation.turn.read().generation != stored_turn.generation:
                return


def _pause_s(conversation: Conversation, stored_turn: StoredTurn, delivery: TurnDelivery) -> float:
    """Return how long work that nobody asked for waits before it writes the turn: a write in the same second would meet 429."""
    return conversation.turn.writable_in_s(stored_turn.record) if delivery.waiting.is_optional else 0.0


def _shows_reminders(delivery: TurnDelivery, stored_turn: StoredTurn) -> bool:
    """Whether the chat is read for a prompt that may have reminders to show; else listing them would cost a request for nothing."""
    return delivery.asks_model and stored_turn.record.may_have_reminders


def unfinished_outcome(stored_turn: StoredTurn, history: History) -> OutcomeRecord | None:
    """Return the outcome that is committed and not recorded."""
    outcome = stored_turn.record.committed
    return outcome if outcome is not None and outcome.webhook_event_id not in history.recorded else None


def _release(lease: Lease | None) -> None:
    if lease is not None:
        lease.release()


def _run_if_ended(
    delivery: TurnDelivery, outcome: OutcomeRecord | None, history: History, lease: Lease | None
) -> Run | None:
    if outcome is None or not delivery.is_ended_by(outcome):
        return None
    run = _run(EventResult(outcome.kind), history)
    return replace(run, stored_turn=lease.stored_turn) if lease is not None else run


def _run(result: EventResult, history: History) -> Run:
    return Run(result=result, journalled=history.journalled, shown=len(history.messages))
