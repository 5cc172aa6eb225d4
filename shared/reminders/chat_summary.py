"""Summaries of a chat: what was said from one time of a reminder to the next, told on the reply token of a message that gets no answer.

    due ─▶ waits (`kept_ms`) ─▶ the next message that gets no answer ─▶ one request to the model, in the chat's turn ─▶ told
     ├── nothing was said: passes in silence
     ├── three workers died of it: a text says that it could not be made, and it passes
     └── the day's budget is spent: a text says so, once a day, and the summary waits

The results of polls (`shared/polls/`) wait for the same token, which tells all that fit, and ask no model.

Where its maker chose a push, a tick makes and pushes it (`delivery.py`). The words are made when they are told, in the turn or under the
claim that tells them, so they are stored nowhere before, and a message that was withdrawn meanwhile is in no prompt.
"""

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Final, Protocol

from shared import logs
from shared.access.budgets import Budgets
from shared.agent.receipts import without_receipt_symbols
from shared.clock import Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.history import History
from shared.conversation.history_reader import HistoryReader
from shared.conversation.provenance import Provenance
from shared.conversation.recollection import Recollection
from shared.conversation.records import Audit, MessageRecord, OutcomeKind, OutcomeRecord, SaidReminder
from shared.conversation.spending import Spending, weighted_tokens
from shared.conversation.store import Conversation
from shared.conversation.turn import FENCE, Route, TurnRecord
from shared.errors import AizuchiError, PromptAmendedError, TransientError
from shared.frozen import frozen
from shared.line.bubbles import length_of, longest_answer
from shared.line.ids import mask_ids
from shared.line.phrases import Phrase, Phrases
from shared.metering import Meter, log_usage, metered
from shared.recurrence import Frequency
from shared.reminders.apply import record_said
from shared.reminders.delivery import Summary, provenance_said, schedule_of
from shared.reminders.reminder import Reminder, ReminderKind
from shared.reminders.store import ReminderStore
from shared.reminders.tries import MOST_TRIES, begin_try, end_try
from shared.reminders.wording import Occurrence, OccurrenceWords, Wording
from shared.turns.basis import Basis
from shared.turns.free_token import FreeTokenUse, FreeTokenWork
from shared.turns.interjection import is_too_soon
from shared.turns.lease import Lease
from shared.turns.outbox import Outbox
from shared.turns.runner import TurnRunner

_DAY_MS: Final = 24 * 60 * 60_000
_MOST_DAYS: Final = 7
_MOST_RECORDS: Final = 300
_SECONDS: Final = 10.0
_TO_THINK: Final = 0.5  # the part of the fence in which the model may think: the lease is not renewed meanwhile
_WITH_A_MESSAGE: Final = frozenset({ReminderKind.CHAT_SUMMARY, ReminderKind.POLL})


class SpanSummariser(Protocol):
    """Sums up what was said in a chat."""

    def sum_up_span(self, conversation: Conversation, records: Recollection, *, locale: str, seconds: float) -> str:
        """Return a summary of the records, in the language of most, else in `locale`; one request to the model.

        Raises: ModelUnavailableError, if another attempt may succeed; other AizuchiErrors.
        """
        ...


@frozen
class NextMessageSummary:
    """Tells waiting summaries, one a message, and results of polls, as many as fit."""

    runner: TurnRunner
    outbox: Outbox
    summariser: SpanSummariser
    budgets: Budgets
    wording: Wording
    phrases: Phrases
    clock: Clock = field(repr=False)

    def __call__(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> bool:
        """Whether the message's token may have been used: the results of polls, or else the oldest summary, were told, if the turn is free.

        A summary, which asks the model, waits until the turn rests, or until the model has just chosen silence about this message; the
        results do not. What is not told waits for the next message. Repeated: told once. Raises: StorageUnavailableError.
        """
        token = message.reply_token
        if token is None or token.is_surely_dead(self.clock.now_ms()) or conversation.is_one_on_one:
            return False
        stored_turn = conversation.turn.read()
        if not stored_turn.record.has_left:
            return False
        may_ask = not is_too_soon(conversation, stored_turn, now_ms=self.clock.now_ms()) or (
            _has_chosen_silence(stored_turn.record, message)
        )
        waiting = sorted(_waiting(conversation), key=_asks_model)  # results first: a model may fail again and again
        reminder = next((one for one in waiting if may_ask or not _asks_model(one)), None)
        if reminder is None:
            return False
        work = _SummaryDelivery(
            telling=self,
            reminder=reminder,
            conversation=conversation,
            own=message,
            deadline=deadline,
            outbox=self.outbox,
            clock=self.clock,
        )
        return work.try_once(self.runner, stored_turn)


@frozen
class _SummaryDelivery(FreeTokenWork):
    use = FreeTokenUse.SUMMARY

    telling: NextMessageSummary
    reminder: Reminder

    def spends(self, spending: Spending) -> Spending:
        return self.telling.budgets.opened(spending) if _asks_model(self.reminder) else spending

    def take_turn(self, lease: Lease, history: History) -> OutcomeRecord | None:
        try:
            outcome, basis = self._made(lease, history)
        except PromptAmendedError:
            outcome, basis = None, None
        except TransientError as cause:  # the next message brings another token
            logs.warning("summary_failed", error_type=type(cause).__name__)
            outcome, basis = None, None
        except AizuchiError as cause:  # another attempt would fail likewise
            logs.warning("summary_given_up", error_type=type(cause).__name__)
            self._pass(self.reminder)
            outcome, basis = None, None
        token, committed = self.live_token(self.clock.now_ms()), None
        if outcome is None or token is None:
            lease.release()
        else:
            committed = lease.commit(outcome, Route.on(token), basis=basis)
        if committed is None:
            end_try(ReminderStore(self.conversation), self.reminder.id, lease.holder)
            return None
        logs.info("summary_told")
        try:
            return self.outbox.finish(lease, committed, deadline=self.sent_by)
        except AizuchiError as cause:  # the next delivery of the chat takes the turn over and finishes it
            logs.warning("summary_unfinished", error_type=type(cause).__name__)
            return committed

    def _made(self, lease: Lease, history: History) -> tuple[OutcomeRecord | None, Basis | None]:
        """Return the outcome that tells the summary, with what its prompt rests on; None: there is nothing to tell on this token.

        Raises: PromptAmendedError, AizuchiError.
        """
        conversation = self.conversation
        if conversation.silences.read().now(self.clock.now_ms()) is not None:
            return None, None
        if not _asks_model(self.reminder):
            return self._results_of_polls(history.amendments), None
        stored = ReminderStore(conversation).find(self.reminder.id)
        reminder = stored[0] if stored is not None else self.reminder
        is_gone = stored is None or reminder.is_from_withdrawn(history.amendments.is_withdrawn_from_entries)
        if is_gone or not _waits(reminder):
            return None, None
        return self._summary(lease, history, reminder, reminder.kept_ms or 0)

    def _summary(
        self, lease: Lease, history: History, reminder: Reminder, occurrence_ms: int
    ) -> tuple[OutcomeRecord | None, Basis | None]:
        """Return what `_made` does, of a summary.  Raises: PromptAmendedError, AizuchiError."""
        conversation, telling, amendments = self.conversation, self.telling, history.amendments
        spoken = spoken_before(conversation, history, reminder, occurrence_ms)
        if not spoken.messages:
            logs.info("summary_empty")
            self._pass(reminder)
            return None, None
        if len(reminder.workers_trying(occurrence_ms)) >= MOST_TRIES:
            return self._failure_told(lease, reminder, occurrence_ms, amendments), None
        if not lease.record.spending.is_reserved:
            return self._limit_told(lease, reminder), None
        store, holder = ReminderStore(conversation), lease.holder
        if not begin_try(store, reminder.id, holder, occurrence_ms=occurrence_ms):
            return None, None
        provenance = replace(provenance_said(reminder, amendments) | spoken.provenance, until_ms=self.own.timestamp_ms)
        basis = Basis(conversation=conversation, lease=lease, prompt=provenance, before=amendments)
        end_check = basis.begin_check()
        meter = Meter(conversation.id, is_of_turn=True)
        seconds = self.deadline.within(min(_SECONDS, conversation.turn.lease_s * FENCE * _TO_THINK)).left_s
        with metered(meter):
            text = telling.summariser.sum_up_span(
                conversation, spoken, locale=reminder.locale or telling.phrases.locale, seconds=seconds
            )
        log_usage(meter, weigh=weighted_tokens)
        end_check()
        outcome = OutcomeRecord(
            webhook_event_id=self.outcome_id,
            timestamp_ms=self.own.timestamp_ms,
            kind=OutcomeKind.REPLIED,
            provenance=provenance,
            text=titled(reminder, text),
            reminders=(SaidReminder(id=reminder.id, occurrence_ms=occurrence_ms),),
            audit=Audit(usage=meter.usage),
        )
        return outcome, basis

    def _failure_told(
        self, lease: Lease, reminder: Reminder, occurrence_ms: int, amendments: Amendments
    ) -> OutcomeRecord:
        """Return the outcome that says that the summary could not be made, because the making killed MOST_TRIES workers."""
        logs.warning("summary_given_up", tries=MOST_TRIES)
        telling = self.telling
        locale = lease.record.chosen_locale or reminder.locale or telling.phrases.locale
        return OutcomeRecord(
            webhook_event_id=self.outcome_id,
            timestamp_ms=self.own.timestamp_ms,
            kind=OutcomeKind.REPLIED,
            provenance=replace(provenance_said(reminder, amendments), until_ms=self.own.timestamp_ms),
            text=titled(reminder, telling.phrases.text(Phrase.SUMMARY_FAILED, locale=locale)),
            reminders=(SaidReminder(id=reminder.id, occurrence_ms=occurrence_ms),),
        )

    def _limit_told(self, lease: Lease, reminder: Reminder) -> OutcomeRecord | None:
        """Return the outcome that says that the day's budget forbids the summary; None: the chat was told today.

        The day is noted before the commit: if the worker dies in between, the chat is told the next day, and never twice on one.
        """
        store, telling = ReminderStore(self.conversation), self.telling
        day = self.conversation.turn.spending(lease.record).day
        if any(one.limit_told_on == day for one in store.read_all()) or self.live_token(self.clock.now_ms()) is None:
            return None
        noted = store.update(
            reminder.id, lambda stored: replace(stored, limit_told_on=day) if stored is not None else None
        )
        if noted is None:
            return None
        logs.info("summary_limit_reached")
        locale = lease.record.chosen_locale or reminder.locale or telling.phrases.locale
        hour = telling.phrases.day_begin(telling.budgets.renewal_ms(self.clock.now_ms()), locale=locale)
        return OutcomeRecord(
            webhook_event_id=self.outcome_id,
            timestamp_ms=self.own.timestamp_ms,
            kind=OutcomeKind.REPLIED,
            provenance=Provenance(since_ms=self.own.timestamp_ms, until_ms=self.own.timestamp_ms),
            text=telling.phrases.text(Phrase.SUMMARY_LIMIT, locale=locale, hour=hour),
        )

    def _results_of_polls(self, amendments: Amendments) -> OutcomeRecord | None:
        """Return the outcome with the results that wait, the oldest first, as many as fit; None: the polls are gone.

        For example, the results of two polls that closed at 18:00 are told by one outcome.
        """
        texts: list[str] = []
        provenances: list[Provenance] = []
        said_reminders: list[SaidReminder] = []
        for reminder in _waiting(self.conversation):
            if _asks_model(reminder) or reminder.is_from_withdrawn(amendments.is_withdrawn_from_entries):
                continue
            due_ms, said_ms = reminder.kept_ms or 0, self.clock.now_ms()
            occurrence = Occurrence(reminder=reminder, due_ms=due_ms, said_ms=said_ms, is_postponed=True)
            words = self.telling.wording.words(self.conversation, occurrence)
            if words is None:
                self._pass(reminder)
                continue
            if texts and length_of(_below_each_other(*texts, words.text)) > longest_answer():
                break
            texts.append(words.text)
            provenances += [provenance_said(reminder, amendments), words.provenance]
            said_reminders.append(SaidReminder(id=reminder.id, occurrence_ms=due_ms))
        if not said_reminders:
            return None
        return OutcomeRecord(
            webhook_event_id=self.outcome_id,
            timestamp_ms=self.own.timestamp_ms,
            kind=OutcomeKind.REPLIED,
            provenance=replace(Provenance.union(provenances), until_ms=self.own.timestamp_ms),
            text=_below_each_other(*texts),
            reminders=tuple(said_reminders),
        )

    def _pass(self, reminder: Reminder) -> None:
        """The occurrence does not wait any more."""
        said = SaidReminder(id=reminder.id, occurrence_ms=reminder.kept_ms or 0)
        record_said(ReminderStore(self.conversation), said, now_ms=self.clock.now_ms())


@frozen
class PushedSummaries:
    """Makes summaries for ticks, which push them; a Summaries."""

    reader: HistoryReader
    summariser: SpanSummariser
    phrases: Phrases

    def sum_up(self, conversation: Conversation, occurrence: Occurrence, *, deadline: Deadline) -> Summary | None:
        history, reminder = self.reader.read_newest(conversation), occurrence.reminder
        spoken = spoken_before(conversation, history, reminder, occurrence.due_ms)
        if not spoken.messages:
            return None
        seconds = deadline.within(min(_SECONDS, deadline.left_s * _TO_THINK)).left_s  # the rest is for the push
        try:
            with metered(Meter(conversation.id)):
                text = self.summariser.sum_up_span(
                    conversation, spoken, locale=reminder.locale or self.phrases.locale, seconds=seconds
                )
        finally:
            _settle(conversation)
        words = OccurrenceWords(text=titled(reminder, text), provenance=spoken.provenance)
        return Summary(words=words, before=history.amendments)


def _settle(conversation: Conversation) -> None:
    """Charge the chat for a tick's requests to the model, because no turn may follow; after a failure, the next turn's write does so."""
    try:
        conversation.turn.settle()
    except AizuchiError as cause:
        logs.warning("spending_not_settled", error_type=type(cause).__name__)


def spoken_before(conversation: Conversation, history: History, reminder: Reminder, occurrence_ms: int) -> Recollection:
    """Return the newest records of a summary's span; nothing from before the last joining, because a newcomer reads the summary, too.

    A private summary is read by the asking member alone, and has nothing from before that member's own joining.
    """
    members = conversation.members
    is_private = reminder.is_private and reminder.user_id is not None
    joined_ms = members.joined_ms([reminder.user_id or ""]) if is_private else members.last_joined_ms()
    begin_ms = max(span_begin_ms(reminder, occurrence_ms), joined_ms or 0)
    if begin_ms >= occurrence_ms:
        return Recollection.of(())
    archived = conversation.archive.read(since_ms=begin_ms, until_ms=occurrence_ms)
    remembered = Recollection.of_archive(archived) | Recollection.of_history(history)
    records = [
        record
        for record in remembered.records
        if begin_ms <= record.timestamp_ms < occurrence_ms
        and _own_id(record) not in history.refused
        and not (reminder.is_private and _own_id(record) in reminder.provenance.message_ids)  # what asks for it
    ]
    return Recollection.of(records[-_MOST_RECORDS:])


def titled(reminder: Reminder, summary: str) -> str:
    """Return the summary below the reminder's text."""
    return _below_each_other(without_receipt_symbols(mask_ids(reminder.text)), summary)


def _below_each_other(*texts: str) -> str:
    return "\n\n".join(texts)


def span_begin_ms(reminder: Reminder, occurrence_ms: int) -> int:
    """Return since when the summary of this occurrence sums up: since the one before, but at most seven days.

    The first one sums up a day, or a week where it comes every week or more rarely. For example, one of every morning at 8 sums up what was
    said from 8 to 8.
    """
    earliest_ms = occurrence_ms - _MOST_DAYS * _DAY_MS
    before: Sequence[int] = tuple(schedule_of(reminder).between(earliest_ms - 1, occurrence_ms))
    if before:
        return before[-1]
    recurrence = reminder.recurrence
    return (
        earliest_ms
        if recurrence is not None and recurrence.frequency is not Frequency.DAILY
        else occurrence_ms - _DAY_MS
    )


def _waits(reminder: Reminder) -> bool:
    """Whether it waits for a message of the chat; a private summary never does."""
    is_with_message = reminder.kind in _WITH_A_MESSAGE and not reminder.is_private
    return reminder.is_open and is_with_message and reminder.kept_ms is not None


def _asks_model(reminder: Reminder) -> bool:
    return reminder.kind is ReminderKind.CHAT_SUMMARY


def _has_chosen_silence(turn: TurnRecord, message: MessageRecord) -> bool:
    """Whether the turn's last outcome is the model's own choice to say nothing about the message, and no failure of the model."""
    outcome = turn.committed
    if outcome is None or message.line_message_id not in outcome.answered_ids:
        return False
    return outcome.kind is OutcomeKind.SKIPPED and outcome.audit.model_name is not None


def _waiting(conversation: Conversation) -> Iterator[Reminder]:
    """Yield the summaries and the results of polls that wait, the oldest first."""
    waiting = (reminder for reminder in ReminderStore(conversation).read_all() if _waits(reminder))
    yield from sorted(waiting, key=lambda reminder: (reminder.kept_ms or 0, reminder.id))


def _own_id(record: MessageRecord | OutcomeRecord) -> str:
    return record.line_message_id if isinstance(record, MessageRecord) else record.webhook_event_id
