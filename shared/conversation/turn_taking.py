"""Take the chat's turn, or wait for it: one at a time thinks, and what arrives meanwhile is answered together by the next one.

    read the turn ─▶ look at the chat ─▶ own message not pending: done
                                      ├▶ somebody alive holds it: wait, look again
                                      ├▶ committed, its holder dead: finish it, look again
                                      └▶ open ─▶ look at the amendments ─▶ think ─▶ commit ─▶ finish, look again

A delivery is acknowledged only when its own message is covered by an outcome, withdrawn, or too old; nobody relies on a stranger's.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from shared import logs
from shared.background import Background, Pause
from shared.clock import Clock, Deadline
from shared.conversation.journal import History, Journal
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, outcome_covering
from shared.conversation.speaking import Speaker
from shared.conversation.turn import HeldTurn, SeenTurn, TurnRecord, Turns
from shared.errors import TurnBusyError

_PATIENCE_S: Final = (
    65.0  # who opens last still has its 40 s of thinking and 10 s of speaking within the 120 s of the deadline
)
_POLL_S: Final = 0.4
_TRIES: Final = 3
_RENEWALS_A_LEASE: Final = 3

Think = Callable[[History, tuple[MessageRecord, ...]], OutcomeRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTaking:
    """Sees a message through to its end."""

    journal: Journal
    turns: Turns
    speaker: Speaker
    background: Background = field(repr=False)
    clock: Clock = field(repr=False)
    chance: random.Random = field(repr=False)

    def see_through(self, conversation_id: str, own: MessageRecord, *, think: Think, apologise: Think) -> str:
        """The message, kept in the journal, is covered by an outcome, withdrawn, or too old to answer.  Returns what came of it.

        `think` makes the outcome of a turn; `apologise` does without the model, for a message that kills whoever thinks about it.
        Repeated: as often as you like. Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        patience = Deadline.after(self.clock, _PATIENCE_S)
        while patience.left_s:
            # The turn before the chat: an outcome that is recorded between the two is then seen.
            seen = self.turns.read(conversation_id)
            history = self.journal.read(conversation_id)
            pending = history.pending(own, now_ms=self.clock.now_ms())
            unfinished = _unfinished(seen, history)
            is_pending = own.line_message_id in {one.line_message_id for one in pending}
            if not is_pending and not (unfinished and own.line_message_id in unfinished.covers):
                if own.line_message_id not in history.withdrawn:
                    return "already_answered"
                self.journal.drop(conversation_id, own.line_message_id)
                return "withdrawn"
            if (seen.record.state == "thinking" or unfinished) and self.clock.now_ms() < seen.record.expires_ms:
                self._wait(conversation_id, seen, patience)
                continue
            if unfinished:
                held = self.turns.take_over(conversation_id, seen)
                finished = self.speaker.finish(held, taken_over=True) if held else None
            else:
                held = self.turns.open(conversation_id, seen)
                finished = self._answered(held, history, pending, think, apologise) if held else None
            if finished and own.line_message_id in finished.covers:
                return finished.kind.value
        raise TurnBusyError("the chat's turn was not free in time")

    def _answered(
        self,
        held: HeldTurn,
        history: History,
        pending: tuple[MessageRecord, ...],
        think: Think,
        apologise: Think,
    ) -> OutcomeRecord | None:
        tokens = self.speaker.freshest_tokens(pending)
        shown = history.seen_ids.union(one.line_message_id for one in pending)
        logs.info("turn_opened", messages=len(history.messages), pending=len(pending), tries=held.record.tries)
        # An unsend may have passed between the look and the swap.
        if self.journal.is_withdrawn(held.conversation_id, shown):
            held.release()
            return None
        if not tokens:
            outcome = outcome_covering(pending, OutcomeKind.UNDELIVERED)  # the next prompt shows them as unanswered
        elif held.record.tries >= _TRIES:
            outcome = apologise(history, pending)
        else:
            with self.background.beside(lambda pause: self._renewing(held, pause)):
                outcome = think(history, pending)
        route = TurnRecord(
            outcome=outcome,
            reply_token=tokens[0].reply_token if tokens else None,
            token_received_ms=tokens[0].received_ms if tokens else 0,
        )
        if not held.commit(route, prompt=shown):
            logs.info("turn_lost")
            return None
        return self.speaker.finish(held, taken_over=False, spare=tokens[1:])

    def _wait(self, conversation_id: str, seen: SeenTurn, patience: Deadline) -> None:
        """Until the turn moved or its lease is over; whether a committed outcome was recorded only the journal tells."""
        while patience.left_s and self.clock.now_ms() < seen.record.expires_ms:
            self.clock.sleep(min(_POLL_S * self.chance.uniform(0.75, 1.25), patience.left_s))
            if seen.record.state == "committed" or self.turns.read(conversation_id).generation != seen.generation:
                return

    def _renewing(self, held: HeldTurn, pause: Pause) -> None:
        """Keep the lease alive while the turn's own thread waits for the model."""
        while not pause(self.turns.lease_s / _RENEWALS_A_LEASE):
            held.renew()


def _unfinished(seen: SeenTurn, history: History) -> OutcomeRecord | None:
    outcome = seen.record.outcome if seen.record.state == "committed" else None
    return outcome if outcome is not None and outcome.webhook_event_id not in history.recorded else None
