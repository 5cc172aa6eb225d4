"""The writer of every feature that stages, in the order in which an outcome's writes are applied."""

from typing import Final

from shared.knowledge.apply import EntryWriter
from shared.reminders.apply import ReminderWriter
from shared.turns.staged_writes import StagedWrites
from shared.turns.undo import UndoWriter

STAGED_WRITES: Final = StagedWrites((EntryWriter(), ReminderWriter(), UndoWriter()))
