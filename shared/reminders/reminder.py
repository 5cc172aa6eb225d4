"""A reminder as a record: what is said in a chat, when, and the messages that asked for it."""

import zoneinfo
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from shared.conversation.provenance import IsWithdrawn, Provenance
from shared.recurrence import Recurrence
from shared.storage.codec import VERSION
from shared.unknown_fields import Extensible

REMINDERS_LIMIT: Final = 100
TEXT_LIMIT: Final = 300
"""Characters of a reminder's text."""


class ReminderKind(StrEnum):
    """What a reminder says: its own text, or a digest that is made when it is due."""

    TEXT = "text"
    DAILY_DIGEST = "daily_digest"
    WEEKLY_DIGEST = "weekly_digest"


class ReminderState(StrEnum):
    """Whether anything of a reminder is still to be said: open; or it was said for the last time, or cancelled."""

    OPEN = "open"
    DONE = "done"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Extensible):
    """A worker's claim on an occurrence that it may be pushing: no other worker does before `until_ms`.

    `first_ms` is when the occurrence was claimed first, and `text` what the reminder's text was then: what a push of a worker that died
    has said. Empty: not known, because an earlier release claimed it.
    """

    worker: str
    occurrence_ms: int
    first_ms: int
    until_ms: int
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder(Extensible):
    """reminders/{conversation_id}/{id}.json.

    `start` is the local time of its first occurrence in `zone`, such as `2026-11-23T09:00`, and `rule` how it recurs, as an RRULE; None:
    once. `user_id` is the person who asked for it. `due_ms` is its next occurrence; None:
    there is none any more. `claim` is on an occurrence that may be on its way. `kept_ms` is an occurrence that could not be pushed, and
    that the chat's next answer says. `created` and `revision` are the keys of the staged writes that made it, and that changed it last:
    the sequence of the outcome and the place of the write. `ended_ms` is when it was said last, or cancelled. `pressed_ms` is the newest
    occurrence under which a button was pressed, and `pressed_by` the event of the press that counts.
    """

    version: int = VERSION
    id: str
    kind: ReminderKind = ReminderKind.TEXT
    text: str = field(repr=False)
    provenance: Provenance = field(default_factory=Provenance)
    user_id: str | None = field(default=None, repr=False)
    start: str
    zone: str
    rule: str | None = None
    due_ms: int | None = None
    claim: Claim | None = None
    kept_ms: int | None = None
    state: ReminderState = ReminderState.OPEN
    created: tuple[int, int] = (0, 0)
    revision: tuple[int, int] = (0, 0)
    ended_ms: int = 0
    pressed_ms: int = 0
    pressed_by: str = ""

    @property
    def recurrence(self) -> Recurrence | None:
        """How it recurs; None: it is said once."""
        return None if self.rule is None else Recurrence.parse(self.rule, zoneinfo.ZoneInfo(self.zone))

    @property
    def is_open(self) -> bool:
        """Whether anything of it is still to be said."""
        return self.state is ReminderState.OPEN

    @property
    def since_ms(self) -> int:
        """LINE's timestamp of the oldest words behind it; 0 where none are known."""
        return min((one.timestamp_ms for one in self.provenance.sources), default=0)

    @property
    def next_ms(self) -> int:
        """When it is said next: what waits for the chat's next answer comes first.  Of one that has ended, when that was."""
        return self.kept_ms or self.due_ms or self.ended_ms

    def is_from_withdrawn(self, is_withdrawn: IsWithdrawn) -> bool:
        """Whether a message behind it was withdrawn, erased or edited since."""
        return bool(self.provenance.withdrawn_ids(is_withdrawn))

    def has_schedule_of(self, other: "Reminder") -> bool:
        """Whether both occur at the same times."""
        return (self.start, self.zone, self.rule) == (other.start, other.zone, other.rule)

    def ended(self, state: ReminderState, *, now_ms: int) -> "Reminder":
        """Return it as said for the last time, or cancelled; a cancelled one keeps no words."""
        rest = replace(self, state=state, due_ms=None, claim=None, kept_ms=None, ended_ms=now_ms)
        return rest if state is ReminderState.DONE else rest.redacted(text="", user_id=None)
