"""Bring a committed outcome to its end: say it, at most once, and write down what the user saw."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.journal import Journal
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.turn import HeldTurn
from shared.errors import LineRefusedError
from shared.line.outgoing import MESSAGES_A_CALL, OutgoingMessage
from shared.line.replies import ReplyApi, SpentReply, spend_reply_token
from shared.line.text import split_at_graphemes

# Source: LINE, "Send reply message": a token works within one minute after receiving the webhook; clocks differ, and events travel
TOKEN_SURELY_ALIVE_MS: Final = 53_000
TOKEN_SURELY_DEAD_MS: Final = 65_000
_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Says what was committed.  Nothing is ever sent that was not committed first."""

    journal: Journal
    line: ReplyApi
    clock: Clock = field(repr=False)

    def freshest_tokens(self, pending: Sequence[MessageRecord]) -> tuple[MessageRecord, ...]:
        """Return the messages whose reply token may be alive, the freshest first."""
        alive = (one for one in pending if self.clock.now_ms() - one.received_ms < TOKEN_SURELY_DEAD_MS)
        return tuple(sorted(alive, key=lambda one: one.received_ms, reverse=True))

    def finish(self, held: HeldTurn, *, taken_over: bool, spare: Sequence[MessageRecord] = ()) -> OutcomeRecord | None:
        """Return the outcome as recorded; its kind tells what the user saw.

        None: something that it repeats was withdrawn before anybody asked LINE, so the turn is idle and has to be thought again, for the
        others. `spare` are the messages whose token comes next where LINE refuses the committed one.
        Repeated, by whoever takes over: same text, same token, one record.
        """
        outcome = held.record.outcome
        assert outcome is not None  # noqa: S101 - the turn is committed
        if outcome.text is not None:
            if self.journal.is_withdrawn(held.conversation_id, {*outcome.covers, *outcome.saw}):
                logs.info("reply_withheld", reason="withdrawn")
                if not taken_over:
                    held.release()
                    return None
                outcome = replace(outcome, kind=OutcomeKind.WITHDRAWN, text=None)
            else:
                outcome = self._spoken(held, outcome, taken_over=taken_over, spare=spare)
        elif outcome.kind in {OutcomeKind.REPLIED, OutcomeKind.APOLOGISED}:  # its words were taken out of the turn
            outcome = replace(outcome, kind=OutcomeKind.WITHDRAWN)
        if self.journal.record_outcome(held.conversation_id, outcome):
            held.amend(replace(outcome, text=None))
        return outcome

    def say(self, conversation_id: str, outcome: OutcomeRecord, *, reply_token: str) -> OutcomeRecord:
        """The outcome, of words that repeat nobody's, is said on the token and recorded.  Repeated: the token is spent already."""
        told = self._told(outcome, self._spent(reply_token, outcome.text or ""))
        self.journal.record_outcome(conversation_id, told)
        return told

    def _spoken(
        self, held: HeldTurn, outcome: OutcomeRecord, *, taken_over: bool, spare: Sequence[MessageRecord]
    ) -> OutcomeRecord:
        """Spend the committed token; where LINE refuses it, commit to the next freshest and spend that."""
        for token in _routes(held, spare):
            if token is None:
                break
            if token != held.record.reply_token and not self._moved_on(held, outcome, token, spare):
                break
            spent = self._spent(token, outcome.text or "")
            if taken_over and spent.delivered is False:
                spent = self._fate_of_a_dead_holders_call(held)
            if spent.delivered is not False:
                return self._told(outcome, spent)
            taken_over = False
        return self._told(outcome, SpentReply(delivered=False))

    def _moved_on(self, held: HeldTurn, outcome: OutcomeRecord, token: str, spare: Sequence[MessageRecord]) -> bool:
        received_ms = next(one.received_ms for one in spare if one.reply_token == token)
        amended = held.amend(outcome, reply_token=token, token_received_ms=received_ms)
        return amended and held.record.outcome is not None and held.record.outcome.text is not None

    def _fate_of_a_dead_holders_call(self, held: HeldTurn) -> SpentReply:
        """A token that is still young was refused because it was spent; of an older one nobody knows."""
        is_young = self.clock.now_ms() - held.record.token_received_ms < TOKEN_SURELY_ALIVE_MS
        return SpentReply(delivered=True if is_young else None)

    def _spent(self, reply_token: str, text: str) -> SpentReply:
        bubbles = [OutgoingMessage(text=bubble) for bubble in split_at_graphemes(text)[:MESSAGES_A_CALL]]
        deadline = Deadline.after(self.clock, _SECONDS)
        try:
            return spend_reply_token(self.line, reply_token, bubbles, clock=self.clock, deadline=deadline)
        except LineRefusedError as cause:
            logs.error("reply_refused", cause=cause, reason=str(cause))
            return SpentReply(delivered=False)

    def _told(self, outcome: OutcomeRecord, spent: SpentReply) -> OutcomeRecord:
        kind = outcome.kind
        if spent.delivered is None:
            kind = OutcomeKind.UNKNOWN
        elif not spent.delivered:
            kind = OutcomeKind.UNDELIVERED
        event = {True: "reply_sent", False: "reply_undelivered", None: "reply_fate_unknown"}[spent.delivered]
        log = logs.info if spent.delivered else logs.warning
        log(event, outcome=kind.value, bubbles=len(spent.sent_message_ids))
        return replace(outcome, kind=kind, sent_message_ids=spent.sent_message_ids)


def _routes(held: HeldTurn, spare: Sequence[MessageRecord]) -> Iterator[str | None]:
    committed = held.record.reply_token
    yield committed
    yield from (one.reply_token for one in spare if one.reply_token != committed)
