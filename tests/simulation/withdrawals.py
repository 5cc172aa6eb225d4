"""When a withdrawal, an edit or an erasure counts as handled.

It is acknowledged, and no marker of its chat and message is left under `due/`: a marker is a second pass that a tick will carry out.
"""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from shared.reminders.delivery import TRIES_MS
from shared.reminders.reminder import REMINDERS_PATH, Reminder, ReminderKind
from shared.storage.codec import decode
from shared.storage.due_marker import due_after
from shared.storage.object_store import ObjectStore

MARKERS: Final = "due/"
SOON_MS: Final = 62 * 60_000
"""A little more than an hour, for which a reminder may be postponed."""
_LATEST_MS: Final = 200_000_000_000_000
_WITHDRAWAL: Final = "withdrawal"
ERASURE: Final = "erasure"
_REMINDER: Final = "reminder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledged:
    """An acknowledged withdrawal; `subject_id` None: an erasure, which waits for every erasure of its chat.

    `more_ids` are further messages that were withdrawn with it.
    """

    conversation_id: str
    subject_id: str | None
    effect: Callable[[], None]
    more_ids: tuple[str, ...] = ()

    def waits_for(self, markers: AbstractSet[tuple[str, ...]]) -> bool:
        """Whether one of these markers is left of it: kind, chat and id of each, for an erasure kind and chat."""
        if self.subject_id is None:
            return (ERASURE, self.conversation_id) in markers
        ids = (self.subject_id, *self.more_ids)
        return any((_WITHDRAWAL, self.conversation_id, one) in markers for one in ids)


@dataclass(slots=True, kw_only=True)
class Withdrawals:
    """Calls the effect of a withdrawal once it is handled."""

    objects: ObjectStore
    now_ms: Callable[[], int] = lambda: _LATEST_MS
    _open: list[Acknowledged] = field(default_factory=list)

    def acknowledge(
        self,
        conversation_id: str,
        subject_id: str | None,
        effect: Callable[[], None],
        *,
        more_ids: tuple[str, ...] = (),
    ) -> None:
        """The withdrawal was acknowledged."""
        self._open.append(
            Acknowledged(conversation_id=conversation_id, subject_id=subject_id, effect=effect, more_ids=more_ids)
        )
        self.look()

    def look(self) -> None:
        """Call the effects of what is handled by now; to be called when a marker may be gone."""
        if not self._open:
            return
        parts = [tuple(marker.rpartition("/")[2].split(".", 2)) for marker in self.markers()]
        markers = {*parts, *(one[:2] for one in parts)}  # named `due/{minute}/{kind}.{conversation_id}.{id}`
        handled = [one for one in self._open if not one.waits_for(markers)]
        self._open = [one for one in self._open if one not in handled]
        for withdrawal in handled:
            withdrawal.effect()

    def markers(self) -> Iterator[str]:
        """Return the markers that are left, but for those of days to come: a recurring reminder, one that has ended."""
        return (one.name for one in self.objects.list(MARKERS, before=due_after(self.now_ms() + SOON_MS)))

    def has_overdue(self, late_s: float) -> bool:
        """Whether a marker is left whose minute came so long ago; of a summary that is pushed, so long ago that no tick tries any more."""
        before = due_after(self.now_ms() - round(late_s * 1_000))
        return any(not self._is_tried(one.name, late_s) for one in self.objects.list(MARKERS, before=before))

    def _is_tried(self, marker: str, late_s: float) -> bool:
        """Whether the marker is of a summary, and the half hour has not passed for which ticks try to make it."""
        kind, chat, reminder_id = marker.rpartition("/")[2].split(".", 2)
        stored = self.objects.read(f"{REMINDERS_PATH}{chat}/{reminder_id}.json") if kind == _REMINDER else None
        reminder = decode(Reminder, stored.data) if stored is not None else None
        if reminder is None or reminder.kind is not ReminderKind.CHAT_SUMMARY or reminder.due_ms is None:
            return False
        return self.now_ms() - reminder.due_ms <= TRIES_MS + late_s * 1_000
