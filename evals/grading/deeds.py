"""What a turn did, as the difference between the state before and after; no words are believed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from shared.knowledge.entry import Entry
from shared.reminders.reminder import Reminder


@dataclass(frozen=True, slots=True, kw_only=True)
class Deeds:
    """The names of the entries and reminders that a turn touched, by what became of each; and the number of writes to Notion."""

    filed: tuple[str, ...] = field(default=(), repr=False)
    changed: tuple[str, ...] = field(default=(), repr=False)
    moved: tuple[str, ...] = field(default=(), repr=False)
    deleted: tuple[str, ...] = field(default=(), repr=False)
    reminded: tuple[str, ...] = field(default=(), repr=False)
    cancelled: tuple[str, ...] = field(default=(), repr=False)
    pages: int = 0

    @property
    def is_nothing(self) -> bool:
        """Whether the state is as before: `Deeds().is_nothing` is true, for example."""
        return self == Deeds()

    @property
    def lines(self) -> tuple[str, ...]:
        """One line a kind, as in "deleted: milk, eggs"; empty where nothing was done."""
        kinds = ("filed", "changed", "moved", "deleted", "reminded", "cancelled")
        lines = tuple(f"{kind}: {', '.join(names)}" for kind in kinds if (names := getattr(self, kind)))
        return (*lines, f"pages written: {self.pages}") if self.pages else lines


def deeds_between(
    before: Mapping[str, Entry],
    after: Mapping[str, Entry],
    *,
    reminders_before: tuple[Reminder, ...] = (),
    reminders_after: tuple[Reminder, ...] = (),
    pages: int = 0,
) -> Deeds:
    """Return the deeds between two states of entries and of open reminders."""
    old, new = {one.id: one for one in before.values()}, {one.id: one for one in after.values()}
    shared = [(old[entry_id], new[entry_id]) for entry_id in old.keys() & new.keys()]
    due_before = {one.id: one for one in reminders_before}
    due_after = {one.id: one for one in reminders_after}
    return Deeds(
        filed=_names(new[entry_id] for entry_id in new.keys() - old.keys()),
        changed=_names(entry for earlier, entry in shared if _content(earlier) != _content(entry)),
        moved=_names(entry for earlier, entry in shared if earlier.category != entry.category),
        deleted=_names(old[entry_id] for entry_id in old.keys() - new.keys()),
        reminded=tuple(sorted(reminder.text for reminder in due_after.values() if _is_new(reminder, due_before))),
        cancelled=tuple(sorted(due_before[one].text for one in due_before.keys() - due_after.keys())),
        pages=pages,
    )


def _names(entries: Iterable[Entry]) -> tuple[str, ...]:
    return tuple(sorted(one.name for one in entries))


def _content(entry: Entry) -> object:
    return entry.fields, entry.notes


def _is_new(reminder: Reminder, before: Mapping[str, Reminder]) -> bool:
    return reminder.id not in before or _time(reminder) != _time(before[reminder.id])


def _time(reminder: Reminder) -> object:
    return reminder.text, reminder.start, reminder.rule, reminder.due_ms, reminder.kept_ms
