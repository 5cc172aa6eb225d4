"""Reply to a message: record it, take the chat's turn, think, commit, send.  Messages that arrive meanwhile get the same answer."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from shared import logs
from shared.access.budgets import Budgets
from shared.bus.result import EventResult
from shared.clock import Clock, Deadline
from shared.conversation.due import DueMarkers
from shared.conversation.history import History
from shared.conversation.history_reader import Listing, newest_words_of
from shared.conversation.media import Fetches
from shared.conversation.member_mark import mark_id
from shared.conversation.quoted_media import QuotedMedia
from shared.conversation.records import Audit, MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.silences import SilenceKind, SilencesRecord
from shared.conversation.spending import Spending, weighted_tokens
from shared.conversation.store import Conversation
from shared.conversation.turn import StoredTurn
from shared.conversation.withdrawal import Withdrawal
from shared.errors import FollowUpError, PromptAmendedError
from shared.frozen import frozen
from shared.line.messaging import SENDING_S
from shared.line.phrases import Phrases
from shared.metering import Meter, log_usage, metered
from shared.turns.additions import Additions, AllAdditions
from shared.turns.agenda import agenda_of
from shared.turns.attempt import MODEL_S, Attempt
from shared.turns.background import Background, Event
from shared.turns.follow_ups import MOST_ASKED_ANEW, FollowUpWatch, author_of, authors_of, ids_in
from shared.turns.free_token import is_told_on_token_of
from shared.turns.image_sets import ImageSets
from shared.turns.lease import Lease
from shared.turns.outbox import Outbox
from shared.turns.question import ConfirmedChanges, Question, Responder
from shared.turns.ready_answers import ReadyAnswers
from shared.turns.runner import Run, TurnDelivery, TurnRunner, Waiting
from shared.turns.waiting_room import Place

REPLY: Final = "reply"
RESUME_S: Final = 62.0
"""A tick begins with a marker only while this much of its request is left."""
_TRIES_WITH_CONTEXT: Final = 2
_THOUGHTS_WITH_CONTEXT: Final = 2  # each of them ended because something in its prompt was edited or withdrawn
_ABANDONED_S: Final = 12.0  # an abandoned request takes no longer; by then its tokens are charged
_TAP_S: Final = 8.0  # to carry out a change that was proposed before


@frozen
class Reply:
    """Replies to addressed messages, and to presses of the button under "still thinking"."""

    runner: TurnRunner
    responder: Responder
    changes: ConfirmedChanges
    quoted: QuotedMedia
    image_sets: ImageSets
    outbox: Outbox
    withdrawal: Withdrawal
    background: Background = field(repr=False)
    requests: Executor = field(repr=False)
    new_event: Callable[[], Event] = field(default=threading.Event, repr=False)
    phrases: Phrases
    budgets: Budgets
    additions: Additions = field(default_factory=AllAdditions)
    clock: Clock = field(repr=False)

    @property
    def ready(self) -> ReadyAnswers:
        """What is answered without the model."""
        return ReadyAnswers(budgets=self.budgets, phrases=self.phrases, clock=self.clock)

    def __call__(
        self,
        conversation: Conversation,
        message: MessageRecord,
        fetches: Fetches,
        deadline: Deadline,
        *,
        silences: Future[SilencesRecord],
    ) -> Run:
        """By the deadline of the request, the message is covered by an outcome, withdrawn, too old to answer, or handed over.

        `silences`, read meanwhile, decide whether the message is answered at all.
        Repeated: does the remaining work. Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        turn = conversation.objects.reads.submit(conversation.turn.read)
        conversation.journal.keep(message)
        stored_turn = turn.result()
        silenced = self._silenced(conversation, message, silences.result())
        if silenced is not None:
            return Run(result=silenced)
        if message.image_set_size > 1:
            self.image_sets.wait(conversation, message)
            stored_turn = conversation.turn.read()
        delivery = _ReplyDelivery(
            reply=self, conversation=conversation, own=message, fetches=fetches, deadline=deadline
        )
        return self._run(delivery, stored_turn)

    def _silenced(
        self, conversation: Conversation, message: MessageRecord, silences: SilencesRecord
    ) -> EventResult | None:
        """Return the result of a journalled message that is not answered, because of a silence when it was sent or at present.

        Of a message that was sent in a pause, and of a press, no object is left; any other message is context. None: it is answered.
        """
        sent_in, present = silences.at(message.timestamp_ms), silences.now(self.clock.now_ms())
        if sent_in is None and present is None:
            return None
        logs.info("message_met_silence", sent_in=sent_in, is_open=present is not None)
        if message.presses is not None:
            conversation.journal.drop(message.line_message_id)
            return EventResult.PAUSED
        if sent_in is SilenceKind.PAUSE:
            self.withdrawal.withdraw(conversation, message.line_message_id, timestamp_ms=message.timestamp_ms)
            return EventResult.PAUSED
        conversation.journal.mark_as_context(message.line_message_id)
        return EventResult.KEPT_AS_CONTEXT

    def hand_over(self, conversation: Conversation, line_message_id: str) -> None:
        """Leave a marker: after the turn that is open now, a tick resumes the journalled message.  Repeated: changes nothing."""
        at_ms = self.clock.now_ms() + round(conversation.turn.lease_s * 1_000)
        DueMarkers(store=conversation.objects.store).mark(REPLY, conversation, line_message_id, at_ms=at_ms)

    def resume(self, conversation: Conversation, line_message_id: str) -> None:
        """A message that was handed over is covered by an outcome, withdrawn, or too old to answer.

        Waits for no other worker. Repeated: does the remaining work. Raises: TurnBusyError, StorageUnavailableError; safe to repeat.
        """
        message = conversation.journal.message_of(line_message_id)
        if message is None or self._silenced(conversation, message, conversation.silences.read()) is not None:
            return
        deadline, stored_turn = Deadline.after(self.clock, RESUME_S), conversation.turn.read()
        delivery = _ReplyDelivery(reply=self, conversation=conversation, own=message, fetches={}, deadline=deadline)
        # It waits for nobody, so a turn given up for a follow-up would never be answered
        delivery.asked_anew = MOST_ASKED_ANEW
        self._run(delivery, stored_turn, waits=False)

    def _run(self, delivery: "_ReplyDelivery", stored_turn: StoredTurn, *, waits: bool = True) -> Run:
        """Run the delivery, then for the messages of evicted deliveries that relied on it, where no turn has answered them.

        If its message is withdrawn, because the author withdrew everything, complete the withdrawal. Of the other messages the newest comes
        first, and each turn answers all that it reads: the next message is one that no turn has answered, such as the 101st of a burst. A
        turn that began before an evicted delivery recorded its message answers only this delivery's.
        """
        conversation = delivery.conversation
        run = self.runner.run(conversation, delivery.in_turn, stored_turn, delivery.deadline, waits=waits)
        # Wait, because no work may go on once the request is answered, and because abandoned requests cost tokens, too
        wait(delivery.abandoned, timeout=delivery.deadline.within(_ABANDONED_S).left_s)
        waiting: Sequence[str] = run.inherits
        if run.result is EventResult.WITHDRAWN:
            self.withdrawal.take_back_late(conversation, delivery.own)
        else:
            waiting = delivery.unanswered(waiting)
        while waiting:
            newest_id, *waiting = waiting
            evicted = conversation.journal.message_of(newest_id)
            if evicted is None:
                continue
            stand_in = replace(delivery, own=evicted, fetches={})
            result = self._run(stand_in, conversation.turn.read(), waits=waits).result
            if result is EventResult.HANDED_OVER:
                break  # the request's time is over, and every message has its marker
            if result is not EventResult.WITHDRAWN:
                waiting = delivery.unanswered(waiting)
        return run

    @property
    def tasks(self) -> Mapping[str, Callable[[Conversation, str], None]]:
        """The work of a tick, by the kind of its marker: `{"reply": resume}`."""
        return {REPLY: self.resume}


@dataclass(slots=True, kw_only=True)
class _ReplyDelivery:
    """One delivery of a message.  `thoughts` counts requests to the model; `meter` holds their cost, for the outcome.

    If the prompt was amended repeatedly, or workers died over it, the next prompt holds only the questions. `was_seen_unwithdrawn`: after
    recording the message, this delivery has read amendments without a withdrawal of the message. `asked_anew`: how often follow-ups ended
    a request; `abandoned`: those requests. `thinks_until`: when the thinking ends that a follow-up interrupted.
    """

    reply: Reply
    conversation: Conversation
    own: MessageRecord
    fetches: Fetches
    deadline: Deadline
    thoughts: int = 0
    asked_anew: int = field(init=False, default=0)
    abandoned: list[Future[Any]] = field(init=False, default_factory=list, repr=False)
    thinks_until: Deadline | None = field(init=False, default=None)
    was_seen_unwithdrawn: bool = field(init=False, default=False)
    meter: Meter = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.meter = Meter(self.conversation.id)

    @property
    def in_turn(self) -> TurnDelivery:
        """The work, and how it waits: the next turn answers everything in the journal, on the freshest token of all its messages."""
        return TurnDelivery(
            event=self.own.line_message_id,
            sent_ms=self.own.timestamp_ms,
            author=author_of(self.own),
            asks_model=True,
            work=self,
            waiting=Waiting(turn_s=MODEL_S + SENDING_S, hand_over=self.hand_over),
        )

    def spends(self, spending: Spending) -> Spending:
        return self.reply.budgets.opened(spending)

    def has_work_by_name(self, stored_turn: StoredTurn, listing: Listing) -> bool:
        own_id, names = self.own.line_message_id, self.conversation.names
        answered_ids = stored_turn.record.outcome.answered_ids if stored_turn.record.outcome is not None else ()
        return (
            own_id not in answered_ids
            and self.own.timestamp_ms > listing.amended.erased_ms
            and any(one.name == names.message(own_id) for one in listing.messages)
            and listing.amended.amended_ids.isdisjoint({own_id, mark_id(self.own.user_id)})
        )

    def apply_amendments(self, history: History) -> None:
        """Take over an edit; drop the message if the withdrawal came first and may be over.

        A later withdrawal finds the message, and compares its words with the remaining records.
        """
        journal, own_id = self.conversation.journal, self.own.line_message_id
        if not history.amendments.is_withdrawn(self.own):
            self.was_seen_unwithdrawn = True
            if own_id in history.amendments.edited_ms:
                journal.apply_edit(own_id)
                self.own = newest_words_of(self.own, self.conversation, history)
        elif not self.was_seen_unwithdrawn:
            journal.drop(own_id)

    def result_in(self, history: History, unfinished: OutcomeRecord | None) -> EventResult | None:
        self.apply_amendments(history)
        own_id = self.own.line_message_id
        if own_id in {one.line_message_id for one in self._pending(history)}:
            return None
        if unfinished is not None and own_id in unfinished.answered_ids:
            return None
        return EventResult.WITHDRAWN if history.amendments.hides(self.own) else EventResult.ALREADY_ANSWERED

    def unanswered(self, line_message_ids: Collection[str]) -> tuple[str, ...]:
        """Return the messages that no outcome covers, in their order; nothing is read for none.

        A message that is older than what a turn reads counts, unless an outcome that was read covers it; its own run looks for another.
        """
        if not line_message_ids:
            return ()
        stored_turn = self.conversation.turn.read()
        history = self.reply.runner.reader.read_newest(self.conversation, required_ids=frozenset(line_message_ids))
        history = history.with_covered_by(stored_turn.record)
        pending = {one.line_message_id for one in self._pending(history)}
        return tuple(one for one in line_message_ids if one in pending or _is_beyond(history, one))

    def hand_over(self, _: Place) -> EventResult | None:
        """Leave a marker: the message is in the journal, so the next turn answers it; if no turn is opened, a tick does."""
        self.reply.hand_over(self.conversation, self.own.line_message_id)
        return EventResult.HANDED_OVER

    def take_turn(self, lease: Lease, history: History) -> OutcomeRecord | None:
        add = self.reply.additions.begin(lease)
        shown: History | None = history
        while shown is not None:
            try:
                return self._attempt(lease, shown, add)
            except FollowUpError:
                self._count_asked_anew()
                shown = self._read_anew(lease)
        lease.release()
        return None

    def _read_anew(self, lease: Lease) -> History | None:
        """Return the chat with the follow-ups, under the lease that the turn has; None: nothing is left to do, or the turn was lost."""
        if lease.is_over:
            return None
        history = self.reply.runner.reader.read_newest(
            self.conversation,
            required_ids={self.own.line_message_id},
            with_blocks=lease.record.may_have_reminders,
        )
        history = history.with_covered_by(lease.record)
        return history if self.result_in(history, None) is None else None

    def _attempt(
        self, lease: Lease, history: History, add: Callable[[OutcomeRecord, History], OutcomeRecord]
    ) -> OutcomeRecord | None:
        """Return the recorded outcome of one attempt, or None: read the chat again.  Raises: FollowUpError."""
        agenda = agenda_of(history, self._pending(history))
        is_poisoned = lease.record.tries >= _TRIES_WITH_CONTEXT
        is_alone = is_poisoned or self.thoughts >= _THOUGHTS_WITH_CONTEXT
        if is_alone:
            history = history.isolated(agenda.asked)
        attempt = Attempt.begin(
            lease, history, agenda, outbox=self.reply.outbox, phrases=self.reply.phrases, deadline=self.deadline
        )
        attempt.draft = replace(attempt.draft, audit=Audit(isolates=is_poisoned))
        self.meter.is_of_turn = lease.record.spending.is_reserved
        logs.info("turn_opened", messages=len(history.messages), pending=len(agenda.covers), tries=lease.record.tries)
        watch: FollowUpWatch | None = None
        outcome = self.reply.ready.find(attempt, thoughts=self.thoughts)
        if outcome is None:
            watch = self._watch(attempt, is_alone=is_alone)
            outcome = self._think(attempt, watch, is_alone=is_alone)
        if outcome is not None:
            outcome = replace(outcome, audit=replace(outcome.audit, usage=self.meter.usage))
            log_usage(self.meter, weigh=weighted_tokens)
        if attempt.has_ended:
            return attempt.store(outcome) if outcome is not None else attempt.deferral
        if outcome is None:
            self.thinks_until = None
            lease.release()
            return None
        is_listed = agenda.proposal is None and outcome.kind is OutcomeKind.REPLIED
        has_follow_up = watch.begin_listing() if watch is not None and is_listed else lambda: False
        is_outdated = partial(self._is_outdated, has_follow_up, self.thinks_until)
        self.thinks_until = None
        has_acted = watch is not None and watch.has_acted
        return attempt.finish(add(outcome, history), is_outdated=is_outdated, has_acted=has_acted)

    def _watch(self, attempt: Attempt, *, is_alone: bool) -> FollowUpWatch:
        """Return the watch over the attempt's thought.  An answer to only what is asked, after trouble, is not interrupted."""
        agenda = attempt.agenda
        asking = (*agenda.covers, *agenda.asked)
        self.thinks_until = self.thinks_until or self.deadline.within(MODEL_S)
        return FollowUpWatch(
            conversation=self.conversation,
            authors=authors_of(asking),
            known_ids=ids_in(attempt.history).union(one.line_message_id for one in asking),
            deadline=self._thought_deadline(attempt),
            requests=self.reply.requests,
            new_event=self.reply.new_event,
            abandoned=self.abandoned,
            is_over=lambda: attempt.has_ended,
            may_begin=self.asked_anew < MOST_ASKED_ANEW and not is_alone and agenda.proposal is None,
        )

    def _thought_deadline(self, attempt: Attempt) -> Deadline:
        """Return by when the attempt decides: that of the thinking, and of the freshest token where a late answer is dropped."""
        return (self.thinks_until or self.deadline).within(attempt.seconds)

    def _is_outdated(self, has_follow_up: Callable[[], bool], thinks_until: Deadline | None) -> bool:
        """Whether the answer, committed and not sent, lacks a follow-up, so that the model is asked anew by the same deadline."""
        if not has_follow_up():
            return False
        self._count_asked_anew()
        self.thinks_until = thinks_until
        return True

    def _count_asked_anew(self) -> None:
        self.thoughts -= 1
        self.asked_anew += 1
        logs.info("model_asked_anew", times=self.asked_anew)

    def _pending(self, history: History) -> tuple[MessageRecord, ...]:
        """Return the messages for the turn, but none whose token told something else before its quote showed that it is for the bot."""
        pending = history.pending(self.own, now_ms=self.reply.clock.now_ms())
        return tuple(one for one in pending if not is_told_on_token_of(one, history))

    def _think(self, attempt: Attempt, watch: FollowUpWatch, *, is_alone: bool) -> OutcomeRecord | None:
        """Return what to commit, or to store if the turn was deferred meanwhile; None: something in the prompt was amended.

        Raises: FollowUpError, if the people who asked wrote more, and the model can be asked anew.
        """
        self.thoughts += 1
        if attempt.agenda.proposal is not None:
            return self._carry_out(attempt, attempt.agenda.proposal, watch)
        try:
            with (
                metered(self.meter),
                self.reply.runner.room.watched(self.conversation.id, watch.see),
                self.reply.background.during(attempt.renew_lease),
            ):
                question = replace(self._question(attempt, is_alone=is_alone), follow_ups=watch)
                outcome = self.reply.responder.respond(question)
            watch.check()
            return self.reply.ready.without_second_notice(attempt, outcome)
        except FollowUpError:
            if attempt.has_ended:
                return None
            raise
        except PromptAmendedError:
            logs.info("prompt_amended")
            return None

    def _carry_out(self, attempt: Attempt, proposal: OutcomeRecord, watch: FollowUpWatch) -> OutcomeRecord:
        """Return the outcome of the proposed changes.  The lease is not renewed meanwhile, so the deadline lies within the lease.

        Example: with 25 s of the lease left, the changes get 8 s; with 10 s left, 5 s.
        """
        deadline = self.deadline.within(min(_TAP_S, attempt.lease.left_s / 2))
        question = replace(self._question(attempt, is_alone=True), deadline=deadline, follow_ups=watch)
        with metered(self.meter):
            return self.reply.changes.carry_out(question, proposal.offer.proposes)

    def _question(self, attempt: Attempt, *, is_alone: bool) -> Question:
        """Return the question for the model.  Quoted media outside of memory are fetched first, unless only the questions are shown."""
        deadline = self._thought_deadline(attempt)
        if not is_alone:
            attempt.show(self.reply.quoted.find(self.conversation, attempt.history, attempt.agenda.asked, deadline))
        return Question(
            conversation=self.conversation,
            history=attempt.history,
            asked=attempt.agenda.asked,
            draft=attempt.draft,
            basis=attempt.basis,
            deadline=deadline,
            sequence=attempt.lease.record.sequence + 1,
            chosen_locale=attempt.lease.record.chosen_locale,
            fetches=self.fetches,
            on_last_request=attempt.begin_last_request,
        )


def _is_beyond(history: History, line_message_id: str) -> bool:
    """Whether the message is older than what was read of the chat, as far as no outcome or withdrawal that was read names it."""
    read_ids = {one.line_message_id for one in (*history.unshown, *history.messages)}
    return line_message_id not in history.covered.union(history.amendments.withdrawn, read_ids)
