"""Apply a committed outcome's staged writes to reminders, and record which postponed reminders an answer said."""

from dataclasses import dataclass, field, replace

from shared import logs
from shared.conversation.records import OutcomeKind, OutcomeRecord, SaidReminder, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey
from shared.reminders.reminder import REMINDERS_PATH, Reminder, ReminderState
from shared.reminders.store import ReminderStore
from shared.storage.codec import decode
from shared.turns.basis import HeldLease


class ReminderWriter:
    """Applies staged writes of reminders."""

    def owns(self, path: str) -> bool:
        return path.startswith(REMINDERS_PATH)

    def begin(self, conversation: Conversation, outcome: OutcomeRecord) -> "ReminderWriting":
        return ReminderWriting(store=ReminderStore(conversation), outcome=outcome)


@dataclass(slots=True, kw_only=True)
class ReminderWriting:
    """An outcome's writes to reminders, each with the marker of the next occurrence."""

    store: ReminderStore
    outcome: OutcomeRecord
    written: list[str] = field(default_factory=list, repr=False)

    def write(self, write: StagedWrite, *, key: WriteKey) -> None:
        staged = decode(Reminder, write.text.encode()) if write.text is not None else None
        _apply_write(self.store, write.path.removeprefix(REMINDERS_PATH), staged, key=key, now_ms=self._now_ms)
        self.written.append(write.path)

    def finish(self, lease: HeldLease) -> bool:
        """Record postponed reminders in the outcome as said, unless the outcome certainly did not arrive."""
        if self.written:
            logs.info("reminders_written", writes=len(self.written))
        if self.outcome.kind is OutcomeKind.UNDELIVERED:
            return True
        for said_reminder in self.outcome.reminders:
            if lease.is_over:
                return False
            record_said(self.store, said_reminder, now_ms=self._now_ms)
        return True

    @property
    def _now_ms(self) -> int:
        return self.store.conversation.turn.clock.now_ms()


def _apply_write(
    store: ReminderStore, reminder_id: str, staged: Reminder | None, *, key: WriteKey, now_ms: int
) -> None:
    """Make the write unless the object has this key or a larger key; then make the marker of the next occurrence.

    The marker of an earlier time stays until its minute, when a tick finds nothing due. The marker is made before the record: if a worker
    dies between the two and the turn is taken back, no other worker makes the marker. The marker is made again after the record, if a tick
    may have cleared the first marker during a slow write.
    """

    def newer(stored: Reminder | None) -> Reminder | None:
        if stored is None:  # a missing reminder was withdrawn: only the write that creates a reminder makes one
            return staged if staged is not None and staged.created == key else None
        if stored.revision >= key:
            return None
        if staged is not None:
            return _changed(stored, staged)
        return replace(stored.ended(ReminderState.CANCELLED, now_ms=now_ms), revision=key) if stored.is_open else None

    marked_ms = store.make_marker(staged) if staged is not None else None
    after = store.update(reminder_id, newer)
    if after is not None:
        store.make_marker(after, unless_ms=marked_ms)
    elif staged is not None:
        store.delete_marker(staged)


def record_said(store: ReminderStore, said_reminder: SaidReminder, *, now_ms: int) -> None:
    """Record that the postponed occurrence was said, or may have been said: no other answer says the occurrence."""

    def change(stored: Reminder | None) -> Reminder | None:
        if stored is None or stored.kept_ms != said_reminder.occurrence_ms:
            return None
        cleared = replace(stored, kept_ms=None)
        return cleared.ended(ReminderState.DONE, now_ms=now_ms) if cleared.due_ms is None else cleared

    after = store.update(said_reminder.id, change)
    if after is not None:
        store.make_marker(after)


def _changed(stored: Reminder, staged: Reminder) -> Reminder:
    """Return the staged reminder; with an unchanged schedule, the occurrence that ticks have reached since stays.

    Another member's new text leaves no older text in a claim: the reminder no longer goes with the messages behind the older text.
    Only an undo stages an open reminder over a cancelled reminder, which it replaces whole.
    """
    staged = replace(
        staged, pressed_ms=stored.pressed_ms, pressed_by=stored.pressed_by, limit_told_on=stored.limit_told_on
    )
    if stored.state is ReminderState.CANCELLED or not staged.has_schedule_of(stored):
        return staged
    claim = stored.claim
    if claim is not None and not stored.provenance.message_ids <= staged.provenance.message_ids:
        claim = claim.without_text()
    return replace(
        staged,
        due_ms=stored.due_ms,
        claim=claim,
        kept_ms=stored.kept_ms,
        tries=stored.tries,
        state=stored.state,
        ended_ms=stored.ended_ms,
    )
