"""What one turn stages of a chat's reminders.  It reads its own writes; nothing reaches the bucket before the turn is committed.

An overlay serves one thought, so a turn that is thought again begins with nothing staged. Tools of one round run in parallel: every method
may be called from several threads.
"""

import datetime as dt
import hashlib
import threading
import zoneinfo
from dataclasses import dataclass, field, replace
from typing import Final

from shared.agent.receipts import Deed, DeedKind, Due
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import IsWithdrawn, Provenance
from shared.conversation.records import REMINDERS_PATH, StagedWrite
from shared.conversation.store import Conversation
from shared.reminders.fault import ReminderExistsError, ReminderFault
from shared.reminders.reminder import REMINDERS_LIMIT, TEXT_LIMIT, Reminder, ReminderKind, ReminderState
from shared.reminders.schedule import Schedule, checked_schedule, local_time
from shared.reminders.store import ReminderStore
from shared.search.folding import fold
from shared.storage.codec import encode

CHANGES_LIMIT: Final = 20
"""Reminders that one turn may change, because its outcome carries them whole."""


class ReminderOverlay:
    """One turn's view of its chat's reminders."""

    def __init__(
        self, *, store: ReminderStore, sequence: int, zone: str, now_ms: int, is_withdrawn: IsWithdrawn
    ) -> None:
        """`sequence` is the number of the commit that the turn works towards; local times are of `zone`.

        Reminders that came from something withdrawn do not exist for the turn: a withdrawal is about to remove them.
        """
        self._store = store
        self._sequence = sequence
        self._zone = zone
        self._now_ms = now_ms
        self._is_withdrawn = is_withdrawn
        self._lock = threading.RLock()
        self._stored: dict[str, Reminder] | None = None
        self._staged: dict[str, Reminder] = {}
        self._is_sealed = False
        self._shown = Provenance()
        self._shown_ids: set[str] = set()
        self.messages_each_time = 1
        """What each occurrence counts as against the account's quota; receipts tell it."""
        self._carried: dict[str, int | None] = {}
        self._keys: dict[str, tuple[int, int]] = {}

    @property
    def zone(self) -> str:
        """The time zone of local times."""
        return self._zone

    @property
    def provenance(self) -> Provenance:
        """Of what the model was shown and what is staged: an unsend of one of its messages affects the turn."""
        with self._lock:
            return Provenance.union((self._shown, *(one.provenance for one in self._staged.values())))

    def list(self) -> tuple[Reminder, ...]:
        """Return the open reminders, which the model is shown, the next one first; two round trips a turn."""
        with self._lock:
            found = self._open()
            self._mark_shown(*found)
            return found

    def show(self, reminder_id: str) -> Reminder:
        """Return one open reminder, which the model is shown.  Raises: ReminderFault."""
        with self._lock:
            found = self._find(reminder_id)
            self._mark_shown(found)
            return found

    def revision_of(self, reminder_id: str) -> str:
        """Return the key of the write that made the reminder as it is; after `changes`, that of the staged write.  "": none is open.

        Its occurrences are no change of it: a daily reminder that was said meanwhile has the same revision.
        """
        with self._lock:
            reminder = next((one for one in self._open() if one.id == reminder_id), None)
            return "" if reminder is None else "{}.{}".format(*self._keys.get(reminder_id, reminder.revision))

    def due_until(self, until_ms: int) -> tuple[tuple[int, str], ...]:
        """Return the time and the reminder's id of everything that is due in the chat before this time."""
        with self._lock:
            return tuple(
                (at_ms, one.id)
                for one in self._open()
                for at_ms in Schedule(one.start, one.zone, one.recurrence).between(self._now_ms, until_ms)
            )

    def note_carried(self, reminder_id: str, carried: int | None) -> None:
        """The account's quota carries only so many of the reminder's next times; None: all.  Receipts tell it."""
        with self._lock:
            self._carried[reminder_id] = carried

    @property
    def shown(self) -> tuple[Reminder, ...]:
        """The open reminders that the model was shown in this turn."""
        with self._lock:
            return tuple(one for one in self._open() if one.id in self._shown_ids) if self._shown_ids else ()

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """What the staged writes do, against what is in the bucket."""
        with self._lock:
            stored = self._load() if self._staged else {}
            return tuple(
                self._deed(kind, one)
                for one in self._staged.values()
                if (kind := _kind_of_deed(stored.get(one.id), one)) is not None
            )

    def create(  # noqa: PLR0913 - what a reminder is made of
        self,
        *,
        text: str,
        at: str,
        rule: str | None = None,
        kind: ReminderKind = ReminderKind.TEXT,
        provenance: Provenance,
        user_id: str | None,
        is_trial: bool = False,
        may_repeat: bool = True,
    ) -> Reminder:
        """Stage a reminder at a local time, unless this `is_trial`, and return it.

        Unless it `may_repeat`, an open one of the same words and times, which the model is shown then, is not set a second time.
        Raises: ReminderFault, ReminderExistsError.
        """
        text = _checked_text(text, kind)
        with self._lock:
            self._check_room()
            if not may_repeat:
                self._check_repeated(text, kind, *self._schedule(at, rule)[:2])
            if len(self._open()) >= REMINDERS_LIMIT:
                raise ReminderFault(f"This chat has {REMINDERS_LIMIT} open reminders; some must be cancelled first.")
            start, checked, due_ms = self._schedule(at, rule)
            reminder = Reminder(
                id=self._new_id(),
                kind=kind,
                text=text,
                provenance=provenance,
                user_id=user_id,
                start=start,
                zone=self._zone,
                rule=checked,
                due_ms=due_ms,
            )
            if not is_trial:
                self._staged[reminder.id] = reminder
            return reminder

    def _check_repeated(self, text: str, kind: ReminderKind, start: str, rule: str | None) -> None:
        """Raises: ReminderExistsError."""
        wanted = (fold(text), kind, start, self._zone, rule)
        for one in self._open():
            if (fold(one.text), one.kind, one.start, one.zone, one.rule) == wanted:
                self._mark_shown(one)
                raise ReminderExistsError(one)

    def change(  # noqa: PLR0913 - likewise
        self,
        reminder_id: str,
        *,
        text: str | None = None,
        at: str | None = None,
        rule: str | None = None,
        provenance: Provenance | None = None,
        is_trial: bool = False,
    ) -> Reminder:
        """Stage another text, time or rule of a reminder, unless this `is_trial`, and return it; an empty rule: it recurs no more.

        `provenance` is that of what is new. Another text comes from these, and from what the same person had said before: what
        others said of the old text goes with it. A member who changes only the time of what others asked for is no source of their words.
        Raises: ReminderFault.
        """
        with self._lock:
            there = self._find(reminder_id)
            self._check_room(reminder_id)
            text = None if text is None else _checked_text(text, there.kind)
            wanted = replace(
                there,
                provenance=_provenance_of_change(
                    there.provenance, provenance or Provenance(), is_reworded=text not in {None, there.text}
                ),
            )
            if text is not None:
                wanted = replace(wanted, text=text)
            if at is not None or rule is not None:
                start, checked, due_ms = self._schedule(
                    at or _next_time(there), _rest_of_rule(there) if rule is None else rule or None
                )
                wanted = replace(
                    wanted, start=start, zone=self._zone, rule=checked, due_ms=due_ms, claim=None, kept_ms=None
                )
            if not is_trial:
                self._staged[reminder_id] = wanted
            return wanted

    def cancel(self, reminder_id: str) -> Reminder:
        """Stage that a reminder is said no more; return it as it was.  Raises: ReminderFault."""
        with self._lock:
            there = self._find(reminder_id)
            self._check_room(reminder_id)
            self._staged[reminder_id] = replace(there, state=ReminderState.CANCELLED)
            return there

    def changes(self, *, first_number: int) -> tuple[StagedWrite, ...]:
        """Return the staged writes, whose first is the write of this number of the outcome; no write is staged after this call."""
        with self._lock:
            self._is_sealed = True
            stored = self._load() if self._staged else {}
            writes: list[StagedWrite] = []
            for reminder_id, reminder in self._staged.items():
                there = stored.get(reminder_id)
                if reminder == there or (there is None and not reminder.is_open):
                    continue
                key = self._keys[reminder_id] = (self._sequence, first_number + len(writes))
                revised = replace(reminder, created=key if there is None else there.created, revision=key)
                text = encode(revised).decode() if reminder.is_open else None
                writes.append(StagedWrite(path=f"{REMINDERS_PATH}{reminder_id}", text=text))
            return tuple(writes)

    def _mark_shown(self, *reminders: Reminder) -> None:
        self._shown_ids.update(one.id for one in reminders)
        self._shown = Provenance.union((self._shown, *(one.provenance for one in reminders)))

    def _deed(self, kind: DeedKind, reminder: Reminder) -> Deed:
        now = dt.datetime.fromtimestamp(self._now_ms / 1_000, tz=zoneinfo.ZoneInfo(self._zone))
        due = Due(
            at=dt.datetime.fromisoformat(local_time(reminder.next_ms, reminder.zone)),
            this_year=now.year,
            recurrence=reminder.recurrence,
            messages=self.messages_each_time if kind is not DeedKind.REMINDER_CANCELLED else 1,
            carried=self._carried.get(reminder.id) if kind is not DeedKind.REMINDER_CANCELLED else None,
        )
        return Deed(kind=kind, name=reminder.text, due=due)

    def _schedule(self, at: str, rule: str | None) -> tuple[str, str | None, int]:
        schedule, due_ms = checked_schedule(at, self._zone, rule, now_ms=self._now_ms)
        return schedule.start, schedule.rule, due_ms

    def _open(self) -> tuple[Reminder, ...]:
        there = {**self._load(), **self._staged}
        return tuple(sorted((one for one in there.values() if one.is_open), key=lambda one: (one.next_ms, one.id)))

    def _find(self, reminder_id: str) -> Reminder:
        found = next((one for one in self._open() if one.id == reminder_id), None)
        if found is None:
            raise ReminderFault(f"There is no open reminder {reminder_id[:40]!r}; list them first.", may_retry=True)
        return found

    def _load(self) -> dict[str, Reminder]:
        if self._stored is None:
            found = self._store.read_all()
            self._stored = {one.id: one for one in found if not one.is_from_withdrawn(self._is_withdrawn)}
        return self._stored

    def _check_room(self, reminder_id: str = "") -> None:
        if self._is_sealed:
            raise ReminderFault("The turn is over.")
        if len({*self._staged, reminder_id}) > CHANGES_LIMIT:
            raise ReminderFault(
                f"One turn can change at most {CHANGES_LIMIT} reminders; do the rest after the next message."
            )

    def _new_id(self) -> str:
        """Return an id that no other commit of the chat makes."""
        made_of = f"{self._store.conversation.id}/{self._sequence}/{len(self._staged)}/{self._now_ms}"
        return f"r{hashlib.sha256(made_of.encode()).hexdigest()[:10]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderStaging:
    """Begins the overlay of each thought.  Local times are of `zone`."""

    zone: str = field(default="Asia/Tokyo")

    def begin(
        self, conversation: Conversation, *, sequence: int, now_ms: int, amendments: Amendments
    ) -> ReminderOverlay:
        """Return an overlay with nothing staged, for the commit of this number; reads nothing."""
        return ReminderOverlay(
            store=ReminderStore(conversation),
            sequence=sequence,
            zone=self.zone,
            now_ms=now_ms,
            is_withdrawn=amendments.is_withdrawn_from_entries,
        )


def _next_time(reminder: Reminder) -> str:
    return reminder.start if reminder.due_ms is None else local_time(reminder.due_ms, reminder.zone)


def _rest_of_rule(reminder: Reminder) -> str | None:
    """Return the rule for what is still to be said: of a number of times, those that were said count no more."""
    recurrence = reminder.recurrence
    if recurrence is None or recurrence.count is None:
        return reminder.rule
    schedule = Schedule(reminder.start, reminder.zone, recurrence)
    left = 1 if reminder.due_ms is None else schedule.times_left(reminder.due_ms)
    return replace(recurrence, count=max(1, left)).rule


def _kind_of_deed(there: Reminder | None, wanted: Reminder) -> DeedKind | None:
    """Return what a staged write does; None: nothing to report."""
    if wanted == there:
        return None
    if not wanted.is_open:
        return DeedKind.REMINDER_CANCELLED if there is not None else None
    return DeedKind.REMINDER_SET if there is None else DeedKind.REMINDER_CHANGED


def _checked_text(text: str, kind: ReminderKind) -> str:
    text = " ".join(text.split())
    if not text and kind is ReminderKind.TEXT:
        raise ReminderFault("The text is empty; ask what to say.", may_retry=True)
    if len(text) > TEXT_LIMIT:
        raise ReminderFault(f"The text is longer than {TEXT_LIMIT} characters; shorten it.", may_retry=True)
    return text


def _provenance_of_change(there: Provenance, new: Provenance, *, is_reworded: bool) -> Provenance:
    """Return the provenance of a changed reminder: of what others said, only what still stands in it."""
    if is_reworded:
        return there.by_authors(new.messages.keys()) | new
    return there | new.by_authors(there.messages.keys())
