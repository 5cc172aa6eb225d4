"""The notice of an edit that removed something: what was made from the older words, and what becomes of the new words.

An edit removes the notes and reminders made from the older words. A message that asked for a note itself is filed anew at once;
a button files the new words of any other message. The group is told on the token of the edit, else with the chat's next answer, never by a
push.
Source: LINE, "Message edited event", where the event's reply token is optional.
"""

from collections import Counter
from dataclasses import field, replace
from typing import Final

from shared import logs
from shared.access.budgets import Budgets
from shared.agent.refiling import filing_of, with_filing_offered
from shared.conversation.amendment_records import MadeOfMessage
from shared.conversation.history import History
from shared.conversation.records import MessageRecord, Offer, OutcomeRecord, provenance_of
from shared.conversation.spending import weighted_tokens
from shared.conversation.store import Conversation
from shared.frozen import frozen
from shared.handlers.holdings import Held, Holding, described
from shared.knowledge.entry_store import EntryStore
from shared.line.events import LineEvent
from shared.line.language import language_of
from shared.line.messaging import SENDING_S
from shared.line.phrases import Phrase, Phrases
from shared.metering import Meter, log_usage, metered
from shared.reminders.store import ReminderStore
from shared.turns.announcement import Announcement, Announcer
from shared.turns.basis import Basis
from shared.turns.lease import Lease
from shared.turns.question import ConfirmedChanges, Question

_FILING_S: Final = 8.0
_GAP: Final = "\n\n"


def made_of(conversation: Conversation, line_message_id: str) -> MadeOfMessage:
    """Return the notes and reminders that name the message as a source."""
    rows = EntryStore(conversation).catalog().rows
    made = [row for row in rows if line_message_id in row.provenance.message_ids]
    reminders = ReminderStore(conversation).read_all()
    return MadeOfMessage(
        notes=tuple(sorted(row.id or row.created_at for row in made)),
        reminders=tuple(sorted(one.id for one in reminders if line_message_id in one.provenance.message_ids)),
        is_one_note=len(made) == 1 and made[0].provenance.message_ids == {line_message_id},
    )


def removed_since(made: MadeOfMessage, conversation: Conversation) -> tuple[Holding, ...]:
    """Return how many of the notes and of the reminders are gone, each kind that lost any; a note with the words of other messages is not.

    Example: of an edit that removed one note, the count "notes 1", and nothing of reminders.
    """
    if not made:
        return ()
    rows = EntryStore(conversation).catalog().rows
    remaining = Counter(row.id or row.created_at for row in rows) | Counter(row.created_at for row in rows)
    reminders = {one.id for one in ReminderStore(conversation).read_all()}
    counts = {
        Held.ENTRIES: (Counter(made.notes) - remaining).total(),
        Held.REMINDERS: len({*made.reminders} - reminders),
    }
    return tuple(Holding(folder=kind, count=count) for kind, count in counts.items() if count)


@frozen
class EditNotice:
    """Tells a group what an edit removed."""

    announcer: Announcer
    changes: ConfirmedChanges = field(repr=False)
    budgets: Budgets = field(repr=False)
    phrases: Phrases

    def __call__(
        self, conversation: Conversation, event: LineEvent, line_message_id: str, text: str, made: MadeOfMessage
    ) -> None:
        """The group was told, or is told with its next answer, if anything that was `made` of the message is gone.

        The notice names the new words only. Repeated: told once, also after a worker that died between the edit and the notice.
        Example: the edit of "rice, 10 kg" to "rice, 5 kg" is followed by "☐ File: “rice, 5 kg”", with a button that files it.
        Raises: TurnBusyError, StorageUnavailableError.
        """
        removed = removed_since(made, conversation)
        if not removed:
            return
        has_notes = any(holding.folder == Held.ENTRIES for holding in removed)
        counts = {str(holding.folder): holding.count for holding in removed}
        logs.info("edit_removed_entries", has_token=event.reply_token is not None, **counts)
        locale = language_of((text,), default=self.phrases.locale, chosen=conversation.turn.chosen_locale())
        notice = Announcement(
            event=event,
            text=self.phrases.text(Phrase.EDIT_REMOVED, locale=locale, things=described(removed, locale=locale)),
            offer=Offer(is_postponed=True, refiles=line_message_id if has_notes else None),
        )
        if has_notes:
            completion = _Completion(
                event=event, line_message_id=line_message_id, may_file=made.is_one_note, locale=locale, notice=self
            )
            notice = replace(notice, complete=completion)
        if has_notes and made.is_one_note:
            notice = replace(notice, spends=self.budgets.opened, turn_s=SENDING_S + _FILING_S)
        self.announcer.announce(conversation, notice)

    def file(
        self, event: LineEvent, message: MessageRecord, notice: OutcomeRecord, lease: Lease, history: History
    ) -> OutcomeRecord:
        """Return the notice with the new note and the note's receipt; a note that could not be filed changes nothing."""
        proposed = filing_of(message)
        if not proposed:
            return notice
        provenance = notice.provenance | provenance_of((message,))
        draft = replace(notice, provenance=provenance, offer=replace(notice.offer, refiles=None))
        question = Question(
            conversation=lease.conversation,
            history=history.isolated((message,)),
            asked=(message,),
            draft=draft,
            basis=Basis(conversation=lease.conversation, lease=lease, prompt=provenance, before=history.amendments),
            deadline=event.deadline.within(min(_FILING_S, lease.left_s / 2)),
            sequence=lease.record.sequence + 1,
            chosen_locale=lease.record.chosen_locale,
        )
        meter = Meter(lease.conversation.id, is_of_turn=True)
        with metered(meter):
            filed = self.changes.carry_out(question, proposed)
        log_usage(meter, weigh=weighted_tokens)
        if not filed.writes:
            return replace(notice, audit=replace(notice.audit, usage=meter.usage))
        audit = replace(filed.audit, usage=meter.usage)
        return replace(filed, kind=notice.kind, text=f"{notice.text}{_GAP}{filed.text}", audit=audit)


@frozen
class _Completion:
    """Completes the notice of an edit in the chat's turn.  `may_file`: the message alone was the source of one note."""

    event: LineEvent
    line_message_id: str
    may_file: bool
    locale: str
    notice: EditNotice

    def __call__(self, outcome: OutcomeRecord, lease: Lease, history: History) -> OutcomeRecord:
        """Return the notice with the message's newest words filed, or offered for a tap; without a token, the next answer offers them."""
        message = next((one for one in history.messages if one.line_message_id == self.line_message_id), None)
        if message is None:
            return outcome
        if self.may_file and message.addressed and lease.record.spending.is_reserved:
            outcome = self.notice.file(self.event, message, outcome, lease, history)
        if outcome.writes or self.event.reply_token is None:
            return outcome
        return with_filing_offered(outcome, message, locale=self.locale)
