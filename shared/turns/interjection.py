"""Interjections: if the group policy allows it, the model may answer a message that does not address the bot.

An interjection takes the chat's turn only if the turn is free and no message waits. The model thinks for ten seconds at most. The answer
covers only the overheard message, and goes on that message's reply token, never by a push. Failures stay silent: if the worker dies, the
message stays context. Later prompts may hold the cause, too, so no interjection follows until the bot has answered a message, or for 20
minutes.
"""

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Final

from shared import logs
from shared.access.budgets import Budgets
from shared.bus.result import EventResult
from shared.clock import Clock, Deadline
from shared.conversation.history import History
from shared.conversation.history_reader import Listing, newest_words_of
from shared.conversation.records import ANSWERABLE_MS, MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.spending import Spending, weighted_tokens
from shared.conversation.store import Conversation
from shared.conversation.turn import FENCE, Route, StoredTurn
from shared.errors import AizuchiError, PromptAmendedError
from shared.frozen import frozen
from shared.line.messaging import SENDING_S
from shared.line.phrases import Phrases
from shared.metering import Meter, log_usage, metered
from shared.turns.agenda import Agenda
from shared.turns.attempt import Attempt
from shared.turns.free_token import is_told_on_token_of
from shared.turns.lease import Lease
from shared.turns.outbox import ENDING_S, Outbox
from shared.turns.question import Question, Responder
from shared.turns.runner import TurnDelivery, TurnRunner

EVERY_MS: Final = 30_000
"""What nobody asked for waits so long after the last write of the chat's turn, so that a model that is down does not hold it forever."""
_SECONDS: Final = 10.0
_TO_THINK: Final = 0.5  # the part of the fence in which the model may think: the lease is not renewed meanwhile


@frozen
class Interjection:
    """Lets the model interject, at most once in 30 seconds a chat."""

    runner: TurnRunner
    responder: Responder
    outbox: Outbox
    phrases: Phrases
    budgets: Budgets
    clock: Clock = field(repr=False)

    def __call__(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> EventResult:
        """The message, which the journal holds as context, may have been answered, by the deadline of the request.

        Repeated: the model is not asked again about a message that has an outcome. Raises: StorageUnavailableError, before anything was
        sent.
        """
        stored_turn = (
            conversation.turn.read()
        )  # before the chat: an outcome that is recorded between the two readings is found
        now_ms = self.clock.now_ms()
        is_late = now_ms - message.timestamp_ms >= ANSWERABLE_MS
        if (
            is_late
            or stored_turn.record.next_tries(now_ms) > 0
            or is_too_soon(conversation, stored_turn, now_ms=now_ms)
        ):
            return EventResult.KEPT_AS_CONTEXT
        work = _InterjectionDelivery(interjection=self, conversation=conversation, own=message, deadline=deadline)
        delivery = TurnDelivery(event=message.line_message_id, sent_ms=message.timestamp_ms, asks_model=True, work=work)
        outcome = self.runner.try_once(conversation, delivery, stored_turn)
        return EventResult.KEPT_AS_CONTEXT if outcome is None else EventResult(outcome.kind)


def is_too_soon(conversation: Conversation, stored_turn: StoredTurn, *, now_ms: int) -> bool:
    """Whether the turn is held, or was written less than 30 s ago, so that nothing is said that nobody asked for.

    A holder's write begins a lease, so `expires_ms` shows the time of the last write. Example: a lease of 25 s that expires at 12:00:25
    was written at 12:00:00, and no interjection begins before 12:00:30.
    """
    written_ms = stored_turn.record.expires_ms - round(conversation.turn.lease_s * 1_000)
    free_ms = 0 if stored_turn.record.state == "idle" else stored_turn.record.expires_ms
    return now_ms < max(free_ms, written_ms + EVERY_MS)


@frozen
class _InterjectionDelivery:
    interjection: Interjection
    conversation: Conversation
    own: MessageRecord
    deadline: Deadline

    def spends(self, spending: Spending) -> Spending:
        return self.interjection.budgets.opened(spending)

    def has_work_by_name(self, stored_turn: StoredTurn, listing: Listing) -> bool:  # noqa: ARG002 - the port's own words
        return False

    def result_in(self, history: History, unfinished: OutcomeRecord | None) -> EventResult | None:
        """Work remains only if no message is pending, no outcome is unfinished, and this message is neither covered nor withdrawn.

        Nothing else was told on its token, either.
        """
        has_better_to_do = (
            not _have_token(self.interjection.outbox.routes([self.own]))
            or unfinished is not None
            or bool(history.pending(self.own, now_ms=self.interjection.clock.now_ms()))
            or self.own.line_message_id in history.covered
            or is_told_on_token_of(self.own, history)
            or history.amendments.hides(self.own)
        )
        return EventResult.KEPT_AS_CONTEXT if has_better_to_do else None

    def take_turn(self, lease: Lease, history: History) -> OutcomeRecord | None:
        own = newest_words_of(self.own, self.conversation, history)
        attempt = Attempt.begin(
            lease,
            history,
            Agenda(covers=(own,), asked=(own,)),
            outbox=self.interjection.outbox,
            phrases=self.interjection.phrases,
            deadline=self._sent_by,
        )
        is_alive = _have_token(attempt.routes)  # the token may be too old by now
        is_possible = is_alive and lease.record.spending.is_reserved
        outcome = self._decide(attempt) if is_possible else None
        if outcome is None:
            lease.release()
            return None
        return self._finish(attempt, outcome)

    @property
    def _sent_by(self) -> Deadline:
        """The latest time to send: nobody waits for an interjection, so the call is repeated only for a short time."""
        return self.deadline.within(SENDING_S + ENDING_S)

    def _decide(self, attempt: Attempt) -> OutcomeRecord | None:
        """Return the decided outcome; None if something in the prompt was amended."""
        question = Question(
            conversation=self.conversation,
            history=attempt.history,
            asked=attempt.agenda.asked,
            draft=attempt.draft,
            basis=attempt.basis,
            deadline=self.deadline.within(min(_SECONDS, self.conversation.turn.lease_s * FENCE * _TO_THINK)),
            sequence=attempt.lease.record.sequence + 1,
            chosen_locale=attempt.lease.record.chosen_locale,
            is_overheard=True,
        )
        meter = Meter(self.conversation.id, is_of_turn=True)
        try:
            with metered(meter):
                outcome = self.interjection.responder.respond(question)
        except PromptAmendedError:
            return None
        log_usage(meter, weigh=weighted_tokens)
        outcome = replace(
            outcome,
            writes=(),
            audit=replace(outcome.audit, usage=meter.usage, filed_paths=(), filed_confidence=None),
        )
        if outcome.kind is OutcomeKind.REPLIED:
            return outcome
        return replace(outcome, kind=OutcomeKind.SKIPPED, text=None, audit=replace(outcome.audit, is_over_limit=False))

    def _finish(self, attempt: Attempt, outcome: OutcomeRecord) -> OutcomeRecord | None:
        committed = attempt.lease.commit(outcome, attempt.routes[0], basis=attempt.basis_of(outcome))
        if committed is None:
            return None
        try:
            return self.interjection.outbox.finish(attempt.lease, committed, deadline=self._sent_by)
        except AizuchiError as cause:  # the next delivery of the chat takes the turn over and finishes it
            logs.warning("chiming_failed", error_type=type(cause).__name__)
            return None


def _have_token(routes: Sequence[Route]) -> bool:
    """Whether the first of the routes is a reply token: an answer that nobody asked for is never pushed."""
    return bool(routes) and routes[0].reply_token is not None
