"""A reminder as a record: the text, the times, and the messages behind the reminder."""

import zoneinfo
from dataclasses import field, replace
from enum import StrEnum
from typing import Final

from shared.conversation.provenance import IsWithdrawn, Provenance
from shared.conversation.push_claim import PushClaim
from shared.frozen import frozen
from shared.recurrence import Recurrence
from shared.storage.codec import VERSION
from shared.unknown_fields import Extensible

REMINDERS_PATH: Final = "reminders/"
"""The prefix of paths of staged writes to reminders, before the id: `reminders/r0123456789`."""
REMINDERS_LIMIT: Final = 100
TEXT_LIMIT: Final = 300
"""Characters of a reminder's text."""


class ReminderKind(StrEnum):
    """What a reminder says: a text of its own, a digest or the result of a poll, made at the due time, or a summary of the chat."""

    TEXT = "text"
    DAILY_DIGEST = "daily_digest"
    WEEKLY_DIGEST = "weekly_digest"
    POLL = "poll"
    CHAT_SUMMARY = "chat_summary"
    """Told on the token of a message that gets no answer, or pushed if its maker chose so (`shared/reminders/chat_summary.py`)."""


class ReminderState(StrEnum):
    """Whether anything is still to be said: `open`; or `done` after the last time; or `cancelled`."""

    OPEN = "open"
    DONE = "done"
    CANCELLED = "cancelled"


@frozen
class Claim(PushClaim):
    """A worker's claim on the push of an occurrence.

    `text` is the reminder's text at the time of the first claim: the words of a push by a worker that died. Empty: of a digest without a
    title. `has_reached_push`: false while every worker that claimed a summary was still at its words, so that LINE has no push of it. Of
    other reminders, whose words need no model, it is true from the claim on, and so it is where an earlier release wrote the claim.
    `is_text_lost`: the text was removed, because the reminder no longer names the messages behind the text.
    """

    occurrence_ms: int
    text: str = field(default="", repr=False)
    has_reached_push: bool = True
    is_text_lost: bool = False

    def without_text(self) -> "Claim":
        """Return the claim without the text: nobody knows the words of a push by a worker that died."""
        return self.redacted(text="", is_text_lost=True)

    def is_of(self, other: "Claim | None") -> bool:
        """Whether both claims are one worker's, on the same occurrence."""
        return other is not None and (self.worker, self.occurrence_ms) == (other.worker, other.occurrence_ms)


@frozen
class Tries(Extensible):
    """The workers that began to make a postponed summary of this occurrence, and have not come back."""

    occurrence_ms: int
    workers: tuple[str, ...] = ()


@frozen
class Reminder(Extensible):
    """reminders/{conversation_id}/{id}.json.

    `start` is the local time of the first occurrence in `zone`, for example `2026-11-23T09:00`, and `rule` is the recurrence as an RRULE;
    None: once. `user_id` is the person who asked for the reminder. `due_ms` is the next occurrence; None: no more. `claim` is the claim on
    an occurrence that may be on its way. `kept_ms`, which release 0.1.0 reads by this name, is the postponed occurrence: it could not be
    pushed, and waits for the chat's next answer.
    `created` and `revision` are the keys of the first and of the last staged write: the sequence of the outcome and the place of the write.
    `ended_ms` is the time of the last occurrence, or of the cancellation. `pressed_ms` is the newest occurrence with a pressed button, and
    `pressed_by` the event of the press that counts. `locale`: the language of the asking person; empty: unknown.
    `is_own_zone`: the person named the zone, so receipts and lists name it too. `about`: the poll whose result it says; empty: none.
    `is_pushed`: false where it is never pushed, and always waits for the chat's next answer. `is_private`: a summary of a group that is
    pushed to the 1:1 chat of the person who asked, and to no other chat. `limit_told_on`: the day, such as `2026-11-26`, on which the chat
    was told that the day's budget forbids a summary. `tries` are those of a postponed summary; None: no worker has begun to make one.
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
    locale: str = ""
    is_own_zone: bool = False
    about: str = ""
    is_pushed: bool = True
    is_private: bool = False
    limit_told_on: str = ""
    tries: Tries | None = None

    @property
    def place(self) -> str:
        """The place of a zone that the person named, to be shown beside times: `New York`; empty: the times are those of the chat."""
        return self.zone.rpartition("/")[2].replace("_", " ") if self.is_own_zone else ""

    @property
    def recurrence(self) -> Recurrence | None:
        """The recurrence; None: the reminder is said once."""
        return None if self.rule is None else Recurrence.parse(self.rule, zoneinfo.ZoneInfo(self.zone))

    @property
    def is_open(self) -> bool:
        """Whether anything is still to be said."""
        return self.state is ReminderState.OPEN

    @property
    def since_ms(self) -> int:
        """LINE's timestamp of the oldest words behind the reminder; 0 where no words are known."""
        return min((one.timestamp_ms for one in self.provenance.sources), default=0)

    @property
    def next_ms(self) -> int:
        """The reminder's next time: a postponed occurrence comes first.  Of an ended reminder, the time of the end."""
        return self.kept_ms or self.due_ms or self.ended_ms

    def workers_trying(self, occurrence_ms: int) -> tuple[str, ...]:
        """Return the workers that began to make the summary of this occurrence, and have not come back."""
        return self.tries.workers if self.tries is not None and self.tries.occurrence_ms == occurrence_ms else ()

    def tried_by(self, worker: str, occurrence_ms: int) -> "Reminder":
        """Return the reminder with a worker that begins to make the summary of this occurrence.  Repeated: changes nothing."""
        others = (one for one in self.workers_trying(occurrence_ms) if one != worker)
        return replace(self, tries=Tries(occurrence_ms=occurrence_ms, workers=(*others, worker)))

    def is_from_withdrawn(self, is_withdrawn: IsWithdrawn) -> bool:
        """Whether a message behind the reminder was withdrawn, erased or edited since."""
        return self.provenance.has_withdrawn(is_withdrawn)

    def has_schedule_of(self, other: "Reminder") -> bool:
        """Whether both reminders occur at the same times."""
        return (self.start, self.zone, self.rule) == (other.start, other.zone, other.rule)

    def ended(self, state: ReminderState, *, now_ms: int) -> "Reminder":
        """Return the reminder as done or cancelled; a cancelled reminder holds no words."""
        ended_reminder = replace(self, state=state, due_ms=None, claim=None, kept_ms=None, ended_ms=now_ms)
        return ended_reminder if state is ReminderState.DONE else ended_reminder.redacted(text="", user_id=None)
