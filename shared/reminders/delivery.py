"""Deliver a due reminder, once for each occurrence, whatever ticks are lost, doubled or die half-way.

    due ─▶ claim ─▶ check ─▶ push under the occurrence's own key ─▶ record what was said ─▶ next occurrence, or done
     │                             └── fate unknown: the marker stays; the next tick pushes under the same key
     └── no quota, refused, or pushes not wanted: postponed to the chat's next answer

No tick pushes a cancelled or changed reminder, because the claim (`shared/conversation/push_claim.py`) is a swap of the reminder.

The words of a summary are made between claim and check, and a second swap notes in the claim that its push comes next. So a summary that is
given up after its worker died is left to the chat's next message if no push was reached; else history says that nobody knows of it. No tick
tries for longer than half an hour, also where each one dies, because of a message that kills every worker that reads it.
"""

import uuid
from dataclasses import field, replace
from enum import StrEnum
from typing import Final, Protocol

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.push_claim import claim_ends, push_claimed, swap_claimed
from shared.conversation.pushes import PushAllowance
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation
from shared.errors import (
    AizuchiError,
    LineUnavailableError,
    ModelUnavailableError,
    StorageUnavailableError,
    TurnBusyError,
)
from shared.frozen import frozen
from shared.line.messaging import KEY_VALID_MS, PushApi, PushFate
from shared.reminders.private_chat import PrivateChats, Undeliverable
from shared.reminders.reminder import Claim, Reminder, ReminderKind, ReminderState
from shared.reminders.schedule import Schedule
from shared.reminders.silence import postpone
from shared.reminders.store import ReminderStore, next_ms_of
from shared.reminders.wording import Occurrence, OccurrenceWords, Wording

_NOTHING_IS_STORED: Final = frozenset({Undeliverable.UNNAMED, Undeliverable.NO_CHAT, Undeliverable.SILENT})
"""Reasons with which the 1:1 chat may be one that was not admitted, or one in a pause."""
TRIES_MS: Final = 30 * 60_000
"""How long ticks try to make a summary that is pushed."""
_TEMPORARY: Final = (ModelUnavailableError, StorageUnavailableError, LineUnavailableError)
_KEYS: Final = uuid.UUID("0a3c0f5e-8f5d-5b0b-9a53-0f6c6f1d7f42")


class Reminding(StrEnum):
    """How reminders are said: pushed; only with the chat's next answer; or not at all."""

    PUSH = "push"
    REPLY = "reply"
    OFF = "off"


@frozen
class _Claimed:
    """This worker's claim: the reminder as written, and the deadline of the push.

    `is_repeated`: a worker claimed the occurrence before. `may_be_pushed`: it is a summary, and such a worker may have pushed it.
    """

    reminder: Reminder
    generation: int
    occurrence: Occurrence
    deadline: Deadline
    is_repeated: bool
    may_be_pushed: bool

    @property
    def is_text_lost(self) -> bool:
        """Whether the text of the first claim was removed since."""
        return self.reminder.claim is not None and self.reminder.claim.is_text_lost


@frozen
class Summary:
    """The words of a summary, and the amendments with which the chat was read for it."""

    words: OccurrenceWords
    before: Amendments


class Summaries(Protocol):
    """Makes summaries of a chat."""

    def sum_up(self, conversation: Conversation, occurrence: Occurrence, *, deadline: Deadline) -> Summary | None:
        """Return the summary of the occurrence, by one request to the model; None: nothing was said.  Repeated: perhaps other words.

        Raises: ModelUnavailableError, if another attempt may succeed; other AizuchiErrors.
        """
        ...


@frozen
class ReminderDelivery:
    """Carries out the markers of reminders; a DueTask.

    `summaries` None: no summary is pushed. `private_chats` None: none is pushed to a member's 1:1 chat.
    """

    line: PushApi
    pushes: PushAllowance
    wording: Wording
    reminding: Reminding = Reminding.PUSH
    summaries: Summaries | None = None
    private_chats: PrivateChats | None = None
    clock: Clock = field(repr=False)

    def __call__(self, conversation: Conversation, reminder_id: str) -> None:
        """Say the due occurrence, or postpone it to the next answer, and make the marker of the next occurrence.

        Repeated: no further effect. Raises: TurnBusyError, while another worker may be pushing the occurrence; LineUnavailableError, where
        the fate of the push is unknown; StorageUnavailableError, LineRefusedError. A repeated call is safe after each of these.
        """
        store, now_ms = ReminderStore(conversation), self.clock.now_ms()
        silences = conversation.objects.reads.submit(conversation.silences.read)
        stored = store.find(reminder_id)
        if stored is None:
            return
        reminder, generation = stored
        next_ms = next_ms_of(reminder)
        if (next_ms is None or next_ms > now_ms) and reminder.kept_ms is not None:
            conversation.turn.leave()  # the worker may have died after keeping the occurrence, before this call
        if next_ms is None:
            return
        if next_ms > now_ms:  # a marker from before a change, or the writer died before making the marker
            store.make_marker(reminder)
        elif not reminder.is_open:
            store.delete(reminder, generation=generation)
        elif reminder.claim is not None and reminder.claim.until_ms > now_ms:
            raise TurnBusyError("another worker may be pushing the reminder")
        elif (silence := silences.result().now(now_ms)) is not None:
            postpone(conversation, reminder, silence, now_ms=now_ms)
            logs.info("reminder_waits", reason=silence.kind.value)
        else:
            self._deliver(store, reminder, generation, due_ms=next_ms)

    def _deliver(self, store: ReminderStore, reminder: Reminder, generation: int, *, due_ms: int) -> None:
        occurrence = self._occurrence_of(reminder, due_ms)
        passed = _passed_push(reminder, occurrence)
        if not reminder.is_private:
            self._note_unknown_push(store.conversation, passed)
        if self.reminding is Reminding.OFF:
            self._advance(store, reminder, occurrence, is_postponed=False)
            return
        reason = self._reason_to_postpone(store.conversation, reminder, occurrence)
        if reason is not None:
            may_be_pushed = not reminder.is_private and _may_be_pushed(reminder, occurrence)
            self._leave(store, occurrence, reason=reason, may_be_pushed=may_be_pushed)
            return
        claimed = self._claim(store, reminder, generation, occurrence)
        if reminder.is_private:
            self._deliver_in_private(store, claimed, passed)
        else:
            self._deliver_to_chat(store, claimed)

    def _deliver_to_chat(self, store: ReminderStore, claimed: _Claimed) -> None:
        """Push to the reminder's own chat.  A summary that the model did not make for half an hour is left to the chat's next message."""
        refusal = self._reason_to_give_up(claimed) or self.pushes.take(
            store.conversation, claimed.occurrence.id, is_reminder=True
        )
        if refusal is not None:
            self._leave(store, claimed.occurrence, reason=refusal, may_be_pushed=claimed.may_be_pushed)
            return
        is_summary = claimed.reminder.kind is ReminderKind.CHAT_SUMMARY
        try:
            summary = self._sum_up(store.conversation, claimed) if is_summary else None
        except _TEMPORARY as cause:
            self._raise_for_another_try(cause, claimed.occurrence)
            self._leave(store, claimed.occurrence, reason="given_up", may_be_pushed=claimed.may_be_pushed)
            return
        amendments = self._check_claim(store, claimed)
        if summary is not None and summary.words.provenance.is_affected_since(summary.before, amendments):
            raise TurnBusyError("a message in the summary was withdrawn or edited")
        words = summary.words if summary is not None else None
        if not is_summary:
            words = self.wording.words(store.conversation, claimed.occurrence)
        if words is None:
            logs.info("reminder_empty")
            if claimed.may_be_pushed:
                self._note_unknown_push(store.conversation, claimed.occurrence)
            self._advance(store, claimed.reminder, claimed.occurrence, is_postponed=False)
            return
        claimed = self._reach_push(store, claimed)
        fate = self._push(store.conversation, claimed, words)
        match fate.kind:
            case "accepted" | "already_accepted":
                is_repeated = fate.kind == "already_accepted"
                if is_repeated and not is_summary:
                    words = self._first_words(store.conversation, claimed) or words
                # Else the words of another worker's summary, or of messages that the reminder no longer names
                is_known = not (is_repeated and (claimed.may_be_pushed or claimed.is_text_lost))
                self._record(store.conversation, claimed.occurrence, words, fate, amendments, is_known=is_known)
                self._advance(store, claimed.reminder, claimed.occurrence, is_postponed=False)
                logs.info("reminder_pushed", is_late=claimed.occurrence.shows_time, was_pushed=fate.kind != "accepted")
            case _:
                self._leave(store, claimed.occurrence, reason=fate.kind, may_be_pushed=claimed.may_be_pushed)

    def _deliver_in_private(self, store: ReminderStore, claimed: _Claimed, passed: Occurrence | None) -> None:
        """Push the summary to the 1:1 chat of the member who asked, and to no other chat; else the group is told with its next answer.

        The 1:1 chat records the push without words. Whether the person is a member is asked before the model is, and again before the push.
        `passed` is an older occurrence of unknown fate.
        """
        group, reminder, occurrence = store.conversation, claimed.reminder, claimed.occurrence
        chats, user_id = self.private_chats, reminder.user_id
        if chats is None or self.summaries is None or user_id is None:
            self._tell_undeliverable(store, claimed, reason=Undeliverable.UNNAMED)
            return
        asker_chat = chats.of(user_id)
        refusal = (
            self._refusal_in_private(chats, claimed, group)
            or self._reason_to_give_up(claimed)
            or self.pushes.take(asker_chat, occurrence.id, is_reminder=True)
        )
        if refusal is not None:
            self._tell_undeliverable(store, claimed, reason=refusal)
            return
        self._note_unknown_push(asker_chat, passed)
        try:
            summary = self.summaries.sum_up(group, occurrence, deadline=claimed.deadline)
        except AizuchiError as cause:
            self._raise_for_another_try(cause, occurrence)
            self._tell_undeliverable(store, claimed, reason="given_up")
            return
        words = summary.words if summary is not None else None
        if words is None and reminder.rule is None:
            words = self.wording.nothing_said(occurrence)
        if words is None:
            logs.info("reminder_empty")
            if claimed.may_be_pushed:
                self._note_unknown_push(asker_chat, occurrence)
            self._advance(store, reminder, occurrence, is_postponed=False)
            return
        if (refusal := self._refusal_in_private(chats, claimed, group)) is not None:
            self._tell_undeliverable(store, claimed, reason=refusal)
            return
        words = self.wording.from_group(occurrence, words, chats.name_of(group))
        amendments = self._check_claim(store, claimed)
        if summary is not None and summary.words.provenance.is_affected_since(summary.before, amendments):
            raise TurnBusyError("a message in the summary was withdrawn or edited")
        claimed = self._reach_push(store, claimed)
        fate = self._push(group, claimed, words, to=asker_chat)
        if fate.kind not in {"accepted", "already_accepted"}:
            self._tell_undeliverable(store, claimed, reason=fate.kind)
            return
        asker_chat.journal.record_outcome(
            OutcomeRecord(
                webhook_event_id=occurrence.id,
                timestamp_ms=self.clock.now_ms(),
                kind=OutcomeKind.REPLIED,
                provenance=Provenance(),
                sent_message_ids=fate.sent_message_ids,
            )
        )
        self._advance(store, claimed.reminder, claimed.occurrence, is_postponed=False)
        logs.info("summary_sent_in_private", was_pushed=fate.kind != "accepted")

    def _refusal_in_private(self, chats: PrivateChats, claimed: _Claimed, group: Conversation) -> Undeliverable | None:
        """Return why nothing may be pushed to the person.  Raises: LineUnavailableError, for half an hour after the due time."""
        try:
            return chats.refusal(group, claimed.reminder.user_id)
        except LineUnavailableError as cause:
            self._raise_for_another_try(cause, claimed.occurrence)
            return Undeliverable.UNNAMED

    def _tell_undeliverable(self, store: ReminderStore, claimed: _Claimed, *, reason: str) -> None:
        """Have the group told with its next answer; for who is no member any more, nothing is summed up again."""
        chats, user_id = self.private_chats, claimed.reminder.user_id
        is_noted = claimed.may_be_pushed and reason not in _NOTHING_IS_STORED
        if is_noted and chats is not None and user_id is not None:
            self._note_unknown_push(chats.of(user_id), claimed.occurrence)
        if reason == Undeliverable.NO_MEMBER:

            def end(current: Reminder | None) -> Reminder | None:
                is_own = current is not None and current.claim == claimed.reminder.claim
                return (
                    current.ended(ReminderState.CANCELLED, now_ms=self.clock.now_ms()) if current and is_own else None
                )

            ended = store.update(claimed.reminder.id, end)
            if ended is not None:
                store.make_marker(ended)
            logs.info("private_summary_ended", reason=reason)
            return
        self._postpone(store, claimed.reminder, claimed.occurrence, reason=reason)

    def _note_unknown_push(self, told: Conversation, occurrence: Occurrence | None) -> None:
        """The chat to which an occurrence may have been pushed says that nobody knows, because no later push will tell.

        Repeated, where it is known, and with None: changes nothing.
        """
        if occurrence is None:
            return
        unknown = OutcomeRecord(
            webhook_event_id=occurrence.id,
            timestamp_ms=self.clock.now_ms(),
            kind=OutcomeKind.UNKNOWN,
            provenance=Provenance(),
        )
        told.journal.record_outcome(unknown)

    def _reason_to_give_up(self, claimed: _Claimed) -> str | None:
        """Return why no worker makes the summary again: workers have tried for half an hour, and may have died of it; None: try.

        A summary that may have been pushed is tried again, because only a push under the same key tells whether LINE has it.
        """
        is_summary = claimed.reminder.kind is ReminderKind.CHAT_SUMMARY
        is_tried = is_summary and claimed.is_repeated and not claimed.may_be_pushed
        return "given_up" if is_tried and self._is_too_late(claimed.occurrence) else None

    def _is_too_late(self, occurrence: Occurrence) -> bool:
        return self.clock.now_ms() - occurrence.due_ms > TRIES_MS

    def _raise_for_another_try(self, cause: AizuchiError, occurrence: Occurrence) -> None:
        """Raise the error again if a later tick may succeed: for half an hour after the due time."""
        if isinstance(cause, _TEMPORARY) and not self._is_too_late(occurrence):
            raise cause
        logs.warning("summary_given_up", error_type=type(cause).__name__)

    def _sum_up(self, conversation: Conversation, claimed: _Claimed) -> "Summary | None":
        """Return a summary; None: there is nothing to say, or no way to say it.

        Raises: ModelUnavailableError, StorageUnavailableError, LineUnavailableError: a later try may succeed.
        """
        if self.summaries is None:
            return None
        try:
            return self.summaries.sum_up(conversation, claimed.occurrence, deadline=claimed.deadline)
        except _TEMPORARY:
            raise
        except AizuchiError as cause:
            logs.warning("summary_given_up", error_type=type(cause).__name__)
            return None

    def _first_words(self, conversation: Conversation, claimed: _Claimed) -> OccurrenceWords | None:
        """Return the words of the first try, which LINE accepted; the reminder's text may have changed since."""
        claim = claimed.reminder.claim
        if claim is None or not claim.text:
            return None
        reminder = replace(claimed.reminder, text=claim.text)
        return self.wording.words(conversation, replace(claimed.occurrence, reminder=reminder))

    def _occurrence_of(self, reminder: Reminder, due_ms: int) -> Occurrence:
        """Return the occurrence to say: after an outage the newest.  Repeated: with the words of the first try."""
        now_ms = self.clock.now_ms()
        newest_ms = schedule_of(reminder).newest_until(now_ms, since_ms=due_ms)
        claim = reminder.claim
        is_repeated = claim is not None and claim.occurrence_ms == newest_ms
        said_ms = claim.first_ms if claim is not None and is_repeated else now_ms
        return Occurrence(reminder=reminder, due_ms=newest_ms, said_ms=said_ms)

    def _reason_to_postpone(self, conversation: Conversation, reminder: Reminder, occurrence: Occurrence) -> str | None:
        """Return a reason against a push, for example `pushes_off`; None: push, also to learn the fate of an earlier push."""
        if reminder.claim is not None and reminder.claim.occurrence_ms == occurrence.due_ms:
            return "fate_unknown" if self.clock.now_ms() - occurrence.said_ms > KEY_VALID_MS else None
        if self.reminding is Reminding.REPLY:
            return "pushes_off"
        if not reminder.is_pushed:
            return "asked_to_wait"
        if reminder.is_private:  # counts in the 1:1 chat, once it is known that it may be pushed there
            return None
        return self.pushes.refusal(conversation, occurrence.id, is_reminder=True)

    def _claim(self, store: ReminderStore, reminder: Reminder, generation: int, occurrence: Occurrence) -> _Claimed:
        """Claim the occurrence.  Raises: TurnBusyError, if the reminder has changed since it was read."""
        conversation, before = store.conversation, reminder.claim
        is_repeated = before is not None and before.occurrence_ms == occurrence.due_ms
        may_be_pushed = _may_be_pushed(reminder, occurrence)
        until_ms, deadline = claim_ends(conversation)
        claim = Claim(
            worker=conversation.turn.new_id(),
            occurrence_ms=occurrence.due_ms,
            first_ms=occurrence.said_ms,
            until_ms=until_ms,
            text=before.text if before is not None and is_repeated else reminder.text,
            has_reached_push=may_be_pushed or reminder.kind is not ReminderKind.CHAT_SUMMARY,
            is_text_lost=before is not None and is_repeated and before.is_text_lost,
        )
        claimed_reminder, written = swap_claimed(store, replace(reminder, claim=claim), generation)
        return _Claimed(
            reminder=claimed_reminder,
            generation=written,
            occurrence=replace(occurrence, reminder=claimed_reminder),
            deadline=deadline,
            is_repeated=is_repeated,
            may_be_pushed=may_be_pushed,
        )

    def _reach_push(self, store: ReminderStore, claimed: _Claimed) -> _Claimed:
        """The claim says that a push may have been made, before it is; return the claim as written.

        Raises: TurnBusyError, if the reminder has changed since the claim.
        """
        claim = claimed.reminder.claim
        if claim is None or claim.has_reached_push:
            return claimed
        noted = replace(claimed.reminder, claim=replace(claim, has_reached_push=True))
        reminder, generation = swap_claimed(store, noted, claimed.generation)
        occurrence = replace(claimed.occurrence, reminder=reminder)
        return replace(claimed, reminder=reminder, generation=generation, occurrence=occurrence)

    def _check_claim(self, store: ReminderStore, claimed: _Claimed) -> Amendments:
        """Check right before the push that the claim still stands; return the amendments.

        Raises: TurnBusyError, if the reminder was changed, cancelled or withdrawn since, or a silence began; the next tick does the
        remaining work.
        """
        conversation, reminder = store.conversation, claimed.reminder
        pending_read = conversation.objects.reads.submit(store.find, reminder.id)
        silences = conversation.objects.reads.submit(conversation.silences.read)
        amendments = conversation.amendments.fresh_look()
        stored = pending_read.result()
        if stored is None or stored[1] != claimed.generation:
            raise TurnBusyError("the reminder was changed under the claim")
        if reminder.is_from_withdrawn(amendments.is_withdrawn_from_entries):
            store.delete(reminder, generation=claimed.generation)
            raise TurnBusyError("the reminder was withdrawn")
        if silences.result().now(self.clock.now_ms()) is not None:
            raise TurnBusyError("a silence began under the claim")
        return amendments

    def _push(
        self, conversation: Conversation, claimed: _Claimed, words: OccurrenceWords, *, to: Conversation | None = None
    ) -> PushFate:
        """Push the reminder of a chat there, or to another chat."""
        return push_claimed(
            self.line,
            self.pushes,
            (to or conversation).id,
            self.wording.messages(claimed.occurrence, words.text),
            retry_key=retry_key(conversation.id, claimed.occurrence),
            deadline=claimed.deadline,
        )

    def _record(  # noqa: PLR0913 - what was pushed, and how
        self,
        conversation: Conversation,
        occurrence: Occurrence,
        words: OccurrenceWords,
        fate: PushFate,
        amendments: Amendments,
        *,
        is_known: bool = True,
    ) -> None:
        """Record the push as an outcome, without the words unless they are known; they go when a message behind them is withdrawn."""
        at_ms, provenance = self.clock.now_ms(), provenance_said(occurrence.reminder, amendments)
        conversation.journal.record_outcome(
            OutcomeRecord(
                webhook_event_id=occurrence.id,
                timestamp_ms=at_ms,
                kind=OutcomeKind.REPLIED,
                provenance=replace(provenance | words.provenance, until_ms=at_ms),
                text=words.text if is_known else None,
                sent_message_ids=fate.sent_message_ids,
            )
        )

    def _leave(self, store: ReminderStore, occurrence: Occurrence, *, reason: str, may_be_pushed: bool) -> None:
        """Leave the occurrence to the chat's next answer or message; but no summary is told again that may have been pushed."""
        if not may_be_pushed:
            self._postpone(store, occurrence.reminder, occurrence, reason=reason)
            return
        self._note_unknown_push(store.conversation, occurrence)
        self._advance(store, occurrence.reminder, occurrence, is_postponed=False)
        logs.warning("summary_fate_unknown", reason=reason)

    def _postpone(self, store: ReminderStore, reminder: Reminder, occurrence: Occurrence, *, reason: str) -> None:
        """Leave the occurrence to the chat's next answer."""
        self._advance(store, reminder, occurrence, is_postponed=True)
        logs.info("reminder_kept", reason=reason)

    def _advance(self, store: ReminderStore, reminder: Reminder, occurrence: Occurrence, *, is_postponed: bool) -> None:
        """Advance the reminder past the occurrence, unless the reminder has changed meanwhile; make the next occurrence's marker."""

        def change(current: Reminder | None) -> Reminder | None:
            if current is None or current.due_ms != reminder.due_ms:
                return None
            is_own = current.claim == reminder.claim or (
                current.claim is not None and current.claim.is_of(reminder.claim)
            )
            if not is_own:
                return None
            return advanced(current, occurrence.due_ms, now_ms=self.clock.now_ms(), is_postponed=is_postponed)

        after = store.update(reminder.id, change)
        if after is not None and after.kept_ms is not None:
            store.conversation.turn.leave()
        if after is not None:
            store.make_marker(after)


def _may_be_pushed(reminder: Reminder, occurrence: Occurrence) -> bool:
    """Whether a summary was claimed before for this occurrence, by a worker that may have pushed it."""
    claim = reminder.claim
    is_claimed = claim is not None and claim.occurrence_ms == occurrence.due_ms and claim.has_reached_push
    return is_claimed and reminder.kind is ReminderKind.CHAT_SUMMARY


def _passed_push(reminder: Reminder, occurrence: Occurrence) -> Occurrence | None:
    """Return the claimed occurrence that may have been pushed, if a newer one has replaced it in an outage of ticks."""
    claim = reminder.claim
    if claim is None or not claim.has_reached_push or claim.occurrence_ms == occurrence.due_ms:
        return None
    return replace(occurrence, due_ms=claim.occurrence_ms)


def advanced(reminder: Reminder, occurrence_ms: int, *, now_ms: int, is_postponed: bool) -> Reminder:
    """Return the reminder after an occurrence; an older postponed occurrence is not said any more."""
    next_ms = schedule_of(reminder).next_after(occurrence_ms)
    if next_ms is None and not is_postponed:
        return reminder.ended(ReminderState.DONE, now_ms=now_ms)
    return replace(reminder, due_ms=next_ms, claim=None, kept_ms=occurrence_ms if is_postponed else None)


def provenance_said(reminder: Reminder, amendments: Amendments) -> Provenance:
    """Return the provenance of an answer with the reminder's words.

    A reset spares reminders, so their words do not count as older than the reset.
    """
    return replace(
        reminder.provenance,
        since_ms=max(reminder.since_ms, amendments.erased_ms + 1),
        entries_since_ms=amendments.erased_entries_ms + 1,
    )


def schedule_of(reminder: Reminder) -> Schedule:
    """Return the reminder's schedule."""
    return Schedule(reminder.start, reminder.zone, reminder.recurrence)


def retry_key(conversation_id: str, occurrence: Occurrence) -> str:
    """Return the key under which LINE accepts the push of an occurrence only once."""
    return str(uuid.uuid5(_KEYS, f"{conversation_id}/{occurrence.reminder.id}/{occurrence.due_ms}"))
