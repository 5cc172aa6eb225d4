"""Kept reminders: those that could not be pushed are said with the chat's next answer; the outcome carries them, so each is said once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from shared import logs
from shared.clock import Clock
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord, SaidReminder
from shared.conversation.store import Conversation
from shared.errors import StorageUnavailableError
from shared.line.bubbles import longest_answer
from shared.line.messaging import MESSAGES_A_CALL
from shared.reminders.delivery import provenance_said
from shared.reminders.reminder import Reminder
from shared.reminders.store import ReminderStore
from shared.reminders.wording import Occurrence, Wording
from shared.storage.codec import decode_readable
from shared.turns.lease import Lease


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReminders:
    """Adds kept reminders to answers; an Additions."""

    wording: Wording
    clock: Clock = field(repr=False)

    def begin(self, lease: Lease) -> Callable[[OutcomeRecord, Amendments], OutcomeRecord]:
        """Begin to read what is kept; return a function that adds it to an answer of the turn that is held now.

        Nothing is read if no tick has kept anything since a turn found nothing kept. An answer takes as many reminders as it has room for,
        the oldest first, and none that it changes itself. Other outcomes are returned unchanged, and so is an answer if the bucket cannot
        be read.
        """
        if not lease.record.has_left:
            return lambda outcome, _: outcome
        conversation, left = lease.conversation, lease.record.left
        store = ReminderStore(conversation)
        listing = conversation.objects.reads.submit(store.list_objects)

        def add(outcome: OutcomeRecord, amendments: Amendments) -> OutcomeRecord:
            if outcome.kind is not OutcomeKind.REPLIED or not outcome.text or outcome.offer.is_deferral:
                return outcome
            try:
                bodies = conversation.objects.read_all(listing.result())
                reminders = decode_readable(Reminder, bodies)
                _note(lease, left, reminders)
                kept = _kept(reminders, outcome, amendments)
                for reminder, occurrence_ms in kept:
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
        """Return the answer with the reminder; None: there is no room left in it."""
        occurrence = Occurrence(reminder=reminder, due_ms=occurrence_ms, said_ms=self.clock.now_ms(), is_kept=True)
        carried = (*outcome.reminders, SaidReminder(id=reminder.id, occurrence_ms=occurrence_ms))
        said = self.wording.said(conversation, occurrence)
        if said is None:
            return replace(outcome, reminders=carried)
        text = f"{outcome.text}\n\n{said.text}"
        if len(text) > _room_of(outcome):
            return None
        return replace(
            outcome,
            text=text,
            provenance=Provenance.union((outcome.provenance, provenance_said(reminder, amendments), said.provenance)),
            reminders=carried,
        )


def _room_of(outcome: OutcomeRecord) -> int:
    """Return how long the answer may be; each question that follows it takes a bubble."""
    questions = bool(outcome.offer.forgets) + outcome.offer.has_proposals
    return longest_answer(at_most=MESSAGES_A_CALL - questions)


def _note(lease: Lease, left: int, reminders: Iterable[Reminder]) -> None:
    """Note in the turn that nothing is kept of what ticks had left by the time at which these reminders were listed."""
    if all(one.kept_ms is None for one in reminders):
        lease.note_said(left)


def _kept(reminders: Iterable[Reminder], outcome: OutcomeRecord, amendments: Amendments) -> list[tuple[Reminder, int]]:
    """Return what is kept, the oldest first, without what the turn itself changes or what was withdrawn."""
    changed = {one.reminder_id for one in outcome.writes}
    waiting = (
        (one, one.kept_ms)
        for one in reminders
        if one.is_open
        and one.kept_ms is not None
        and one.id not in changed
        and not one.is_from_withdrawn(amendments.is_withdrawn_from_entries)
    )
    return sorted(waiting, key=lambda one: (one[1], one[0].id))
