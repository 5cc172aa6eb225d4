"""What an answer says of kept reminders, and what is noted about it once the answer was sent."""

from concurrent.futures import Executor
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord, SaidReminder, StagedWrite
from shared.features.stored_features import writer_of
from shared.reminders.reminder import Reminder, ReminderState
from shared.reminders.store import RETENTION_MS, ReminderStore
from tests.support.chats import conversations_on
from tests.support.reminders import ReminderChat, forget

CHAT = "U" + "1" * 32
KEPT_AT_MS = 5_000


@pytest.fixture
def chat(store: MemoryObjectStore, reads: Executor, clock: FixedClock) -> ReminderChat:
    return ReminderChat(conversations_on(store, reads, clock).of(CHAT))


def kept(chat: ReminderChat, *, rule: str | None = None) -> Reminder:
    """Return a reminder whose last occurrence could not be pushed."""
    made = chat.remind(at="2026-11-25T09:00", rule=rule)
    due_ms = None if rule is None else made.due_ms
    ReminderStore(chat.conversation).update(
        made.id, lambda stored: replace(stored or made, kept_ms=KEPT_AT_MS, due_ms=due_ms)
    )
    for marker in chat.conversation.objects.store.list("due/"):
        chat.conversation.objects.store.delete(marker.name)
    return chat.read(made.id)


def answer(reminder: Reminder, *, kind: OutcomeKind = OutcomeKind.REPLIED, at_ms: int = KEPT_AT_MS) -> OutcomeRecord:
    return OutcomeRecord(
        webhook_event_id="e9",
        timestamp_ms=9,
        kind=kind,
        provenance=reminder.provenance,
        sequence=9,
        reminders=(SaidReminder(id=reminder.id, occurrence_ms=at_ms),),
    )


@pytest.mark.parametrize("kind", [OutcomeKind.REPLIED, OutcomeKind.UNKNOWN, OutcomeKind.WITHDRAWN])
def test_a_reminder_that_an_answer_said_is_done(chat: ReminderChat, kind: OutcomeKind) -> None:
    reminder = kept(chat)

    for _ in range(2):
        chat.apply(answer(reminder, kind=kind))

    after, now_ms = chat.read(reminder.id), chat.conversation.turn.clock.now_ms()
    assert (after.state, after.kept_ms, after.ended_ms) == (ReminderState.DONE, None, now_ms)
    assert len(chat.markers) == 1  # of its removal
    assert RETENTION_MS > 7 * 86_400_000


def test_a_recurring_reminder_that_an_answer_said_waits_for_its_next_time(chat: ReminderChat) -> None:
    reminder = kept(chat, rule="FREQ=DAILY")

    chat.apply(answer(reminder))

    after = chat.read(reminder.id)
    assert (after.state, after.kept_ms, after.due_ms) == (ReminderState.OPEN, None, reminder.due_ms)
    assert chat.markers == [f"20261125T0000 {reminder.id}"]


def test_an_answer_that_did_not_arrive_notes_nothing(chat: ReminderChat) -> None:
    reminder = kept(chat)

    chat.apply(answer(reminder, kind=OutcomeKind.UNDELIVERED))

    assert chat.read(reminder.id) == reminder


def test_an_answer_with_an_older_occurrence_notes_nothing(chat: ReminderChat) -> None:
    reminder = kept(chat)

    chat.apply(answer(reminder, at_ms=KEPT_AT_MS - 1))

    assert chat.read(reminder.id) == reminder


def test_a_reminder_that_was_withdrawn_after_its_answer_does_not_come_back(chat: ReminderChat) -> None:
    reminder = kept(chat)
    forget(chat.conversation, reminder)

    assert chat.apply(answer(reminder))

    assert chat.stored == ()
    assert chat.markers == []


def test_a_holder_whose_lease_is_over_notes_nothing(chat: ReminderChat, clock: FixedClock) -> None:
    reminder, lease = kept(chat), chat.lease()
    clock.move(60)

    assert not writer_of().apply(chat.conversation, answer(reminder), lease)

    assert chat.read(reminder.id) == reminder


def test_writes_to_entries_and_to_reminders_go_to_their_places(chat: ReminderChat) -> None:
    overlay = chat.begin()
    made = overlay.create(text="drink water", at="2026-11-25T09:00", provenance=Provenance.of_sources(()), user_id=None)
    undo = StagedWrite(path="undo.json", text='{"version":1,"revision":"1.0","before":[]}')
    outcome = replace(chat.outcome(overlay), writes=(undo, *overlay.changes(first_number=1)))

    chat.apply(outcome)

    assert [one.id for one in chat.stored] == [made.id]
    assert chat.read(made.id).revision == (1, 1)
    assert chat.conversation.objects.store.read(f"entries/{CHAT}/undo.json") is not None
    assert not chat.conversation.objects.store.list(f"entries/{CHAT}/reminders")
