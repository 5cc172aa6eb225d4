"""Bring a committed outcome to its end: say it, at most once, and write down what the user saw."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from shared import logs
from shared.clock import SKEW_MS, Clock, Deadline
from shared.conversation.filed import Filed
from shared.conversation.history import ANSWERABLE_MS
from shared.conversation.journal import Journal
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.turn import HeldTurn, Route
from shared.errors import LineRefusedError
from shared.line.bubbles import answer_messages, fixed_messages
from shared.line.messaging import (
    OutgoingMessage,
    PostbackButton,
    PushApi,
    ReplyApi,
    SpentReply,
    push_until_known,
    spend_reply_token,
)
from shared.line.phrases import Phrase
from shared.line.postback_data import confirm_forget_data, show_answer_data
from shared.turns.late_reply import LateReply

# Source: LINE, "Send reply message": a token works within one minute after receiving the webhook; clocks differ, and events travel
TOKEN_SURELY_ALIVE_MS: Final = 53_000
TOKEN_SURELY_DEAD_MS: Final = 65_000
_SECONDS: Final = 10.0
_SAID_BY_TURNS: Final = frozenset({OutcomeKind.REPLIED, OutcomeKind.APOLOGISED, OutcomeKind.DEFERRED})
_RETRY_KEYS: Final = uuid.UUID("f1d1a7b5-3f0e-5d7c-9a61-6b0f3f1f6c2e")


class Messenger(ReplyApi, PushApi, Protocol):
    """The two calls of LINE's Messaging API that send something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Says what was committed.  Nothing is ever sent that was not committed first."""

    journal: Journal
    line: Messenger
    clock: Clock = field(repr=False)
    late_reply: LateReply
    phrase: Callable[[Phrase], str] = field(repr=False)
    filed: Filed

    def routes(self, pending: Sequence[MessageRecord]) -> tuple[Route, ...]:
        """Return the ways to whoever asked: the tokens that may be alive, the freshest first, then a push if that is wanted."""
        alive = (one for one in pending if self.clock.now_ms() - one.received_ms < TOKEN_SURELY_DEAD_MS)
        fresh = sorted(alive, key=lambda one: one.received_ms, reverse=True)
        tokens = (Route(kind="token", reply_token=one.reply_token, received_ms=one.received_ms) for one in fresh)
        may_push = self.late_reply is LateReply.PUSH and self._is_young(max(one.timestamp_ms for one in pending))
        return (*tokens, *([Route(kind="push")] if may_push else ()))

    def finish(self, held: HeldTurn, *, taken_over: bool, spare: Sequence[Route] = ()) -> OutcomeRecord | None:
        """Return the outcome as recorded; its kind tells what the user saw.

        None: something that it repeats was taken back before anybody asked LINE, so the turn is idle and has to be thought again, for the
        others; or the turn was lost on the way. `spare` are the routes that come next where LINE refuses the committed one.
        Repeated, by whoever takes over: same text, same route, one record.
        """
        outcome = held.record.outcome
        assert outcome is not None  # noqa: S101 - the turn is committed
        if outcome.holds_words:
            if self.journal.amendments.look(held.conversation_id).touch(outcome):
                logs.info("reply_withheld", reason="withdrawn")
                if not taken_over:
                    held.release()
                    return None
                outcome = outcome.without_words(OutcomeKind.WITHDRAWN)
                if not held.amend(outcome, held.record.route):
                    return None
            elif outcome.text is not None:
                spoken = self._spoken(held, outcome, taken_over=taken_over, spare=spare)
                if spoken is None:
                    return None
                outcome = spoken
        elif outcome.kind in _SAID_BY_TURNS:  # its words were taken out of the turn
            outcome = outcome.without_words(OutcomeKind.WITHDRAWN)
        if held.is_over or not self._filed(held, outcome):
            return None
        if self.journal.record_outcome(held.conversation_id, replace(outcome, writes=())):
            held.amend(outcome.without_words(), held.record.route)
        return outcome

    def _filed(self, held: HeldTurn, outcome: OutcomeRecord) -> bool:
        """Return whether what the outcome stages is written, but for what was taken back or edited while it was.

        The look comes after the writes and before the record: whoever takes over repeats both, and what is amended later finds the writes.
        """
        if not self.filed.apply(held.conversation_id, outcome, is_over=lambda: held.is_over):
            return False
        if outcome.writes:
            amendments = self.journal.amendments.look(held.conversation_id)
            if amendments.concern(outcome):
                self.filed.take_out(held.conversation_id, amendments)
        return True

    def _spoken(
        self, held: HeldTurn, outcome: OutcomeRecord, *, taken_over: bool, spare: Sequence[Route]
    ) -> OutcomeRecord | None:
        """Go the committed route; where LINE refuses it, commit to the next one and go that.

        None: the words were taken back on the way, and it is certain that nothing arrived; or somebody else has taken over.
        """
        for route in (held.record.route, *(one for one in spare if one != held.record.route)):
            if route != held.record.route:
                if route.kind == "token" and self._is_dead(route):  # it died while the model thought
                    continue
                if not held.amend(outcome, route):
                    return None
                if held.record.outcome is None or not held.record.outcome.holds_words:
                    held.release()
                    return None
            if held.is_over:
                return None
            spent = self._gone(held, outcome, taken_over=taken_over)
            if spent.delivered is not False:
                return _told(outcome, spent)
        return _told(outcome, SpentReply(delivered=False))

    def _gone(self, held: HeldTurn, outcome: OutcomeRecord, *, taken_over: bool) -> SpentReply:
        """Go the turn's route.  A token of a dead holder that is refused was spent while it is young; of an older one nobody knows."""
        route, deadline = held.record.route, Deadline.after(self.clock, _SECONDS)
        try:
            match route:
                case Route(kind="token", reply_token=str(token)):
                    messages = self._messages(outcome)
                    alive_until_ms = route.received_ms + TOKEN_SURELY_ALIVE_MS
                    spent = spend_reply_token(
                        self.line,
                        token,
                        messages,
                        surely_alive_until_ms=alive_until_ms,
                        clock=self.clock,
                        deadline=deadline,
                    )
                    if taken_over and spent.delivered is False:
                        is_young = self.clock.now_ms() < alive_until_ms
                        return SpentReply(delivered=True if is_young else None)
                    return spent
                case Route(kind="push"):
                    return self._pushed(held, outcome, deadline, taken_over=taken_over)
                case _:
                    return SpentReply(delivered=False)
        except LineRefusedError as cause:
            logs.error("reply_refused", cause=cause, reason=str(cause))
            return SpentReply(delivered=False)

    def _pushed(self, held: HeldTurn, outcome: OutcomeRecord, deadline: Deadline, *, taken_over: bool) -> SpentReply:
        """Push under a key that is the outcome's own, so that whoever repeats it repeats nothing to the user."""
        if not self._is_young(outcome.timestamp_ms):
            return SpentReply(delivered=None if taken_over else False)
        fate = push_until_known(
            self.line,
            held.conversation_id,
            self._messages(outcome),
            retry_key=str(uuid.uuid5(_RETRY_KEYS, f"{held.conversation_id}/{outcome.webhook_event_id}")),
            clock=self.clock,
            deadline=deadline,
        )
        match fate.kind:
            case "accepted" | "already_accepted":
                return SpentReply(delivered=True, sent_message_ids=fate.sent_message_ids)
            case "unknown":
                return SpentReply(delivered=None)
            case "quota_spent":
                logs.error("push_quota_spent")
        return SpentReply(delivered=None if taken_over else False)

    def _messages(self, outcome: OutcomeRecord) -> Sequence[OutgoingMessage]:
        text = outcome.text or ""
        if outcome.has_button:
            button = PostbackButton(
                label=self.phrase(Phrase.SHOW_BUTTON), data=show_answer_data(outcome.webhook_event_id)
            )
            return [OutgoingMessage(text=text, button=button)]
        if outcome.asks_to_forget:
            button = PostbackButton(
                label=self.phrase(Phrase.FORGET_BUTTON), data=confirm_forget_data(outcome.webhook_event_id)
            )
            return [OutgoingMessage(text=text, button=button)]
        is_the_models = outcome.model_name is not None
        return (answer_messages if is_the_models else fixed_messages)(text, quote_token=outcome.quote_token)

    def _is_dead(self, route: Route) -> bool:
        return self.clock.now_ms() - route.received_ms >= TOKEN_SURELY_DEAD_MS

    def _is_young(self, timestamp_ms: int) -> bool:
        return self.clock.now_ms() + SKEW_MS - timestamp_ms < ANSWERABLE_MS


def _told(outcome: OutcomeRecord, spent: SpentReply) -> OutcomeRecord:
    kind = outcome.kind
    if spent.delivered is None:
        kind = OutcomeKind.UNKNOWN
    elif not spent.delivered:
        kind = OutcomeKind.UNDELIVERED
    event = {True: "reply_sent", False: "reply_undelivered", None: "reply_fate_unknown"}[spent.delivered]
    log = logs.info if spent.delivered else logs.warning
    log(event, outcome=kind.value, bubbles=len(spent.sent_message_ids))
    return replace(outcome, kind=kind, sent_message_ids=spent.sent_message_ids)
