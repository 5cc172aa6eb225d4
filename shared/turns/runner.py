"""Take the chat's turn, or wait for it: one at a time speaks, and what arrives meanwhile is answered together by the next one.

    read the turn ─▶ look at the chat ─▶ nothing left to do: done
                                      ├▶ somebody alive holds it: wait, look again
                                      ├▶ committed, its holder dead: finish it, look again
                                      └▶ open ─▶ think ─▶ commit ─▶ finish, look again

A delivery is acknowledged only when its own business came to an end; nobody relies on a stranger's.
"""

import random
from dataclasses import dataclass, field
from typing import Final, Protocol

from shared.clock import Clock, Deadline
from shared.conversation.history import History, Listing, Reader
from shared.conversation.records import OutcomeRecord
from shared.conversation.turn import HeldTurn, SeenTurn, Turns
from shared.errors import TurnBusyError
from shared.storage.object_names import outcome_name
from shared.turns.outbox import Speaker

PATIENCE_S: Final = (
    60.0  # who opens last still has 40 s of thinking and 10 s of speaking within the 120 s of the deadline
)
_POLL_S: Final = 0.4


class Delivery(Protocol):
    """What one request wants of the chat's turn."""

    def is_surely_open(self, seen: SeenTurn, listing: Listing) -> bool:
        """Whether names alone tell that something is left to do, so that the turn can be opened while the bodies are read."""
        ...

    def came_to(self, history: History, unfinished: OutcomeRecord | None) -> str | None:
        """Return what came of it, or None while something is left to do; `unfinished` is committed and not recorded."""
        ...

    def in_turn(self, held: HeldTurn, history: History) -> OutcomeRecord | None:
        """Do what is left to do; return the outcome as recorded, or None where the chat has to be looked at again."""
        ...

    def is_ended_by(self, outcome: OutcomeRecord) -> bool:
        """Whether nothing is left to do after this outcome."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenThrough:
    """What came of a delivery; how many messages the chat's journal held then, and how many a prompt shows."""

    came_of: str
    journalled: int
    shown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTaking:
    """Sees deliveries through to their end."""

    reader: Reader
    turns: Turns
    speaker: Speaker
    clock: Clock = field(repr=False)
    chance: random.Random = field(repr=False)

    def see_through(self, conversation_id: str, delivery: Delivery, seen: SeenTurn) -> SeenThrough:
        """Nothing is left to do for the delivery; `seen` is the turn as it was read last.

        Repeated: as often as you like. Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        patience = Deadline.after(self.clock, PATIENCE_S)
        while patience.left_s:
            # The turn before the chat: an outcome that is recorded between the two is then seen.
            listing = self.reader.list(conversation_id)
            ended = self._look(conversation_id, delivery, seen, listing, patience)
            if ended is not None:
                return ended
            seen = self.turns.read(conversation_id)
        raise TurnBusyError("the chat's turn was not free in time")

    def _look(
        self, conversation_id: str, delivery: Delivery, seen: SeenTurn, listing: Listing, patience: Deadline
    ) -> SeenThrough | None:
        """Look at the chat once, and do what has to be done about it; return what came of the delivery, or None: look again."""
        held: HeldTurn | None = None
        if self._is_surely_free(conversation_id, seen, listing) and delivery.is_surely_open(seen, listing):
            opening = self.reader.bodies.reads.submit(self.turns.open, conversation_id, seen)
            history = self.reader.read(conversation_id, listing)
            held = opening.result()
            if held is None:
                return None
        else:
            history = self.reader.read(conversation_id, listing)
        unfinished = _unfinished(seen, history) if history is not None else None
        came_of = delivery.came_to(history, unfinished) if history is not None else None
        if history is None or came_of is not None:
            if held is not None:
                held.release()
            return _seen_through(came_of, history)
        if held is None:
            if self._is_held(seen, unfinished):
                self._wait(conversation_id, seen, patience)
                return None
            if unfinished is not None:
                held = self.turns.take_over(conversation_id, seen)
                outcome = self.speaker.finish(held, taken_over=True) if held else None
                return _seen_through(_ended(delivery, outcome), history)
            held = self.turns.open(conversation_id, seen)
        outcome = delivery.in_turn(held, history) if held else None
        return _seen_through(_ended(delivery, outcome), history)

    def _is_surely_free(self, conversation_id: str, seen: SeenTurn, listing: Listing) -> bool:
        turn = seen.record
        if turn.state == "committed" and turn.outcome is not None:
            name = outcome_name(conversation_id, turn.outcome.webhook_event_id)
            return any(one.name == name for one in listing.outcomes)
        return turn.state == "idle" or self.clock.now_ms() >= turn.expires_ms

    def _is_held(self, seen: SeenTurn, unfinished: OutcomeRecord | None) -> bool:
        is_taken = seen.record.state == "thinking" or unfinished is not None
        return is_taken and self.clock.now_ms() < seen.record.expires_ms

    def _wait(self, conversation_id: str, seen: SeenTurn, patience: Deadline) -> None:
        """Until the turn moved or its lease is over; whether a committed outcome was recorded only the journal tells."""
        while patience.left_s and self.clock.now_ms() < seen.record.expires_ms:
            self.clock.sleep(min(_POLL_S * self.chance.uniform(0.75, 1.25), patience.left_s))
            if seen.record.state == "committed" or self.turns.read(conversation_id).generation != seen.generation:
                return


def _ended(delivery: Delivery, outcome: OutcomeRecord | None) -> str | None:
    return outcome.kind.value if outcome is not None and delivery.is_ended_by(outcome) else None


def _seen_through(came_of: str | None, history: History | None) -> SeenThrough | None:
    if came_of is None or history is None:
        return None
    return SeenThrough(came_of=came_of, journalled=history.journalled, shown=len(history.messages))


def _unfinished(seen: SeenTurn, history: History) -> OutcomeRecord | None:
    outcome = seen.record.outcome if seen.record.state == "committed" else None
    return outcome if outcome is not None and outcome.webhook_event_id not in history.recorded else None
