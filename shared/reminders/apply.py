"""Apply the staged writes of a committed outcome to reminders: once, whichever worker ends the turn."""

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
        """Whether its holder may write nothing more."""
        ...


class StagedReminderWriter:
    """Applies staged writes.  Only the holder of the chat's turn calls it."""

    def apply(self, conversation: Conversation, outcome: OutcomeRecord, lease: HeldLease) -> bool:
        """Return whether every staged write of the outcome is in its reminder, with the marker of its next occurrence.

        False: the lease, which is checked before each write, was over. A write is made if its key, the outcome's sequence and the write's
        place, is larger than the one in the object. Kept reminders that the outcome says are said, unless it certainly did not arrive.
        Repeated, also after a part of it: does the rest. Raises: StorageUnavailableError.
        """
        store, written = ReminderStore(conversation), 0
        for number, write in enumerate(outcome.writes):
            reminder_id = write.reminder_id
            if reminder_id is None:
                continue
            if lease.is_over:
                return False
            wanted = decode(Reminder, write.text.encode()) if write.text is not None else None
            _apply_write(
                store, reminder_id, wanted, key=(outcome.sequence, number), now_ms=conversation.turn.clock.now_ms()
            )
            written += 1
        if written:
            logs.info("reminders_written", writes=written)
        if outcome.kind is OutcomeKind.UNDELIVERED:
            return True
        for said in outcome.reminders:
            if lease.is_over:
                return False
            _mark_said(store, said, now_ms=conversation.turn.clock.now_ms())
        return True


def _apply_write(store: ReminderStore, reminder_id: str, wanted: Reminder | None, *, key: _Key, now_ms: int) -> None:
    """Make the write unless its object has this key or a larger one; then the next occurrence has a marker.

    The marker of an earlier time stays until its minute, when a tick finds that nothing is due. The marker is made before the record: if a
    worker dies between the two and its turn is taken back, no other worker makes it. It is made again after the record, because a tick may
    have cleared it while the write was slow.
    """

    def newer(there: Reminder | None) -> Reminder | None:
        if there is None:  # a reminder that is gone was withdrawn, so only its creation makes it
            return wanted if wanted is not None and wanted.created == key else None
        if there.revision >= key:
            return None
        if wanted is not None:
            return _changed(there, wanted)
        return replace(there.ended(ReminderState.CANCELLED, now_ms=now_ms), revision=key) if there.is_open else None

    if wanted is not None:
        store.mark(wanted)
    after = store.update(reminder_id, newer)
    if after is not None:
        store.mark(after)
    elif wanted is not None:
        store.unmark(wanted)


def _mark_said(store: ReminderStore, said: SaidReminder, *, now_ms: int) -> None:
    """The kept occurrence was said, or its fate is unknown: no other answer says it."""

    def change(there: Reminder | None) -> Reminder | None:
        if there is None or there.kept_ms != said.occurrence_ms:
            return None
        rest = replace(there, kept_ms=None)
        return rest.ended(ReminderState.DONE, now_ms=now_ms) if rest.due_ms is None else rest

    after = store.update(said.id, change)
    if after is not None:
        store.mark(after)


def _changed(there: Reminder, wanted: Reminder) -> Reminder:
    """Return the reminder as changed; if its schedule is the same, it keeps the occurrence to which ticks have advanced it since."""
    wanted = replace(wanted, pressed_ms=there.pressed_ms, pressed_by=there.pressed_by)
    if not wanted.has_schedule_of(there):
        return wanted
    return replace(
        wanted,
        due_ms=there.due_ms,
        claim=there.claim,
        kept_ms=there.kept_ms,
        state=there.state,
        ended_ms=there.ended_ms,
    )
