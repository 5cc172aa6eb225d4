"""Apply a committed outcome's staged writes to reminders: once, whichever worker ends the turn."""

from dataclasses import replace
from typing import Protocol, TypeAlias

from shared import logs
from shared.conversation.records import OutcomeKind, OutcomeRecord, SaidReminder
from shared.conversation.store import Conversation
from shared.reminders.reminder import Reminder, ReminderState
from shared.reminders.store import ReminderStore
from shared.storage.codec import decode

_Key: TypeAlias = tuple[int, int]


class HeldLease(Protocol):
    """The lease under which a worker applies staged writes."""

    @property
    def is_over(self) -> bool:
        """Whether the holder may write nothing more."""
        ...


class StagedReminderWriter:
    """Applies staged writes of reminders.  Only the holder of the chat's turn calls `apply`."""

    def apply(self, conversation: Conversation, outcome: OutcomeRecord, lease: HeldLease) -> bool:
        """Return whether every staged write of the outcome is in its reminder, with the marker of the next occurrence.

        False: the lease, which is checked before each write, was over. A write's key is the outcome's sequence and the write's place, for
        example `(12, 2)`; a write is made if its key is larger than the key in the object. Kept reminders in the outcome are recorded as
        said, unless the outcome certainly did not arrive.
        Repeated: does the rest, also after a partial run.
        Raises: StorageUnavailableError.
        """
        store, written = ReminderStore(conversation), 0
        for number, write in enumerate(outcome.writes):
            reminder_id = write.reminder_id
            if reminder_id is None:
                continue
            if lease.is_over:
                return False
            staged = decode(Reminder, write.text.encode()) if write.text is not None else None
            _apply_write(
                store, reminder_id, staged, key=(outcome.sequence, number), now_ms=conversation.turn.clock.now_ms()
            )
            written += 1
        if written:
            logs.info("reminders_written", writes=written)
        if outcome.kind is OutcomeKind.UNDELIVERED:
            return True
        for said_reminder in outcome.reminders:
            if lease.is_over:
                return False
            _record_said(store, said_reminder, now_ms=conversation.turn.clock.now_ms())
        return True


def _apply_write(store: ReminderStore, reminder_id: str, staged: Reminder | None, *, key: _Key, now_ms: int) -> None:
    """Make the write unless the object has this key or a larger key; then make the marker of the next occurrence.

    The marker of an earlier time stays until its minute, when a tick finds nothing due. The marker is made before the record: if a worker
    dies between the two and the turn is taken back, no other worker makes the marker. The marker is made again after the record, because a
    tick may have cleared the first marker during a slow write.
    """

    def newer(stored: Reminder | None) -> Reminder | None:
        if stored is None:  # a missing reminder was withdrawn: only the write that creates a reminder makes one
            return staged if staged is not None and staged.created == key else None
        if stored.revision >= key:
            return None
        if staged is not None:
            return _changed(stored, staged)
        return replace(stored.ended(ReminderState.CANCELLED, now_ms=now_ms), revision=key) if stored.is_open else None

    if staged is not None:
        store.make_marker(staged)
    after = store.update(reminder_id, newer)
    if after is not None:
        store.make_marker(after)
    elif staged is not None:
        store.delete_marker(staged)


def _record_said(store: ReminderStore, said_reminder: SaidReminder, *, now_ms: int) -> None:
    """Record that the kept occurrence was said, or may have been said: no other answer says the occurrence."""

    def change(stored: Reminder | None) -> Reminder | None:
        if stored is None or stored.kept_ms != said_reminder.occurrence_ms:
            return None
        cleared = replace(stored, kept_ms=None)
        return cleared.ended(ReminderState.DONE, now_ms=now_ms) if cleared.due_ms is None else cleared

    after = store.update(said_reminder.id, change)
    if after is not None:
        store.make_marker(after)


def _changed(stored: Reminder, staged: Reminder) -> Reminder:
    """Return the staged reminder; with an unchanged schedule, the occurrence that ticks have reached since stays."""
    staged = replace(staged, pressed_ms=stored.pressed_ms, pressed_by=stored.pressed_by)
    if not staged.has_schedule_of(stored):
        return staged
    return replace(
        staged,
        due_ms=stored.due_ms,
        claim=stored.claim,
        kept_ms=stored.kept_ms,
        state=stored.state,
        ended_ms=stored.ended_ms,
    )
