"""A turn's view of a chat's reminders, with its own writes (`shared/agent/overlay.py`)."""

import datetime as dt
import hashlib
import zoneinfo
from dataclasses import replace
from typing import Final

from shared.agent.overlay import Attempt, Overlay, StagingFault
from shared.agent.receipts import Deed, DeedKind, Due
from shared.conversation.provenance import Provenance
from shared.conversation.write_key import WriteKey
from shared.reminders.prompt_block import mark_of
from shared.reminders.reminder import REMINDERS_LIMIT, REMINDERS_PATH, TEXT_LIMIT, Reminder, ReminderKind, ReminderState
from shared.reminders.schedule import Schedule, checked_schedule, local_time
from shared.reminders.store import RETENTION_MS, ReminderStore
from shared.search.folding import fold
from shared.storage.codec import decode, encode

_DAY_MS: Final = 24 * 60 * 60_000


class ReminderExistsError(Exception):
    """The chat already has an open reminder of the same words and times."""

    def __init__(self, reminder: Reminder) -> None:
        super().__init__("the reminder exists")
        self.reminder = reminder


class ReminderOverlay(Overlay[Reminder]):
    """A turn's view of the chat's reminders, by id; only open reminders exist.  Local times are of `zone`."""

    path_prefix = REMINDERS_PATH
    noun = "reminders"

    def __init__(self, attempt: Attempt, *, zone: str) -> None:
        super().__init__(attempt)
        self.zone = zone
        self._store = ReminderStore(attempt.conversation)
        self._stored: dict[str, Reminder] | None = None
        self._shown_ids: set[str] = set()
        self.messages_each_time = 1
        """Messages of the account's quota for each occurrence, as shown in receipts."""
        self._carried: dict[str, int | None] = {}

    def list(self) -> tuple[Reminder, ...]:
        """Return the open reminders for the model to read, the next first; two round trips in a turn."""
        with self._lock:
            reminders = self._open()
            self._record_shown(*reminders)
            return reminders

    def show(self, reminder_id: str) -> Reminder:
        """Return an open reminder for the model to read.  Raises: StagingFault."""
        with self._lock:
            reminder = self._find(reminder_id)
            self._record_shown(reminder)
            return reminder

    def check_unchanged(self, reminder_id: str, *, shown_mark: str) -> None:
        """Check that the stored reminder is in the state that the prompt showed, unless a tool of this turn has shown it since.

        Raises: StagingFault.
        """
        with self._lock:
            stored = self.load(reminder_id)
            if stored is not None and reminder_id not in self._shown_ids and mark_of(stored) != shown_mark:
                raise StagingFault("The reminder has changed meanwhile; list the reminders first.", may_retry=True)

    def due_until(self, until_ms: int) -> tuple[tuple[int, str], ...]:
        """Return the time and the reminder's id of every occurrence in the chat before the given time."""
        with self._lock:
            return tuple(
                (at_ms, reminder.id)
                for reminder in self._open()
                if reminder.is_pushed and not reminder.is_private
                for at_ms in Schedule(reminder.start, reminder.zone, reminder.recurrence).between(
                    self.attempt.now_ms, until_ms
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
            deeds: list[Deed] = []
            for reminder_id, reminder in self._changed.items():
                stored = self.load(reminder_id)
                if _is_of_poll(reminder or stored):  # the poll's own line says it
                    continue
                if reminder is not None:
                    kind = DeedKind.REMINDER_SET if stored is None else DeedKind.REMINDER_CHANGED
                    deeds.append(self._deed(kind, reminder))
                elif stored is not None:
                    deeds.append(self._deed(DeedKind.REMINDER_CANCELLED, stored))
            return tuple(deeds)

    def create(  # noqa: PLR0913 - what a reminder is made of
        self,
        *,
        text: str,
        at: str,
        zone: str | None = None,
        rule: str | None = None,
        kind: ReminderKind = ReminderKind.TEXT,
        provenance: Provenance,
        user_id: str | None,
        locale: str = "",
        is_trial: bool = False,
        may_repeat: bool = True,
        about: str = "",
        is_pushed: bool = True,
        is_private: bool = False,
    ) -> Reminder:
        """Stage a reminder at a local time, of the chat's zone or of the person's own `zone`, unless `is_trial`; return the reminder.

        Without `may_repeat`, an open reminder of the same words and times, for the same people, is shown to the model, and not set again.
        Raises: StagingFault, ReminderExistsError.
        """
        text = _checked_text(text, kind)
        with self._lock:
            self.check_limits({})
            start, checked, due_ms = self._schedule(at, rule, zone)
            reminder = Reminder(
                id=self._new_id(),
                kind=kind,
                text=text,
                provenance=provenance,
                user_id=user_id,
                locale=locale,
                start=start,
                zone=zone or self.zone,
                is_own_zone=zone not in {None, self.zone},
                rule=checked,
                due_ms=due_ms,
                about=about,
                is_pushed=is_pushed,
                is_private=is_private,
            )
            if not may_repeat:
                self._check_repeated(reminder)
            if len(self._open()) >= REMINDERS_LIMIT:
                raise StagingFault(f"This chat has {REMINDERS_LIMIT} open reminders; some must be cancelled first.")
            self.check_limits({reminder.id: reminder})
            if not is_trial:
                self.stage({reminder.id: reminder})
            return reminder

    def _check_repeated(self, new: Reminder) -> None:
        """Raises: ReminderExistsError, where an open reminder tells the same people the same words at the same times."""
        for reminder in self._open():
            if reminder.has_schedule_of(new) and _told(reminder) == _told(new):
                self._record_shown(reminder)
                raise ReminderExistsError(reminder)

    def change(  # noqa: PLR0913 - likewise
        self,
        reminder_id: str,
        *,
        text: str | None = None,
        at: str | None = None,
        zone: str | None = None,
        rule: str | None = None,
        provenance: Provenance | None = None,
        is_trial: bool = False,
    ) -> Reminder:
        """Stage another text, time or rule of a reminder, unless `is_trial`, and return the reminder; an empty rule ends the recurrence.

        `provenance` has the sources of the change. A new text comes from these sources, and from earlier messages of the same person; other
        people's messages behind the old text no longer count. A member who changes only the time of other people's reminder is no source of
        its words: for example, when Sato moves Suzuki's reminder by `change("r0123456789", at="2026-11-23T10:00")`, Suzuki stays the only
        source.
        Raises: StagingFault.
        """
        with self._lock:
            reminder = self._find(reminder_id)
            self.check_limits({reminder_id: reminder})
            text = None if text is None else _checked_text(text, reminder.kind)
            changed = replace(
                reminder,
                provenance=_provenance_of_change(
                    reminder.provenance, provenance or Provenance(), is_reworded=text not in {None, reminder.text}
                ),
            )
            if text is not None:
                changed = replace(changed, text=text)
            if at is not None or zone is not None or rule is not None:
                zone = zone or (reminder.zone if at is None or reminder.is_own_zone else self.zone)
                start, checked, due_ms = self._schedule(
                    at or _next_time(reminder), _remaining_rule(reminder) if rule is None else rule or None, zone
                )
                changed = replace(
                    changed,
                    start=start,
                    zone=zone,
                    is_own_zone=zone != self.zone,
                    rule=checked,
                    due_ms=due_ms,
                    claim=None,
                    kept_ms=None,
                )
            if not is_trial:
                self.stage({reminder_id: changed})
            return changed

    def cancel(self, reminder_id: str) -> Reminder:
        """Stage the cancellation of a reminder; return the reminder as before.  Raises: StagingFault."""
        with self._lock:
            reminder = self._find(reminder_id)
            self.stage({reminder_id: None})
            return reminder

    def load(self, thing_id: str) -> Reminder | None:
        reminder = self._load_all().get(thing_id)
        return reminder if reminder is not None and reminder.is_open else None

    def text_of(self, thing_id: str, thing: Reminder, *, key: WriteKey) -> str:
        stored = self._load_all().get(thing_id)
        return encode(replace(thing, created=key if stored is None else stored.created, revision=key)).decode()

    def read_text(self, thing_id: str, text: str) -> Reminder:  # noqa: ARG002 - a reminder holds its id
        return decode(Reminder, text.encode())

    def provenance_of(self, thing: Reminder) -> Provenance:
        return thing.provenance

    def key_of(self, thing: Reminder) -> WriteKey:
        return thing.revision

    def name_of(self, thing: Reminder) -> str:
        return thing.text

    def as_restored(self, thing_id: str, before: Reminder | None) -> Reminder | None:
        """Return the reminder with its next time, because time goes on; a reminder that was said meanwhile is not restored.

        For example, a daily reminder that was cancelled on Monday and is restored on Thursday is said next on Friday.
        """
        stored, now_ms = self._load_all().get(thing_id), self.attempt.now_ms
        if stored is None or stored.state is ReminderState.DONE or _is_removed_soon(stored, now_ms=now_ms):
            raise StagingFault("There is nothing to undo: the reminder was said meanwhile, or cancelled too long ago.")
        if before is None:
            return None
        if stored.is_open and before.has_schedule_of(stored):
            return replace(stored, text=before.text, provenance=before.provenance)
        due_ms = Schedule(before.start, before.zone, before.recurrence).next_after(now_ms)
        if due_ms is None:
            raise StagingFault("The reminder's time has passed; ask for another time, and set it anew.")
        return replace(before, due_ms=due_ms, claim=None, kept_ms=None)

    def _record_shown(self, *reminders: Reminder) -> None:
        self._shown_ids.update(one.id for one in reminders)
        self._shown = Provenance.union((self._shown, *(one.provenance for one in reminders)))

    def _deed(self, kind: DeedKind, reminder: Reminder) -> Deed:
        now = dt.datetime.fromtimestamp(self.attempt.now_ms / 1_000, tz=zoneinfo.ZoneInfo(self.zone))
        is_costed = kind is not DeedKind.REMINDER_CANCELLED and reminder.is_pushed and not reminder.is_private
        due = Due(
            at=dt.datetime.fromisoformat(local_time(reminder.next_ms, reminder.zone)),
            this_year=now.year,
            recurrence=reminder.recurrence,
            messages=self.messages_each_time if is_costed else 1,
            comes_with_message=reminder.kind is ReminderKind.CHAT_SUMMARY and not reminder.is_pushed,
            is_private=reminder.is_private,
            carried=self._carried.get(reminder.id) if kind is not DeedKind.REMINDER_CANCELLED else None,
            place=reminder.place,
        )
        return Deed(kind=kind, name=reminder.text, due=due)

    def _schedule(self, at: str, rule: str | None, zone: str | None) -> tuple[str, str | None, int]:
        schedule, due_ms = checked_schedule(at, zone or self.zone, rule, now_ms=self.attempt.now_ms)
        return schedule.start, schedule.rule, due_ms

    def _open(self) -> tuple[Reminder, ...]:
        reminders: dict[str, Reminder | None] = {**self._load_all(), **self._staged}
        return tuple(
            sorted(
                (one for one in reminders.values() if one is not None and one.is_open),
                key=lambda item: (item.next_ms, item.id),
            )
        )

    def _find(self, reminder_id: str) -> Reminder:
        reminder = next((one for one in self._open() if one.id == reminder_id), None)
        if reminder is None:
            raise StagingFault(f"There is no open reminder {reminder_id[:40]!r}; list them first.", may_retry=True)
        return reminder

    def _load_all(self) -> dict[str, Reminder]:
        """Return every reminder of the bucket, also ended ones; two round trips in a turn."""
        if self._stored is None:
            reminders = self._store.read_all()
            self._stored = {one.id: one for one in reminders if not one.is_from_withdrawn(self.attempt.is_withdrawn)}
        return self._stored

    def _new_id(self) -> str:
        """Return an id made by no other commit of the chat, for example `r0123456789`."""
        made_of = f"{self.conversation.id}/{self.attempt.sequence}/{len(self._staged)}/{self.attempt.now_ms}"
        return f"r{hashlib.sha256(made_of.encode()).hexdigest()[:10]}"


def _told(reminder: Reminder) -> tuple[str, ReminderKind, bool, str | None]:
    """Return the words of a reminder, and how they are told to whom: two members' private summaries are two reminders."""
    recipient = reminder.user_id if reminder.is_private else None
    return fold(reminder.text), reminder.kind, reminder.is_pushed, recipient


def _is_of_poll(reminder: Reminder | None) -> bool:
    return reminder is not None and reminder.kind is ReminderKind.POLL


def _is_removed_soon(reminder: Reminder, *, now_ms: int) -> bool:
    """Whether a tick removes the ended reminder within a day, so that no late write may rely on the object."""
    return not reminder.is_open and reminder.ended_ms + RETENTION_MS - _DAY_MS < now_ms


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


def _checked_text(text: str, kind: ReminderKind) -> str:
    text = " ".join(text.split())
    if not text and kind is ReminderKind.TEXT:
        raise StagingFault("The text is empty; ask what to say.", may_retry=True)
    if len(text) > TEXT_LIMIT:
        raise StagingFault(f"The text is longer than {TEXT_LIMIT} characters; shorten it.", may_retry=True)
    return text


def _provenance_of_change(old: Provenance, new: Provenance, *, is_reworded: bool) -> Provenance:
    """Return the provenance of a changed reminder: of other people's messages, only those with words that still stand."""
    if is_reworded:
        return old.by_authors(new.messages.keys()) | new
    return old | new.by_authors(old.messages.keys())
