"""The outbox: deliver a committed outcome once, apply the staged writes, and record what the user saw."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Final, Protocol

from shared import logs
from shared.clock import SKEW_MS, Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.pushes import PushAllowance
from shared.conversation.records import ANSWERABLE_MS, Audit, MessageRecord, Offer, OutcomeKind, OutcomeRecord
from shared.conversation.silences import SilenceKind
from shared.conversation.store import Conversation
from shared.conversation.turn import Route
from shared.conversation.word_holder import WordHolder, begin_removals
from shared.errors import LineRefusedError
from shared.frozen import frozen
from shared.line.bubbles import answer_messages, card_messages, fixed_messages, length_of, longest_answer
from shared.line.cards.card import Card, card_in
from shared.line.cards.sources import card_apart, sources_apart
from shared.line.language import language_of
from shared.line.messaging import (
    MESSAGES_A_CALL,
    SENDING_S,
    Messenger,
    OutgoingMessage,
    ReplyToken,
    SendResult,
    push_until_known,
    reply_deadline,
    spend_reply_token,
)
from shared.line.phrases import Phrases
from shared.turns.asking import Asking
from shared.turns.deferral import LateReply
from shared.turns.last_look import LastLook
from shared.turns.lease import Lease
from shared.turns.repetition import Repetition
from shared.turns.suggesting import Suggesting

ENDING_S: Final = 5.0
"""Seconds that a turn takes apart from thinking and sending: to commit, to record, and to end calls that are under way."""
_NEXT_TURN_S: Final = 1.5
"""Seconds that a translation leaves to the next turn's opening before it writes the turn itself."""
_SENT_BY_TURNS: Final = frozenset({OutcomeKind.REPLIED, OutcomeKind.APOLOGISED, OutcomeKind.DEFERRED})
_RETRY_KEYS: Final = uuid.UUID("f1d1a7b5-3f0e-5d7c-9a61-6b0f3f1f6c2e")


class StagedWriter(Protocol):
    """Writes what turns staged.  Raises StorageUnavailableError when the bucket does not answer in time."""

    def apply(self, conversation: Conversation, outcome: OutcomeRecord, lease: Lease) -> bool:
        """Return whether every staged write of the outcome is in its object; False: the lease ended first.

        Only the holder of the turn calls this, before the outcome is recorded. The lease is checked before each write, because a late write
        could bring back what a later turn deleted. An outcome without writes: does nothing. A write that was made before, or overtaken by a
        later outcome: is skipped. Repeated, also after a part of the writes: does the rest.
        """
        ...


class Attachments(Protocol):
    """Messages after the text of an outcome."""

    def of(self, outcome: OutcomeRecord) -> Sequence[OutgoingMessage]:
        """Return the messages after the text.  Repeated, also by a worker that takes over: the same messages."""
        ...


@frozen
class Outbox:
    """Delivers committed outcomes.  Nothing is sent before it is committed.

    `translated_between` returns the languages between which a chat has translation on, for the questions that concern it.
    """

    line: Messenger
    staged: StagedWriter
    holders: Sequence[WordHolder]
    attachments: Attachments | None = None
    phrases: Phrases
    late_reply: LateReply
    is_rich: bool = True
    pushes: PushAllowance | None = None
    translated_between: Callable[[Conversation], Sequence[str]] = field(default=lambda _: (), repr=False)
    clock: Clock = field(repr=False)

    def routes(self, pending: Sequence[MessageRecord]) -> tuple[Route, ...]:
        """Return the routes to the people who asked: tokens that may be alive, the freshest first, then a push if pushes are configured.

        Example: tokens received at 12:00:00 and at 12:00:05 give two routes, first the token of 12:00:05.
        """
        tokens = (message.reply_token for message in pending)
        alive = (
            message for message in tokens if message is not None and not message.is_surely_dead(self.clock.now_ms())
        )
        fresh = sorted(alive, key=lambda message: message.received_ms, reverse=True)
        may_push = self.late_reply is LateReply.PUSH and self._is_young(
            max(message.timestamp_ms for message in pending)
        )
        return (*map(Route.on, fresh), *([Route(kind="push")] if may_push else ()))

    def finish(  # noqa: PLR0913 - what a delivery of an outcome rests on
        self,
        lease: Lease,
        outcome: OutcomeRecord,
        *,
        deadline: Deadline,
        looking: LastLook | None = None,
        is_takeover: bool = False,
        spare: Sequence[Route] = (),
        is_outdated: Callable[[], bool] = lambda: False,
        in_silence: Callable[[SilenceKind], str | None] | None = lambda _: None,
        on_sent: Callable[[OutcomeRecord], None] = lambda _: None,
    ) -> OutcomeRecord | None:
        """Deliver the turn's committed outcome; return the recorded outcome, whose kind says what the user saw.

        While LINE is down, the call is repeated for as long as the token lives and the request's `deadline` leaves time to
        record the result. None: words that the outcome repeats were withdrawn before sending, so the turn is idle and
        has to think again; or the turn was lost. `looking`: a look that was begun along with the commit. `spare`: the next
        routes if LINE refuses the committed route. `is_outdated`: whether the turn has to think again about more messages; asked
        after the look, before anything is sent. `in_silence` returns what is sent in a silence instead of the answer, or None for nothing;
        without it, the answer is sent in a silence, too. `on_sent` gets the outcome with its fate, before the record: the next turn opens
        after the call.
        Repeated, after a takeover: same text, same route, one record.
        """
        conversation = lease.conversation
        if outcome.holds_words:
            if looking is None or not looking.is_recent:
                looking = LastLook.begin(conversation, outcome, clock=self.clock)
            amendments = looking.end_look()
            sent: OutcomeRecord | None = outcome
            if amendments.redact(outcome) is not outcome:
                sent = self._withhold(lease, outcome, may_have_arrived=is_takeover)
            elif in_silence is not None and (silence := looking.silence()) is not None:
                send = partial(self._send, lease, deadline=deadline, is_takeover=False, spare=spare)
                sent = self._keep_silent(lease, outcome, in_silence(silence), send, may_have_arrived=is_takeover)
            elif is_outdated():
                logs.info("reply_withheld", reason="follow_up")
                lease.release()
                return None
            elif outcome.is_spoken:
                sent = self._send(lease, outcome, deadline, is_takeover=is_takeover, spare=spare)
            if sent is None or not self._is_untold(lease, sent):
                return None
            outcome = sent
        elif outcome.kind in _SENT_BY_TURNS:  # its words were redacted in the turn
            outcome = outcome.without_words(OutcomeKind.WITHDRAWN)
        if lease.is_over or not self._apply_staged(lease, outcome):
            return None
        on_sent(outcome)
        self._record(lease, outcome)
        return outcome

    def _withhold(self, lease: Lease, outcome: OutcomeRecord, *, may_have_arrived: bool) -> OutcomeRecord | None:
        """Stop sending a withdrawn text.

        If the text certainly did not arrive, the turn becomes idle, and its messages are thought about again; otherwise the outcome goes on
        without text. None also if the turn was lost.
        """
        logs.info("reply_withheld", reason="withdrawn")
        if not may_have_arrived:
            lease.release()
            return None
        without_words = outcome.without_words(OutcomeKind.WITHDRAWN)
        return without_words if lease.amend(without_words, lease.record.route) else None

    def _keep_silent(
        self,
        lease: Lease,
        outcome: OutcomeRecord,
        text: str | None,
        send: Callable[[OutcomeRecord], OutcomeRecord | None],
        *,
        may_have_arrived: bool,
    ) -> OutcomeRecord | None:
        """Do not send an answer that was thought about before a pause or handover began, and write nothing that it staged.

        After a takeover the former holder may have sent the answer, and made a part of the writes: the outcome keeps its words, and the
        other writes are made. Its messages count as answered; `text` is sent, and tells the presses among them that nothing was done.
        Reminders in the answer, and notices, wait for the next answer; a button can be pressed again. None: the turn was lost.
        """
        logs.info("reply_withheld", reason="silence")
        if may_have_arrived:
            silent = replace(outcome, kind=OutcomeKind.UNKNOWN)
        else:
            silent = replace(outcome.without_words(OutcomeKind.SKIPPED), answers=(), reminders=(), notices=None)
            if text is not None:
                silent = replace(silent, audit=Audit(usage=outcome.audit.usage), offer=Offer())
                silent = silent.with_fixed_text(text, OutcomeKind.REPLIED)
        if not lease.amend(silent, lease.record.route):
            return None
        return send(silent) if silent.kind is OutcomeKind.REPLIED else silent

    def _is_untold(self, lease: Lease, outcome: OutcomeRecord) -> bool:
        """If the outcome was to tell of a spent budget and certainly did not arrive, the chat is told again; False: the turn was lost.

        Before the record, because the next turn opens after it.
        """
        is_lost = outcome.kind is OutcomeKind.UNDELIVERED and outcome.tells_limit
        return not is_lost or lease.amend(outcome, lease.record.route)

    def _record(self, lease: Lease, outcome: OutcomeRecord) -> None:
        """Record the outcome; afterwards neither journal nor turn holds withdrawn words, or writes that were applied.

        Who waits may open the next turn from the record on, and drops the translations with that: the bucket takes one write of the turn
        a second, so the holder drops them only where nobody has.
        """
        translations = outcome.translations.without_texts() if outcome.translations is not None else None
        offer = replace(outcome.offer, card="", token_of="", feed_url="")
        recorded = replace(outcome, writes=(), notices=None, translations=translations, offer=offer)
        if lease.conversation.journal.record_outcome(recorded):
            lease.amend(outcome.without_words(), lease.record.route)
        elif recorded != outcome:
            if outcome.translations is not None and lease.left_s > _NEXT_TURN_S:
                self.clock.sleep(_NEXT_TURN_S)
            lease.amend(recorded, lease.record.route)

    def _apply_staged(self, lease: Lease, outcome: OutcomeRecord) -> bool:
        """Return whether the staged writes are made; afterwards no entry holds words that were withdrawn or edited meanwhile.

        The amendments are read after the writes and before the record: a takeover repeats both, and a later amendment finds the writes. The
        amendments are read even if the lease ended or a write failed: a stalled write may take effect after both passes of a withdrawal.
        """
        conversation = lease.conversation
        try:
            return self.staged.apply(conversation, outcome, lease)
        finally:
            if outcome.writes:
                amendments = conversation.amendments.look()
                if _may_affect_entries(amendments, outcome):
                    begin_removals(self.holders, conversation)(amendments)

    def _send(
        self, lease: Lease, outcome: OutcomeRecord, deadline: Deadline, *, is_takeover: bool, spare: Sequence[Route]
    ) -> OutcomeRecord | None:
        """Send along the committed route; if LINE refuses, commit to the next route and send along it."""
        for route in (lease.record.route, *(one for one in spare if one != lease.record.route)):
            if route != lease.record.route:
                if route.reply_token is not None and route.reply_token.is_surely_dead(self.clock.now_ms()):
                    continue  # the token died while the model thought
                if not lease.amend(outcome, route):
                    return None
                if lease.record.outcome is None or not lease.record.outcome.holds_words:
                    lease.release()
                    return None
            if lease.is_over:
                return None
            repetition = Repetition(lease=lease, outcome=outcome)
            send_result = self._send_along(repetition, deadline, is_takeover=is_takeover)
            if repetition.is_withdrawn and send_result.is_delivered is not True:
                return self._withhold(lease, outcome, may_have_arrived=send_result.is_delivered is None)
            if send_result.is_delivered is not False:
                return _with_fate(outcome, send_result, since_received_ms=self._since_received_ms(lease.record.route))
        return _with_fate(outcome, SendResult(is_delivered=False))

    def _since_received_ms(self, route: Route | None) -> int | None:
        """Return the age of the route's token; None for a push."""
        token = route.reply_token if route is not None else None
        return self.clock.now_ms() - token.received_ms if token is not None else None

    def _send_along(self, repetition: Repetition, deadline: Deadline, *, is_takeover: bool) -> SendResult:
        """Send along the committed route."""
        lease, outcome = repetition.lease, repetition.outcome
        route = lease.record.route
        try:
            if route.reply_token is not None:
                return self._reply(route.reply_token, repetition, deadline, is_takeover=is_takeover)
            if route.kind == "push":
                sending = Deadline.after(self.clock, min(SENDING_S, lease.left_s))
                return self._push(lease.conversation, outcome, sending, is_takeover=is_takeover)
            return SendResult(is_delivered=False)
        except LineRefusedError as cause:
            logs.error("reply_refused", cause=cause, reason=str(cause))
            return SendResult(is_delivered=False)

    def _reply(self, token: ReplyToken, repetition: Repetition, deadline: Deadline, *, is_takeover: bool) -> SendResult:
        """Spend the token, repeating the call until the token may be dead.  After a takeover, the former holder may have made the call."""
        return spend_reply_token(
            self.line,
            token,
            self._messages(repetition.lease.conversation, repetition.outcome),
            clock=self.clock,
            deadline=reply_deadline(token, self.clock, latest=deadline.earlier(ENDING_S)),
            may_have_arrived=is_takeover,
            may_repeat=repetition.may_repeat,
        )

    def _push(
        self, conversation: Conversation, outcome: OutcomeRecord, deadline: Deadline, *, is_takeover: bool
    ) -> SendResult:
        """Push under a retry key made from the outcome's id, so that a repeated push is shown once."""
        if not self._is_young(outcome.timestamp_ms):
            return SendResult(is_delivered=None if is_takeover else False)
        if self.pushes is not None and self.pushes.take(conversation, outcome.webhook_event_id, is_reminder=False):
            logs.warning("push_not_allowed")
            return SendResult(is_delivered=None if is_takeover else False)
        fate = push_until_known(
            self.line,
            conversation.id,
            self._messages(conversation, outcome),
            retry_key=str(uuid.uuid5(_RETRY_KEYS, f"{conversation.id}/{outcome.webhook_event_id}")),
            deadline=deadline,
        )
        match fate.kind:
            case "accepted" | "already_accepted":
                return SendResult(is_delivered=True, sent_message_ids=fate.sent_message_ids)
            case "unknown":
                return SendResult(is_delivered=None)
            case "quota_spent":
                logs.error("push_quota_spent")
        return SendResult(is_delivered=None if is_takeover else False)

    def _messages(self, conversation: Conversation, outcome: OutcomeRecord) -> Sequence[OutgoingMessage]:
        """Return the bubbles, below the notices that are sent along; translations, and the receipts of ticks, make no sound on phones."""
        if outcome.translated_texts and outcome.translations is not None:
            return tuple(
                OutgoingMessage(text=bubble.text, quote_token=bubble.quote_token, is_silent=True)
                for bubble in outcome.translations.bubbles
                if bubble.text
            )
        if outcome.notices is None or not outcome.notices.text:
            messages = self._answer_messages(conversation, outcome, at_most=MESSAGES_A_CALL)
            return [replace(message, is_silent=True) for message in messages] if outcome.is_silent else messages
        notices = OutgoingMessage(text=outcome.notices.text)
        if outcome.text is None:
            return (notices,)
        return (notices, *self._answer_messages(conversation, outcome, at_most=MESSAGES_A_CALL - 1))

    def _answer_messages(
        self, conversation: Conversation, outcome: OutcomeRecord, *, at_most: int
    ) -> Sequence[OutgoingMessage]:
        """Return the bubbles of the outcome's text, with buttons in its language."""
        locale = outcome.offer.locale or language_of((outcome.text or "",), default=self.phrases.locale)
        asking = Asking(
            phrases=self.phrases,
            is_rich=self.is_rich,
            translated_between=partial(self.translated_between, conversation),
        )
        alone = asking.alone(outcome, locale)
        if alone is not None:
            return [alone]
        suggesting = Suggesting(phrases=self.phrases, is_rich=self.is_rich, is_one_on_one=conversation.is_one_on_one)
        text, asks = asking.below(outcome, locale)
        if asks:
            room = _room_of(text, at_most - len(asks), besides=suggesting.messages_of(outcome))
            bubbles = answer_messages(text, quote_token=outcome.quote_token, at_most=room)
            return suggesting.added_to((*bubbles, *asks), outcome, at_most=at_most)
        attached = tuple(map(asking.drawn, self.attachments.of(outcome))) if self.attachments is not None else ()
        for message in attached:
            text = text.removesuffix(message.text).rstrip()  # told once, below
        is_of_the_model = outcome.audit.model_name is not None
        card = card_in(outcome.offer.card) if self.is_rich else None
        if card is not None and not is_of_the_model:
            return (*card_messages(text, card), *attached)[:at_most]
        room = _room_of(text, at_most - len(attached), besides=suggesting.messages_of(outcome))
        words = (
            self._answer(text, outcome, card, at_most=room)
            if is_of_the_model
            else fixed_messages(text, quote_token=outcome.quote_token)
        )
        return suggesting.added_to((*words, *attached[: at_most - len(words)]), outcome, at_most=at_most)

    def _answer(
        self, text: str, outcome: OutcomeRecord, card: Card | None, *, at_most: int
    ) -> Sequence[OutgoingMessage]:
        """Return an answer of the model in bubbles, with its card and the links of its sources on cards below.

        Without the cards, which say what the text says, where there would be no room for all of its words.
        """
        words, source_text, sources = sources_apart(text) if self.is_rich else (text, "", None)
        words, card_text = card_apart(words, card) if card is not None else (words, "")
        below = [
            OutgoingMessage(text=alt_text, card=drawn)
            for alt_text, drawn in ((card_text, card), (source_text, sources))
            if alt_text and drawn is not None
        ]
        if length_of(words) > longest_answer(at_most=at_most - len(below)):
            return answer_messages(text, quote_token=outcome.quote_token, at_most=at_most)
        bubbles = answer_messages(words, quote_token=outcome.quote_token, at_most=at_most - len(below))
        return (*bubbles, *below)

    def _is_young(self, timestamp_ms: int) -> bool:
        return self.clock.now_ms() + SKEW_MS - timestamp_ms < ANSWERABLE_MS


def _room_of(text: str, at_most: int, *, besides: int) -> int:
    """Return how many of `at_most` bubbles the text may fill: all but those `besides` it, unless the text would then be cut."""
    return at_most - besides if length_of(text) <= longest_answer(at_most=at_most - besides) else at_most


def _may_affect_entries(amendments: Amendments, outcome: OutcomeRecord) -> bool:
    """Whether a message behind the outcome, or behind entries, was withdrawn, erased or edited."""
    provenance = outcome.provenance
    is_edited = provenance.names_any_message(amendments.edits.keys())
    return provenance.is_affected_by(amendments) or amendments.erased_entries_ms >= 0 or is_edited


def _with_fate(
    outcome: OutcomeRecord, send_result: SendResult, *, since_received_ms: int | None = None
) -> OutcomeRecord:
    kind = outcome.kind
    if send_result.is_delivered is None:
        kind = OutcomeKind.UNKNOWN
    elif not send_result.is_delivered:
        kind = OutcomeKind.UNDELIVERED
    event = {True: "reply_sent", False: "reply_undelivered", None: "reply_fate_unknown"}[send_result.is_delivered]
    log = logs.info if send_result.is_delivered else logs.warning
    log(
        event,
        outcome=kind.value,
        is_over_limit=outcome.audit.is_over_limit,
        bubbles=len(send_result.sent_message_ids),
        since_received_ms=since_received_ms,
    )
    return replace(outcome, kind=kind, sent_message_ids=send_result.sent_message_ids)
