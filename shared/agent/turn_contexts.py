"""Makes the context of a turn: the chat as the question shows it, and empty staging; each attempt at a turn begins without writes."""

from dataclasses import dataclass, field
from typing import Protocol

from shared.agent.retellings import messages_in_prompt
from shared.agent.turn_context import StagedEntries, StagedReminders, TurnContext
from shared.clock import Clock
from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation
from shared.turns.question import Question


class StagingPort(Protocol):
    """Staged writes to entries; each attempt at a turn begins with none."""

    def begin(self, conversation: Conversation, *, sequence: int, amendments: Amendments) -> StagedEntries:
        """Return the chat's entries as the turn of commit `sequence` sees them, without staged writes."""
        ...


class ReminderStagingPort(Protocol):
    """Staged writes to reminders; each attempt at a turn begins with none."""

    def begin(
        self, conversation: Conversation, *, sequence: int, now_ms: int, amendments: Amendments
    ) -> StagedReminders:
        """Return the chat's reminders as the turn of commit `sequence` sees them, without staged writes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContexts:
    """Makes contexts.  `reminders` None: the deployment has no reminders."""

    entries: StagingPort
    reminders: ReminderStagingPort | None = None
    clock: Clock = field(repr=False)

    def of(self, question: Question) -> TurnContext:
        """Return the context of an attempt at this question."""
        now_ms = self.clock.now_ms()
        return TurnContext(
            conversation=question.conversation,
            prompt=question.draft.provenance,
            sequence=question.sequence,
            now_ms=now_ms,
            to_answer=question.asked,
            earlier=messages_in_prompt(question.history, question.asked),
            entries=self.entries.begin(
                question.conversation, sequence=question.sequence, amendments=question.history.amendments
            ),
            reminders=self._reminders(question, now_ms=now_ms),
            question=question,
        )

    def _reminders(self, question: Question, *, now_ms: int) -> StagedReminders | None:
        if self.reminders is None:
            return None
        amendments = question.history.amendments
        return self.reminders.begin(
            question.conversation, sequence=question.sequence, now_ms=now_ms, amendments=amendments
        )
