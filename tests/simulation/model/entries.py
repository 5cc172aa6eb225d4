"""Entries: what a turn staged is added once, whoever brings the outcome to its end, and goes with the message that it came from."""

from dataclasses import replace

from tests.simulation.model.bucket import Stored
from tests.simulation.model.records import Amendments, Entry, Outcome
from tests.simulation.model.world import Held, Run, Steps

ENTRIES = "entries/"


def apply_writes(run: Run, held: Held | None, outcome: Outcome) -> Steps[None]:
    """Every staged write is in its entry.

    The key (sequence of the outcome, number of the write) only grows: whatever is not newer than an entry's last key is in it already,
    because no turn commits before the one before it came to its end.  Repeated: changes nothing.
    """
    for number, write in enumerate(outcome.writes):
        name, key = f"{ENTRIES}{write.entry}", (outcome.sequence, number)
        while True:
            stored = (yield from run.read(name, Entry)) or Stored(Entry(), 0)
            if _has(run, stored.value, key):
                break
            entry = Entry(lines=(*stored.value.lines, write.line), key=key)
            if (yield from run.write(name, entry, stored.generation, held=held)) is not None:
                run.world.truth.filed.append((key, write.line.line_message_id))
                break


def clean_entries(run: Run, amendments: Amendments) -> Steps[None]:
    """No entry holds a line that came from a withdrawn message.  A swap, never a delete: the entry keeps its key."""
    for name in (yield from run.names(ENTRIES)):
        while True:
            stored = yield from run.read(name, Entry)
            if stored is None:
                break
            entry = stored.value
            lines = tuple(
                line
                for line in entry.lines
                if line.line_message_id not in amendments.withdrawn and line.timestamp_s > amendments.erased_s
            )
            if lines == entry.lines:
                break
            if (yield from run.write(name, replace(entry, lines=lines), stored.generation)) is not None:
                break


def _has(run: Run, entry: Entry, key: tuple[int, int]) -> bool:
    if not run.guards.keys_staged_writes:
        return False
    return entry.key >= key if run.guards.orders_staged_writes else entry.key == key
