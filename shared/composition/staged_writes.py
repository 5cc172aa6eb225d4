"""Staged writes to entries and reminders: one class applies them after the commit, and later removes withdrawn words."""

from dataclasses import dataclass, field

from shared.conversation.amendments import Amendments
from shared.conversation.records import OutcomeRecord
from shared.conversation.store import Conversation
from shared.knowledge.apply import StagedEntryWriter
from shared.knowledge.entry_words import EntryWords
from shared.reminders.apply import StagedReminderWriter
from shared.reminders.words import ReminderWords
from shared.turns.lease import Lease


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedWrites:
    """Applies the writes of outcomes (a StagedWriter), and removes withdrawn words from entries and reminders (a WordHolder)."""

    entries: StagedEntryWriter = field(default_factory=StagedEntryWriter)
    reminders: StagedReminderWriter = field(default_factory=StagedReminderWriter)
    entry_words: EntryWords = field(default_factory=EntryWords)
    reminder_words: ReminderWords = field(default_factory=ReminderWords)

    def apply(self, conversation: Conversation, outcome: OutcomeRecord, lease: Lease) -> bool:
        """Apply every write, as a StagedWriter does."""
        return self.entries.apply(conversation, outcome, lease) and self.reminders.apply(conversation, outcome, lease)

    def remove_withdrawn(self, conversation: Conversation, amendments: Amendments) -> None:
        """Remove the words from entries and reminders, as a WordHolder does."""
        self.entry_words.remove_withdrawn(conversation, amendments)
        self.reminder_words.remove_withdrawn(conversation, amendments)
