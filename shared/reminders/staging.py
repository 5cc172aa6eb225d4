"""A turn's view of a chat's reminders, with its own writes; nothing reaches the bucket before the turn is committed.

An overlay serves a single thought, so a turn that is thought again begins with nothing staged. Tools of a round run in parallel: every
method may be called from several threads.
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
"""Reminders that a turn may change: the turn's outcome carries each reminder whole."""


class ReminderOverlay:
    """A turn's view of the chat's reminders."""

    def __init__(
        self, *, store: ReminderStore, sequence: int, zone: str, now_ms: int, is_withdrawn: IsWithdrawn
    ) -> None:
        """`sequence` is the number of the commit towards which the turn works; local times are of `zone`.

        Reminders from withdrawn messages do not exist for the turn: a withdrawal is about to remove them.
        """
        self._store = store
        self._sequence = sequence
        self._zone = zone
        self._now_ms = now_ms
        self._is_withdrawn = is_withdrawn
        self._lock = threading.RLock()
        self._stored: dict[str, Reminder] | None = None
        self._staged: dict[str, Reminder] = {}
        self._is_closed = False
        self._shown = Provenance()
        self._shown_ids: set[str] = set()
        self.messages_each_time = 1
        """Messages of the account's quota for each occurrence, as shown in receipts."""
        self._carried: dict[str, int | None] = {}
        self._keys: dict[str, tuple[int, int]] = {}

    @property
    def zone(self) -> str:
        """The time zone of local times."""
        return self._zone

    @property
    def provenance(self) -> Provenance:
        """The provenance of all reminders shown to the model or staged: an unsend of such a message affects the turn."""
        with self._lock:
            return Provenance.union((self._shown, *(one.provenance for one in self._staged.values())))

    def list(self) -> tuple[Reminder, ...]:
        """Return the open reminders for the model to read, the next first; two round trips in a turn."""
        with self._lock:
            reminders = self._open()
            self._record_shown(*reminders)
            return reminders

    def show(self, reminder_id: str) -> Reminder:
        """Return an open reminder for the model to read.  Raises: ReminderFault."""
        with self._lock:
            reminder = self._find(reminder_id)
            self._record_shown(reminder)
            return reminder

    def revision_of(self, reminder_id: str) -> str:
        """Return the key of the reminder's last write; after `changes`, the key of the staged write; "" without an open reminder.

        An occurrence is no change: for example, a daily reminder has the same revision after it was said.
        """
        with self._lock:
            reminder = next((one for one in self._open() if one.id == reminder_id), None)
            return "" if reminder is None else "{}.{}".format(*self._keys.get(reminder_id, reminder.revision))

    def due_until(self, until_ms: int) -> tuple[tuple[int, str], ...]:
        """Return the time and the reminder's id of every occurrence in the chat before the given time."""
        with self._lock:
            return tuple(
                (at_ms, reminder.id)
                for reminder in self._open()
                for at_ms in Schedule(reminder.start, reminder.zone, reminder.recurrence).between(
                    self._now_ms, until_ms
                )
            )

    def set_carried(self, reminder_id: str, carried: int | None) -> None:
        """Set how many of the reminder's next times the account's quota carries, for the receipts; None: all."""
        with self._lock:
            self._carried[reminder_id] = carried

    @property
    def shown(self) -> tuple[Reminder, ...]:
        """The open reminders shown to the model in this turn."""
        with self._lock:
            return tuple(one for one in self._open() if one.id in self._shown_ids) if self._shown_ids else ()

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """The effects of the staged writes, compared with the bucket."""
        with self._lock:
            stored = self._load() if self._staged else {}
            return tuple(
                self._deed(kind, reminder)
                for reminder in self._staged.values()
                if (kind := _kind_of_deed(stored.get(reminder.id), reminder)) is not None
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
        """Stage a reminder at a local time, unless `is_trial`, and return the reminder.

        Without `may_repeat`, an open reminder of the same words and times is shown to the model, and not set a second time.
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
        """Raises: ReminderExistsError, where an open reminder has the same words and times."""
        words_and_times = (fold(text), kind, start, self._zone, rule)
        for reminder in self._open():
            if (fold(reminder.text), reminder.kind, reminder.start, reminder.zone, reminder.rule) == words_and_times:
                self._record_shown(reminder)
                raise ReminderExistsError(reminder)

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
        """Stage another text, time or rule of a reminder, unless `is_trial`, and return the reminder; an empty rule ends the recurrence.

        `provenance` has the sources of the change. A new text comes from these sources, and from earlier messages of the same person; other
        people's messages behind the old text no longer count. A member who changes only the time of other people's reminder is no source of
        its words: for example, when Sato moves Suzuki's reminder by `change("r0123456789", at="2026-11-23T10:00")`, Suzuki stays the only
        source.
        Raises: ReminderFault.
        """
        with self._lock:
            reminder = self._find(reminder_id)
            self._check_room(reminder_id)
            text = None if text is None else _checked_text(text, reminder.kind)
            changed = replace(
                reminder,
                provenance=_provenance_of_change(
                    reminder.provenance, provenance or Provenance(), is_reworded=text not in {None, reminder.text}
                ),
            )
            if text is not None:
                changed = replace(changed, text=text)
            if at is not None or rule is not None:
                start, checked, due_ms = self._schedule(
                    at or _next_time(reminder), _remaining_rule(reminder) if rule is None else rule or None
                )
                changed = replace(
                    changed, start=start, zone=self._zone, rule=checked, due_ms=due_ms, claim=None, kept_ms=None
                )
            if not is_trial:
                self._staged[reminder_id] = changed
            return changed

    def cancel(self, reminder_id: str) -> Reminder:
        """Stage the cancellation of a reminder; return the reminder as before.  Raises: ReminderFault."""
        with self._lock:
            reminder = self._find(reminder_id)
            self._check_room(reminder_id)
            self._staged[reminder_id] = replace(reminder, state=ReminderState.CANCELLED)
            return reminder

    def changes(self, *, first_number: int) -> tuple[StagedWrite, ...]:
        """Return the staged writes and accept no more; the first write has the number `first_number` in the outcome."""
        with self._lock:
            self._is_closed = True
            stored = self._load() if self._staged else {}
            writes: list[StagedWrite] = []
            for reminder_id, reminder in self._staged.items():
                old = stored.get(reminder_id)
                if reminder == old or (old is None and not reminder.is_open):
                    continue
                key = self._keys[reminder_id] = (self._sequence, first_number + len(writes))
                revised = replace(reminder, created=key if old is None else old.created, revision=key)
                text = encode(revised).decode() if reminder.is_open else None
                writes.append(StagedWrite(path=f"{REMINDERS_PATH}{reminder_id}", text=text))
            return tuple(writes)

    def _record_shown(self, *reminders: Reminder) -> None:
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
        reminders = {**self._load(), **self._staged}
        return tuple(
            sorted((one for one in reminders.values() if one.is_open), key=lambda item: (item.next_ms, item.id))
        )

    def _find(self, reminder_id: str) -> Reminder:
        reminder = next((one for one in self._open() if one.id == reminder_id), None)
        if reminder is None:
            raise ReminderFault(f"There is no open reminder {reminder_id[:40]!r}; list them first.", may_retry=True)
        return reminder

    def _load(self) -> dict[str, Reminder]:
        if self._stored is None:
            reminders = self._store.read_all()
            self._stored = {one.id: one for one in reminders if not one.is_from_withdrawn(self._is_withdrawn)}
        return self._stored

    def _check_room(self, reminder_id: str = "") -> None:
        if self._is_closed:
            raise ReminderFault("The turn is over.")
        if len({*self._staged, reminder_id}) > CHANGES_LIMIT:
            raise ReminderFault(
                f"One turn can change at most {CHANGES_LIMIT} reminders; do the rest after the next message."
            )

    def _new_id(self) -> str:
        """Return an id made by no other commit of the chat, for example `r0123456789`."""
        made_of = f"{self._store.conversation.id}/{self._sequence}/{len(self._staged)}/{self._now_ms}"
        return f"r{hashlib.sha256(made_of.encode()).hexdigest()[:10]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderStaging:
    """Begins the overlay of each thought.  Local times are of `zone`."""

    zone: str = field(default="Asia/Tokyo")

    def begin(
        self, conversation: Conversation, *, sequence: int, now_ms: int, amendments: Amendments
    ) -> ReminderOverlay:
        """Return an overlay with nothing staged, for the commit of the given number; reads nothing."""
        return ReminderOverlay(
            store=ReminderStore(conversation),
            sequence=sequence,
            zone=self.zone,
            now_ms=now_ms,
            is_withdrawn=amendments.is_withdrawn_from_entries,
        )


def _next_time(reminder: Reminder) -> str:
    return reminder.start if reminder.due_ms is None else local_time(reminder.due_ms, reminder.zone)


def _remaining_rule(reminder: Reminder) -> str | None:
    """Return the rule for the remaining times: for example, `FREQ=DAILY;COUNT=5` after two times is `FREQ=DAILY;COUNT=3`."""
    recurrence = reminder.recurrence
    if recurrence is None or recurrence.count is None:
        return reminder.rule
    schedule = Schedule(reminder.start, reminder.zone, recurrence)
    times_left = 1 if reminder.due_ms is None else schedule.times_left(reminder.due_ms)
    return replace(recurrence, count=max(1, times_left)).rule


def _kind_of_deed(stored: Reminder | None, staged: Reminder) -> DeedKind | None:
    """Return the effect of a staged write; None: nothing to report."""
    if staged == stored:
        return None
    if not staged.is_open:
        return DeedKind.REMINDER_CANCELLED if stored is not None else None
    return DeedKind.REMINDER_SET if stored is None else DeedKind.REMINDER_CHANGED


def _checked_text(text: str, kind: ReminderKind) -> str:
    text = " ".join(text.split())
    if not text and kind is ReminderKind.TEXT:
        raise ReminderFault("The text is empty; ask what to say.", may_retry=True)
    if len(text) > TEXT_LIMIT:
        raise ReminderFault(f"The text is longer than {TEXT_LIMIT} characters; shorten it.", may_retry=True)
    return text


def _provenance_of_change(old: Provenance, new: Provenance, *, is_reworded: bool) -> Provenance:
    """Return the provenance of a changed reminder: of other people's messages, only those with words that still stand."""
    if is_reworded:
        return old.by_authors(new.messages.keys()) | new
    return old | new.by_authors(old.messages.keys())
