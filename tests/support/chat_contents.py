"""What the bucket holds of a person's chat: the open reminders, the note of a lunch, the words that an undo would restore."""

from shared.reminders.reminder import Reminder
from shared.reminders.store import ReminderStore
from tests.support.people import Person


def open_reminders(person: Person) -> list[Reminder]:
    conversation = person.worker.conversations.of(person.events.chat_id)
    return [reminder for reminder in ReminderStore(conversation).read_all() if reminder.is_open]


def has_note(person: Person) -> bool:
    """Whether the chat has the entry that `person.files("lunch")` files."""
    return _entry_data(person, "ideas/lunch.md").startswith(b"---")


def undo_words(person: Person) -> str:
    """Return the undo record, which must exist, as text."""
    data = _entry_data(person, "undo.json")
    assert data
    return data.decode()


def _entry_data(person: Person, path: str) -> bytes:
    name = person.worker.conversations.of(person.events.chat_id).names.entry(path)
    stored = person.worker.store.read(name)
    return stored.data if stored is not None else b""
