"""Work on the free reply token of a message that nobody answers: what waited for such a token is told, once.

A notice, a summary, the result of a poll and a calendar's new address wait so. Answers come first: while one is due, the work waits.
"""

from abc import ABC, abstractmethod
from dataclasses import field
from enum import StrEnum
from typing import ClassVar

from shared.bus.result import EventResult
from shared.clock import Clock, Deadline
from shared.conversation.history import History
from shared.conversation.history_reader import Listing
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.spending import Spending
from shared.conversation.store import Conversation
from shared.conversation.turn import StoredTurn
from shared.frozen import frozen
from shared.line.messaging import SENDING_S, ReplyToken
from shared.turns.lease import Lease
from shared.turns.outbox import ENDING_S, Outbox
from shared.turns.runner import TurnDelivery, TurnRunner


class FreeTokenUse(StrEnum):
    """What is told on such a token; each value ends the ids of its outcomes, for example `01ABC-notice`."""

    ADDRESS = "-address"
    NOTICE = "-notice"
    SUMMARY = "-summary"

    def outcome_id(self, message: MessageRecord) -> str:
        """Return the id of the outcome that is told on the message's token, at most 64 characters."""
        return f"{message.webhook_event_id[: 64 - len(self)]}{self}"


def is_told_on_token_of(message: MessageRecord, history: History) -> bool:
    """Whether an outcome that covers no message was told on the message's token, whatever its use.

    The turn lists the outcome where the journal does not any more. For example, `01ABC-summary` is recorded, and Pub/Sub delivers event
    `01ABC` again: no notice is told on that token.
    """
    own_ids = {use.outcome_id(message) for use in FreeTokenUse}
    return not (history.recorded.isdisjoint(own_ids) and history.covered.isdisjoint(own_ids))


def may_be_spent_by_answer(message: MessageRecord, history: History) -> bool:
    """Whether an outcome that covers the message may have used the message's token: any but silence.

    For example, the model read the message, which was not for the bot, and chose silence: the token is free. Where the history does not
    hold the outcome any more, the token may be used.
    """
    return message.line_message_id in history.covered and not _was_met_by_silence(message, history)


def _was_met_by_silence(message: MessageRecord, history: History) -> bool:
    covering = [one for one in history.outcomes if message.line_message_id in one.answered_ids]
    return bool(covering) and all(one.kind is OutcomeKind.SKIPPED for one in covering)


@frozen
class FreeTokenWork(ABC):
    """A TurnWork on the token of the message `own`."""

    use: ClassVar[FreeTokenUse]

    conversation: Conversation
    own: MessageRecord
    deadline: Deadline
    outbox: Outbox
    clock: Clock = field(repr=False)

    def spends(self, spending: Spending) -> Spending:
        """Nothing, unless a model is asked."""
        return spending

    def has_work_by_name(self, stored_turn: StoredTurn, listing: Listing) -> bool:  # noqa: ARG002 - the port's own words
        return False

    def result_in(self, history: History, unfinished: OutcomeRecord | None) -> EventResult | None:
        """Work remains only if no message is pending, no outcome is unfinished, and the message was neither answered nor withdrawn."""
        has_better_to_do = (
            unfinished is not None
            or is_told_on_token_of(self.own, history)
            or may_be_spent_by_answer(self.own, history)
            or bool(history.pending(self.own, now_ms=self.clock.now_ms()))
            or history.amendments.hides(self.own)
        )
        return EventResult.KEPT_AS_CONTEXT if has_better_to_do else None

    def try_once(self, runner: TurnRunner, stored_turn: StoredTurn) -> bool:
        """Do the work if the chat's turn is free; return whether the token may have been used."""
        delivery = TurnDelivery(event=self.own.line_message_id, sent_ms=self.own.timestamp_ms, work=self)
        return runner.try_once(self.conversation, delivery, stored_turn) is not None

    @abstractmethod
    def take_turn(self, lease: Lease, history: History) -> OutcomeRecord | None:
        """Do the work; return the recorded outcome, or None where nothing is told on this token."""

    @property
    def outcome_id(self) -> str:
        """The id of the outcome that tells it."""
        return self.use.outcome_id(self.own)

    def live_token(self, now_ms: int) -> ReplyToken | None:
        """Return the message's token; None where it is surely dead at this time."""
        token = self.own.reply_token
        return token if token is not None and not token.is_surely_dead(now_ms) else None

    @property
    def sent_by(self) -> Deadline:
        """The latest time to send: nobody waits for it, so the call is repeated only for a short time."""
        return self.deadline.within(SENDING_S + ENDING_S)
