"""Tries at a postponed summary: those stay whose worker has not come back."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial

import pytest

from shared.adapters.memory import FixedClock
from shared.errors import StorageUnavailableError
from shared.reminders.reminder import Reminder, ReminderState
from shared.reminders.store import ReminderStore
from shared.reminders.tries import begin_try, end_try
from shared.storage.codec import decode, encode
from tests.support.chats import conversations_on
from tests.support.reminders import InterruptedStore, ReminderChat, forget

CHAT = "C" + "1" * 32
DUE_MS = 5_000


@pytest.fixture
def bucket() -> InterruptedStore:
    return InterruptedStore()


@pytest.fixture
def chat(bucket: InterruptedStore, reads: Executor, clock: FixedClock) -> ReminderChat:
    return ReminderChat(conversations_on(bucket, reads, clock).of(CHAT))


@pytest.fixture
def summary(chat: ReminderChat) -> Reminder:
    """A summary that waits since DUE_MS."""
    made = chat.remind(at="2026-11-25T09:00", rule="FREQ=DAILY")
    changes(chat, made, kept_ms=DUE_MS)
    return chat.read(made.id)


def changes(chat: ReminderChat, reminder: Reminder, **fields: object) -> None:
    ReminderStore(chat.conversation).update(reminder.id, lambda stored: replace(stored or reminder, **fields))  # type: ignore[arg-type]


def begins(chat: ReminderChat, reminder: Reminder, worker: str, *, occurrence_ms: int = DUE_MS) -> bool:
    return begin_try(ReminderStore(chat.conversation), reminder.id, worker, occurrence_ms=occurrence_ms)


def trying(chat: ReminderChat, reminder: Reminder, *, occurrence_ms: int = DUE_MS) -> tuple[str, ...]:
    return chat.read(reminder.id).workers_trying(occurrence_ms)


def test_a_try_stays_until_its_worker_ends_it(chat: ReminderChat, summary: Reminder) -> None:
    assert [begins(chat, summary, worker) for worker in ("w1", "w2", "w2")] == [True, True, True]
    both = trying(chat, summary)

    for worker in ("w1", "w1", "w3"):
        end_try(ReminderStore(chat.conversation), summary.id, worker)

    assert both == ("w1", "w2")
    assert trying(chat, summary) == ("w2",)
    assert decode(Reminder, encode(chat.read(summary.id))) == chat.read(summary.id)


def test_the_tries_of_another_occurrence_do_not_count(chat: ReminderChat, summary: Reminder) -> None:
    begins(chat, summary, "w1")
    changes(chat, summary, kept_ms=DUE_MS + 1)

    assert trying(chat, summary, occurrence_ms=DUE_MS + 1) == ()
    assert begins(chat, summary, "w2", occurrence_ms=DUE_MS + 1)
    assert trying(chat, summary, occurrence_ms=DUE_MS + 1) == ("w2",)


def is_withdrawn(chat: ReminderChat, reminder: Reminder) -> None:
    forget(chat.conversation, reminder)


@pytest.mark.parametrize(
    "happens",
    [
        is_withdrawn,
        partial(changes, kept_ms=None),
        partial(changes, kept_ms=DUE_MS + 1),
        partial(changes, state=ReminderState.CANCELLED),
    ],
)
def test_nobody_begins_what_does_not_wait_any_more(
    chat: ReminderChat, summary: Reminder, happens: Callable[[ReminderChat, Reminder], None]
) -> None:
    happens(chat, summary)

    assert not begins(chat, summary, "w1")


def test_a_try_that_cannot_be_recorded_is_an_error_and_one_that_cannot_be_ended_counts(
    bucket: InterruptedStore, chat: ReminderChat, summary: Reminder
) -> None:
    begins(chat, summary, "w1")
    bucket.fails = "replace reminders/"
    with pytest.raises(StorageUnavailableError, match="down"):
        begins(chat, summary, "w2")
    end_try(ReminderStore(chat.conversation), summary.id, "w1")

    assert trying(chat, summary) == ("w1",)
