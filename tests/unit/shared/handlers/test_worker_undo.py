"""One undo over all features: it takes back the last thing that was done in the chat, whatever it was."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.memory import FixedClock, MemoryNotion
from shared.adapters.memory.scripted_model import calling
from shared.composition.ports import NotionPort
from shared.errors import ModelUnavailableError
from shared.reminders.delivery import Reminding
from shared.reminders.reminder import Reminder
from shared.reminders.store import ReminderStore
from tests.support.chat_contents import has_note, open_reminders, undo_words
from tests.support.notion import shopping_list
from tests.support.people import Person
from tests.support.pushed import PushedWorker

SAYS = calling(("reply", {"message": "はい"}))
PILLS = {"text": "薬", "at": "2025-11-22T09:00"}  # it is 2025-11-21T13:40
DAY_S = 86_400
OTHER = "U" + "c" * 32


@pytest.fixture
def friend(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool, reminding=Reminding.PUSH), is_in_group=False)


def does(person: Person, name: str, **arguments: object) -> str:
    """Let a turn of its own call this tool; return the bot's answer."""
    message = {"type": "text", "text": name}
    event = person.events.event("message", message=message, timestamp=person.worker.clock.now_ms())
    person.sends(event, calling((name, arguments)), SAYS)
    return str(person.worker.outcome(event)["text"])


def undoes(person: Person) -> str:
    return does(person, "undo_last_change")


def set_pills(person: Person, **more: str) -> Reminder:
    does(person, "create_reminder", **PILLS, **more)
    (reminder,) = open_reminders(person)
    return reminder


def test_an_undo_after_a_cancelled_reminder_sets_the_reminder_and_leaves_the_note(friend: Person) -> None:
    reminder = set_pills(friend)
    entry = friend.files("lunch")
    does(friend, "cancel_reminder", id=reminder.id)
    assert open_reminders(friend) == []

    receipt = undoes(friend)

    note = friend.worker.store.read(entry)
    assert note is not None
    assert b"lunch" in note.data
    (restored,) = open_reminders(friend)
    assert (restored.id, restored.text, restored.due_ms) == (reminder.id, "薬", reminder.due_ms)
    assert "薬" in receipt.splitlines()[-1]


def test_an_undo_after_a_new_reminder_cancels_it(friend: Person) -> None:
    entry = friend.files("lunch")
    set_pills(friend)

    undoes(friend)

    assert open_reminders(friend) == []
    assert friend.worker.store.read(entry) is not None


def test_an_undo_after_a_moved_reminder_moves_it_back(friend: Person) -> None:
    reminder = set_pills(friend)
    does(friend, "change_reminder", id=reminder.id, at="2025-11-23T10:00")

    undoes(friend)

    assert [(one.start, one.due_ms) for one in open_reminders(friend)] == [(PILLS["at"], reminder.due_ms)]


def test_an_undo_after_a_note_leaves_the_reminder(friend: Person) -> None:
    set_pills(friend)
    entry = friend.files("lunch")

    undoes(friend)

    assert len(open_reminders(friend)) == 1
    stored = friend.worker.store.read(entry)
    assert stored is None or b"lunch" not in stored.data


def test_a_second_undo_takes_nothing_back(friend: Person) -> None:
    entry = friend.files("lunch")
    set_pills(friend)

    undoes(friend)
    undoes(friend)

    assert friend.worker.store.read(entry) is not None


@pytest.mark.parametrize(("days", "is_restored"), [(0, True), (2, False)])
def test_a_reminder_whose_time_has_passed_is_not_set_again(friend: Person, days: int, *, is_restored: bool) -> None:
    reminder = set_pills(friend)
    does(friend, "cancel_reminder", id=reminder.id)
    friend.worker.clock.move(days * DAY_S)

    undoes(friend)

    assert bool(open_reminders(friend)) is is_restored


def test_a_recurring_reminder_is_set_again_for_its_next_time(friend: Person) -> None:
    reminder = set_pills(friend, rule="FREQ=DAILY")
    does(friend, "cancel_reminder", id=reminder.id)
    friend.worker.clock.move(2 * DAY_S)

    undoes(friend)

    (restored,) = open_reminders(friend)
    assert restored.due_ms == (reminder.due_ms or 0) + 2 * DAY_S * 1_000


def test_a_changed_text_is_restored_without_a_time_that_has_come_since(friend: Person) -> None:
    reminder = set_pills(friend, rule="FREQ=DAILY")
    does(friend, "change_reminder", id=reminder.id, text="水")
    later_ms = (reminder.due_ms or 0) + DAY_S * 1_000
    store = ReminderStore(friend.worker.conversations.of(friend.events.chat_id))
    store.update(reminder.id, lambda stored: replace(stored, due_ms=later_ms) if stored is not None else None)

    undoes(friend)

    assert [(one.text, one.due_ms) for one in open_reminders(friend)] == [("薬", later_ms)]


def test_a_withdrawal_takes_the_words_of_a_cancelled_reminder_out_of_the_undo(friend: Person) -> None:
    asked: dict[str, Any] = friend.says("薬", calling(("create_reminder", PILLS)), SAYS)
    (reminder,) = open_reminders(friend)
    does(friend, "cancel_reminder", id=reminder.id)
    assert "薬" in undo_words(friend)

    friend.worker.withdraw(friend.events.chat_id, asked["message"]["id"])

    assert "薬" not in undo_words(friend)
    undoes(friend)
    assert open_reminders(friend) == []


def test_an_undo_after_a_page_in_notion_leaves_an_older_note_alone(pool: ThreadPoolExecutor) -> None:
    notion = MemoryNotion(FixedClock())
    port = NotionPort(api=notion, databases={"shopping": notion.add_database(shopping_list())}, conversations=None)
    person = Person(PushedWorker(pool, notion=port), is_in_group=False)
    entry = person.files("lunch")
    does(person, "create_page", database_name="shopping", title="milk")

    undoes(person)

    note = person.worker.store.read(entry)
    assert note is not None
    assert b"lunch" in note.data


def test_an_undo_takes_back_everything_that_one_answer_did(friend: Person) -> None:
    friend.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "lunch"}]
    captures = calling(("classify_and_capture", {"text": "lunch"}), ("create_reminder", PILLS))
    friend.asks("note lunch, and remind me of the pills", captures, SAYS)
    assert len(open_reminders(friend)) == 1

    undoes(friend)

    assert open_reminders(friend) == []
    assert not has_note(friend)


def test_an_undo_after_the_last_change_was_withdrawn_takes_nothing_older_back(friend: Person) -> None:
    friend.files("lunch")
    asked = friend.says("薬", calling(("create_reminder", PILLS)), SAYS)
    friend.worker.withdraw(friend.events.chat_id, asked["message"]["id"])
    assert open_reminders(friend) == []

    undoes(friend)

    assert has_note(friend)


def test_an_undo_of_what_another_member_asked_for_waits_for_a_tap(member: Person) -> None:
    member.files("lunch")

    asked = member.asks("never mind", calling(("undo_last_change", {})), SAYS, by=OTHER)

    assert "☐" in str(member.worker.outcome(asked)["text"])
    assert has_note(member)
    member.presses(member.newest_button)
    assert not has_note(member)


def test_a_member_undoes_an_own_change_at_once(member: Person) -> None:
    member.files("lunch")

    member.asks("never mind", calling(("undo_last_change", {})), SAYS)

    assert not has_note(member)


def test_an_undo_of_several_things_that_another_member_asked_for_is_left_to_the_person(member: Person) -> None:
    notes = [{"category": "ideas", "confidence": 0.8, "name": name} for name in ("lunch", "dinner")]
    member.worker.json_model.steps = list(notes)
    captures = (calling(("classify_and_capture", {"text": name})) for name in ("lunch", "dinner"))
    member.asks("note lunch, and dinner", *captures, SAYS)

    asked = member.asks("never mind", calling(("undo_last_change", {})), SAYS, by=OTHER)

    assert "☐" not in str(member.worker.outcome(asked)["text"])
    assert has_note(member)


def test_an_undo_after_a_page_whose_answer_was_lost_leaves_an_older_note_alone(pool: ThreadPoolExecutor) -> None:
    notion = MemoryNotion(FixedClock())
    port = NotionPort(api=notion, databases={"shopping": notion.add_database(shopping_list())}, conversations=None)
    person = Person(PushedWorker(pool, notion=port), is_in_group=False)
    person.files("lunch")
    notion.fates = ["lost"]
    does(person, "create_page", database_name="shopping", title="milk")
    assert len(notion.pages) == 1

    undoes(person)

    assert has_note(person)


def test_an_undo_after_an_apology_for_a_turn_that_made_a_page_leaves_an_older_note_alone(
    pool: ThreadPoolExecutor,
) -> None:
    notion = MemoryNotion(FixedClock())
    port = NotionPort(api=notion, databases={"shopping": notion.add_database(shopping_list())}, conversations=None)
    person = Person(PushedWorker(pool, notion=port), is_in_group=False)
    person.files("lunch")
    event = person.events.text("put milk on the list")
    creates = calling(("create_page", {"database_name": "shopping", "title": "milk", "properties": {}}))
    person.sends(event, creates, *[ModelUnavailableError("down")] * 9)
    assert person.worker.outcome(event)["kind"] == "apologised"

    undoes(person)

    assert has_note(person)
