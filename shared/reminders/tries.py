"""Tries at a postponed summary: a try is recorded before the words are made, and taken off again when the worker comes back.

    begin_try ─▶ the model ─▶ told: the occurrence waits no more
     │             └── an error: end_try, so the try does not count
     └── the worker dies: the try stays

So only the tries of workers stay that may have died of the messages in the prompt. After MOST_TRIES, no worker makes the summary any more.
Example: a message kills every worker that reads the message.
"""

from dataclasses import replace
from typing import Final

from shared import logs
from shared.errors import AizuchiError
from shared.reminders.reminder import Reminder
from shared.reminders.store import ReminderStore

MOST_TRIES: Final = 3


def begin_try(store: ReminderStore, reminder_id: str, worker: str, *, occurrence_ms: int) -> bool:
    """Record that the worker begins to make the summary; return whether the occurrence still waits.

    Repeated: counts once. Raises: StorageUnavailableError.
    """

    def change(stored: Reminder | None) -> Reminder | None:
        waits = stored is not None and stored.is_open and stored.kept_ms == occurrence_ms
        return stored.tried_by(worker, occurrence_ms) if stored is not None and waits else None

    after = store.update(reminder_id, change)
    return after is not None and worker in after.workers_trying(occurrence_ms)


def end_try(store: ReminderStore, reminder_id: str, worker: str) -> None:
    """The worker lives, and has told nothing, so the try does not count.

    Where the bucket does not answer, the try counts. Repeated, and of a worker that has not begun: changes nothing.
    """

    def change(stored: Reminder | None) -> Reminder | None:
        tries = stored.tries if stored is not None else None
        if stored is None or tries is None or worker not in tries.workers:
            return None
        others = tuple(one for one in tries.workers if one != worker)
        return replace(stored, tries=replace(tries, workers=others))

    try:
        store.update(reminder_id, change)
    except AizuchiError as cause:
        logs.warning("summary_try_not_ended", error_type=type(cause).__name__)
