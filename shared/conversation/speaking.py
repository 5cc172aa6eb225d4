"""Say what was decided, at most once, and write down what the user saw."""

from dataclasses import dataclass, field, replace
from typing import Final

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.journal import Journal
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.errors import LineRefusedError
from shared.line.replies import ReplyApi, SpentReply, spend_reply_token
from shared.line.text import split_at_graphemes

_SECONDS: Final = 10.0
_BUBBLES: Final = 5  # Source: LINE, "Send reply message"


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Brings an outcome to its end."""

    journal: Journal
    line: ReplyApi
    clock: Clock = field(repr=False)

    def say(self, conversation_id: str, outcome: OutcomeRecord, *, reply_token: str) -> OutcomeRecord:
        """The outcome is recorded, and its text was sent unless something that it repeats was withdrawn meanwhile.

        Returns the outcome as recorded: its kind tells what the user saw. Repeated: the token is spent already, so nothing is sent.
        """
        if outcome.text is not None:
            outcome = self._spoken(conversation_id, outcome, reply_token)
        self.journal.record_outcome(conversation_id, outcome)
        return outcome

    def _spoken(self, conversation_id: str, outcome: OutcomeRecord, reply_token: str) -> OutcomeRecord:
        if self.journal.is_withdrawn(conversation_id, {*outcome.covers, *outcome.saw}):
            logs.info("reply_withheld", reason="withdrawn")
            return replace(outcome, kind=OutcomeKind.WITHDRAWN, text=None)
        bubbles = split_at_graphemes(outcome.text or "")[:_BUBBLES]
        started_s = self.clock.monotonic_s()
        try:
            spent = spend_reply_token(
                self.line, reply_token, bubbles, clock=self.clock, deadline=Deadline.after(self.clock, _SECONDS)
            )
        except LineRefusedError as cause:
            logs.error("reply_refused", cause=cause, reason=str(cause))
            spent = SpentReply(delivered=False)
        kind = _kind(outcome.kind, delivered=spent.delivered)
        duration_ms = round((self.clock.monotonic_s() - started_s) * 1_000)
        event = {True: "reply_sent", False: "reply_undelivered", None: "reply_fate_unknown"}[spent.delivered]
        log = logs.info if spent.delivered else logs.warning
        log(event, outcome=kind.value, bubbles=len(bubbles), duration_ms=duration_ms)
        return replace(outcome, kind=kind, sent_message_ids=spent.sent_message_ids)


def _kind(kind: OutcomeKind, *, delivered: bool | None) -> OutcomeKind:
    if delivered is None:
        return OutcomeKind.UNKNOWN
    return kind if delivered else OutcomeKind.UNDELIVERED
