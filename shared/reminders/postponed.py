"""Postponed reminders: occurrences that could not be pushed, said once with the chat's next answer, whose outcome carries them."""

from collections.abc import Callable, Iterable
from dataclasses import field, replace

from shared import logs
from shared.clock import Clock
from shared.conversation.amendments import Amendments
from shared.conversation.history import History
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord, SaidReminder
from shared.conversation.store import Conversation
from shared.errors import StorageUnavailableError
from shared.frozen import frozen
from shared.line.bubbles import longest_answer
from shared.line.messaging import MESSAGES_A_CALL
from shared.reminders.delivery import provenance_said
from shared.reminders.reminder import REMINDERS_PATH, Reminder, ReminderKind
from shared.reminders.store import ReminderStore
from shared.reminders.wording import Occurrence, Wording
from shared.storage.codec import decode_readable
from shared.turns.lease import Lease


@frozen
class PostponedReminders:
    """Adds postponed reminders to answers; an Additions."""

    wording: Wording
    clock: Clock = field(repr=False)

    def begin(self, lease: Lease) -> Callable[[OutcomeRecord, History], OutcomeRecord]:
        """Begin to read the postponed reminders; return a function that adds them to an answer of the current turn.

        Nothing is read if no tick has postponed anything since a turn last found nothing. An answer takes as many reminders as fit, the
        oldest first, and none changed by the turn itself. Other outcomes stay unchanged, and so does an answer if the bucket is unreadable.
        """
        if not lease.record.has_left:
            return lambda outcome, _: outcome
        conversation, leave_count = lease.conversation, lease.record.left
        store = ReminderStore(conversation)
        listing = conversation.objects.reads.submit(store.list_objects)

        def add(outcome: OutcomeRecord, history: History) -> OutcomeRecord:
            amendments = history.amendments
            if outcome.kind is not OutcomeKind.REPLIED or not outcome.text or outcome.offer.is_deferral:
                return outcome
            try:
                bodies = conversation.objects.read_all(listing.result())
                reminders = decode_readable(Reminder, bodies)
                _record_nothing_postponed(lease, leave_count, reminders)
                waiting = _waiting(reminders, outcome, amendments)
                for reminder, occurrence_ms in waiting:
                    added = self._with(conversation, outcome, reminder, occurrence_ms, amendments)
                    if added is None:
                        return outcome
                    outcome = added
            except StorageUnavailableError as cause:
                logs.error("kept_reminders_unread", cause=cause)
            return outcome

        return add

    def _with(
        self,
        conversation: Conversation,
        outcome: OutcomeRecord,
        reminder: Reminder,
        occurrence_ms: int,
        amendments: Amendments,
    ) -> OutcomeRecord | None:
        """Return the answer with the reminder; None: the answer has no room."""
        occurrence = Occurrence(reminder=reminder, due_ms=occurrence_ms, said_ms=self.clock.now_ms(), is_postponed=True)
        carried = (*outcome.reminders, SaidReminder(id=reminder.id, occurrence_ms=occurrence_ms))
        words = self.wording.words(conversation, occurrence)
        if words is None:
            return replace(outcome, reminders=carried)
        text = f"{outcome.text}\n\n{words.text}"
        if len(text) > _room_of(outcome):
            return None
        return replace(
            outcome,
            text=text,
            provenance=Provenance.union((outcome.provenance, provenance_said(reminder, amendments), words.provenance)),
            reminders=carried,
        )


def _room_of(outcome: OutcomeRecord) -> int:
    """Return the longest text of the answer; each question after the answer takes a bubble."""
    return longest_answer(at_most=MESSAGES_A_CALL - outcome.offer.questions)


def _record_nothing_postponed(lease: Lease, leave_count: int, reminders: Iterable[Reminder]) -> None:
    """If no listed reminder is postponed, record in the turn that every occurrence left by ticks before the listing was said."""
    if all(one.kept_ms is None for one in reminders):
        lease.note_said(leave_count)


def _waiting(
    reminders: Iterable[Reminder], outcome: OutcomeRecord, amendments: Amendments
) -> list[tuple[Reminder, int]]:
    """Return the postponed occurrences, the oldest first: no summaries for the chat, none that the turn changes, none withdrawn."""
    changed_paths = {write.path for write in outcome.writes}
    waiting = (
        (reminder, reminder.kept_ms)
        for reminder in reminders
        if reminder.is_open
        and (reminder.kind is not ReminderKind.CHAT_SUMMARY or reminder.is_private)
        and reminder.kept_ms is not None
        and f"{REMINDERS_PATH}{reminder.id}" not in changed_paths
        and not reminder.is_from_withdrawn(amendments.is_withdrawn_from_entries)
    )
    return sorted(waiting, key=lambda pair: (pair[1], pair[0].id))
