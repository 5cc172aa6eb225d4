"""A chat whose turns stage reminders, and what its bucket holds of them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from shared.adapters.memory import MemoryObjectStore
from shared.agent.model import Json
from shared.agent.overlay import Attempt, StagingFault
from shared.agent.staged import Staged
from shared.agent.tools import Tool, ToolFault
from shared.agent.turn_context import TurnContext
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation
from shared.errors import StorageUnavailableError
from shared.features.stored_features import writer_of
from shared.reminders.reminder import Reminder, ReminderKind
from shared.reminders.schedule import local_time
from shared.reminders.staging import ReminderOverlay
from shared.reminders.store import ReminderStore
from shared.storage.object_store import ListedObject, StoredObject
from shared.turns.lease import Lease, open_turn

ZONE = "Asia/Tokyo"
ASKED = Source(line_message_id="m1", timestamp_ms=1_000)


class InterruptedStore(MemoryObjectStore):
    """A bucket in which something comes between two calls; a call is named by its verb and the beginning of its object, `read due/`.

    Calls that begin with `fails` fail before their effect; the next write that begins with `loses` is reported as lost although it won.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fails: str | None = None
        self.loses: str | None = None
        self._between: tuple[str, int, Callable[[], object]] | None = None

    def before(self, step: str, other: Callable[[], object], *, times: int = 1) -> None:
        """The `times`th call of this name, counted from now, comes after `other`."""
        self._between = (step, times, other)

    def read(self, name: str) -> StoredObject | None:
        self._interrupt(f"read {name}")
        return super().read(name)

    def create(self, name: str, data: bytes) -> int | None:
        self._interrupt(f"create {name}")
        return super().create(name, data)

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        self._interrupt(f"replace {name}")
        written = super().replace(name, data, generation=generation)
        if self.loses is not None and f"replace {name}".startswith(self.loses):
            self.loses = None
            return None
        return written

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        self._interrupt(f"delete {name}")
        return super().delete(name, generation=generation)

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        self._interrupt(f"list {prefix}")
        return super().list(prefix, since=since, before=before)

    def _interrupt(self, call: str) -> None:
        if self.fails is not None and call.startswith(self.fails):
            raise StorageUnavailableError("down")
        if self._between is not None and call.startswith(self._between[0]):
            step, times, other = self._between
            self._between = (step, times - 1, other) if times > 1 else None
            if times == 1:
                other()


@dataclass
class ReminderChat:
    """Stages and applies as turns do, and looks into the bucket."""

    conversation: Conversation
    sequence: int = 0
    outcomes: list[OutcomeRecord] = field(default_factory=list)

    def begin(self, amendments: Amendments | None = None) -> ReminderOverlay:
        self.sequence += 1
        attempt = Attempt.at(
            self.conversation,
            sequence=self.sequence,
            now_ms=self.conversation.turn.clock.now_ms(),
            amendments=amendments or Amendments(),
        )
        return ReminderOverlay(attempt, zone=ZONE)

    def outcome(self, overlay: ReminderOverlay) -> OutcomeRecord:
        writes = Staged((overlay,)).changes()
        return OutcomeRecord(
            webhook_event_id=f"e{self.sequence}",
            timestamp_ms=1_000,
            kind=OutcomeKind.REPLIED,
            provenance=overlay.provenance,
            writes=writes,
            sequence=self.sequence,
        )

    def commit(self, overlay: ReminderOverlay) -> OutcomeRecord:
        outcome = self.outcome(overlay)
        assert self.apply(outcome)
        return outcome

    def apply(self, outcome: OutcomeRecord) -> bool:
        return writer_of().apply(self.conversation, outcome, self.lease())

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
            lambda overlay: overlay.create(
                text=text, at=at, rule=rule, provenance=Provenance.of_sources((source,)), user_id="U" + "a" * 32
            )
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


def reminding_tool() -> Tool:
    """Return a tool `remind` that stages a reminder in so many minutes, as the toolset of reminders does.

    With `sums_up` it is a summary of the chat, with `is_private` for the person who asks alone. With `cancel` it cancels the reminders with
    this in their text, and with `reword` it gives the next one this text.
    """

    def remind(arguments: Json, context: TurnContext) -> Json | ToolFault:
        overlay = context.staged.find(ReminderOverlay)
        if overlay is None:
            return {"status": "off"}
        sources = (one.source for one in context.to_answer)
        if "cancel" in arguments:
            for reminder in overlay.list():
                if str(arguments["cancel"]) in reminder.text:
                    overlay.cancel(reminder.id)
            return {"status": "cancelled"}
        if "reword" in arguments:
            for reminder in overlay.list()[:1]:
                overlay.change(reminder.id, text=str(arguments["reword"]), provenance=Provenance.of_sources(sources))
            return {"status": "reworded"}
        at_ms = context.now_ms + int(str(arguments["minutes"])) * 60_000
        rule = arguments.get("rule")
        try:
            made = overlay.create(
                text=str(arguments["text"]),
                at=local_time(at_ms, overlay.zone),
                rule=None if rule is None else str(rule),
                kind=ReminderKind.CHAT_SUMMARY if arguments.get("sums_up") else ReminderKind.TEXT,
                is_pushed=not arguments.get("sums_up") or bool(arguments.get("pushes")),
                is_private=bool(arguments.get("is_private")),
                provenance=Provenance.of_sources(sources),
                user_id=context.to_answer[-1].user_id if arguments.get("is_private") else None,
            )
        except StagingFault as fault:  # of a flood, more than a turn may change
            return ToolFault(message=str(fault), may_retry=fault.may_retry)
        return {"status": made.id}

    parameters = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "minutes": {"type": "integer"},
            "rule": {"type": "string"},
            "sums_up": {"type": "boolean"},
            "pushes": {"type": "boolean"},
            "is_private": {"type": "boolean"},
            "cancel": {"type": "string"},
            "reword": {"type": "string"},
        },
    }
    response = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}
    return Tool(
        name="remind",
        description="Sets a reminder.",
        parameters=parameters,
        response=response,
        run=remind,
        stages=True,
        is_plain=lambda _, result: result["status"] != "off",
    )


def forget(conversation: Conversation, reminder: Reminder) -> None:
    """The reminder is gone, as if it had been withdrawn."""
    store = ReminderStore(conversation)
    stored = store.find(reminder.id)
    assert stored is not None
    store.delete(stored[0], generation=stored[1])
