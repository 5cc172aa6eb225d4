"""Have the feed follow what turns write: a tick writes it anew after an outcome with writes, whichever worker ends the turn."""

from dataclasses import dataclass

from shared.calendars.store import CalendarStore
from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey
from shared.turns.basis import HeldLease


class CalendarWriter:
    """Marks feeds; turns stage nothing of them.  Listed after the writers of entries and reminders."""

    def owns(self, path: str) -> bool:
        del path
        return False

    def begin(self, conversation: Conversation, outcome: OutcomeRecord) -> "CalendarWriting":
        return CalendarWriting(conversation, outcome)


@dataclass(frozen=True, slots=True)
class CalendarWriting:
    """The feed after one outcome."""

    conversation: Conversation
    outcome: OutcomeRecord

    def write(self, write: StagedWrite, *, key: WriteKey) -> None:
        """Do nothing: no write is this feature's."""

    def finish(self, lease: HeldLease) -> bool:
        """Leave a marker, if the outcome wrote anything and the chat has a calendar; called once the writes are in their objects."""
        if not self.outcome.writes:
            return True
        if lease.is_over:
            return False
        store = CalendarStore(self.conversation)
        if store.read() is not None:
            store.mark()
        return True
