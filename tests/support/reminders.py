"""A chat whose turns stage reminders, and what its bucket holds of them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from shared.conversation.amendments import Amendments
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation
from shared.handlers.staged_writes import StagedWrites
from shared.knowledge.entry import Source
from shared.reminders.reminder import Reminder
from shared.reminders.staging import ReminderOverlay, ReminderStaging
from shared.reminders.store import ReminderStore
from shared.turns.lease import Lease, open_turn

ZONE = "Asia/Tokyo"
ASKED = Source(line_message_id="m1", timestamp_ms=1_000)


@dataclass
class ReminderChat:
    """Stages and applies as turns do, and looks into the bucket."""

    conversation: Conversation
    sequence: int = 0
    outcomes: list[OutcomeRecord] = field(default_factory=list)

    def begin(self, amendments: Amendments | None = None) -> ReminderOverlay:
        self.sequence += 1
        return ReminderStaging(zone=ZONE).begin(
            self.conversation,
            sequence=self.sequence,
            now_ms=self.conversation.turn.clock.now_ms(),
            amendments=amendments or Amendments(),
        )

    def outcome(self, overlay: ReminderOverlay) -> OutcomeRecord:
        writes = overlay.changes(first_number=0)
        return OutcomeRecord(
            webhook_event_id=f"e{self.sequence}",
            timestamp_ms=1_000,
            kind=OutcomeKind.REPLIED,
            writes=writes,
            sequence=self.sequence,
        )

    def commit(self, overlay: ReminderOverlay) -> OutcomeRecord:
        outcome = self.outcome(overlay)
        assert self.apply(outcome)
        return outcome

    def apply(self, outcome: OutcomeRecord) -> bool:
        return StagedWrites().apply(self.conversation, outcome, self.lease())

    def lease(self) -> Lease:
        lease = open_turn(self.conversation, self.conversation.turn.read())
        assert lease is not None
        return lease

    def turn(self, stage: Callable[[ReminderOverlay], Reminder]) -> Reminder:
        """Commit a turn that stages this, and return the reminder as it is then."""
        overlay = self.begin()
        reminder_id = stage(overlay).id
        self.commit(overlay)
        return self.read(reminder_id)

    def remind(
        self, text: str = "drink water", *, at: str, rule: str | None = None, source: Source = ASKED
    ) -> Reminder:
        return self.turn(
            lambda overlay: overlay.create(text=text, at=at, rule=rule, sources=(source,), user_id="U" + "a" * 32)
        )

    def read(self, reminder_id: str) -> Reminder:
        found = ReminderStore(self.conversation).find(reminder_id)
        assert found is not None
        return found[0]

    @property
    def stored(self) -> tuple[Reminder, ...]:
        return ReminderStore(self.conversation).read_all()

    @property
    def markers(self) -> list[str]:
        """The minute and the id of every marker of a reminder."""
        found = (one.name.removeprefix("due/") for one in self.conversation.objects.store.list("due/"))
        parts = (name.partition("/") for name in found)
        return [f"{minute} {rest.split('.')[2]}" for minute, _, rest in parts if rest.startswith("reminder.")]
