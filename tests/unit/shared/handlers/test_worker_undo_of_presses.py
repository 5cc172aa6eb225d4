"""An undo is of what was done last: by a press of a button, by a confirmed proposal, outside of the bucket, and not by a mere proposal."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from shared.adapters.memory import FixedClock, MemoryNotion
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import FunctionResponses
from shared.composition.ports import NotionPort
from shared.line.messaging import PostbackButton
from shared.line.phrases import Phrase
from shared.reminders.delivery import Reminding
from shared.reminders.reminder import Reminder
from tests.support import push
from tests.support.chat_contents import has_note, open_reminders, undo_words
from tests.support.notion import shopping_list
from tests.support.people import Person
from tests.support.pushed import PushedWorker
from tests.support.replies import card_of, values_of
from tests.support.tainted_chat import DELETES, REPLY, UNDOES, TaintedChat, creating

SAYS: Final = calling(("reply", {"message": "はい"}))
HOUR_S: Final = 3_600
DONE, LATER = 0, 1  # the places of the quick replies under a pushed reminder


@pytest.fixture
def friend(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool, reminding=Reminding.PUSH), is_in_group=False)


@pytest.fixture
def chat(pool: ThreadPoolExecutor) -> TaintedChat:
    return TaintedChat(pool)


def does(person: Person, name: str, **arguments: object) -> dict[str, Any]:
    """Let a turn of its own call this tool; return the event."""
    message = {"type": "text", "text": name}
    event = person.events.event("message", message=message, timestamp=person.worker.clock.now_ms())
    return person.sends(event, calling((name, arguments)), SAYS)


def undoes(person: Person) -> str:
    """Let a turn undo; return what the model was told."""
    does(person, "undo_last_change")
    results = [one for one in person.worker.model.requests[-1].contents if isinstance(one, FunctionResponses)]
    return str(results[-1].responses[-1].response)


def reminds(person: Person, **more: str) -> Reminder:
    does(person, "create_reminder", text="薬", at="2025-11-22T09:00", **more)
    (reminder,) = open_reminders(person)
    return reminder


def presses_beside_the_list(person: Person, label: Phrase) -> dict[str, Any]:
    listed = person.says("/reminders")
    (pressed,) = [value for row in card_of(person, listed).rows for value in values_of(row, label)]
    return person.presses(pressed)


def presses_under_the_reminder(person: Person, place: int) -> dict[str, Any]:
    person.worker.clock.move(20 * HOUR_S)
    assert person.worker.push(push.tick()) == 204
    *_, (_, (message,)) = person.worker.line.pushed.values()
    button = message.quick_replies[place]
    assert isinstance(button, PostbackButton)
    return person.presses(button.data, timestamp=person.worker.clock.now_ms() + 5_000)


def test_an_undo_after_a_press_that_cancelled_a_reminder_sets_it_again(friend: Person) -> None:
    friend.files("lunch")
    reminder = reminds(friend)
    friend.files("dinner")
    presses_beside_the_list(friend, Phrase.REMINDER_CANCEL_BUTTON)
    assert open_reminders(friend) == []

    undoes(friend)

    assert [(one.id, one.due_ms) for one in open_reminders(friend)] == [(reminder.id, reminder.due_ms)]
    assert has_note(friend)


def test_an_undo_after_a_press_of_an_hour_later_moves_the_reminder_back(friend: Person) -> None:
    reminder = reminds(friend)
    friend.files("lunch")
    presses_beside_the_list(friend, Phrase.REMINDER_LATER_HOUR_BUTTON)
    assert open_reminders(friend)[0].due_ms == (reminder.due_ms or 0) + HOUR_S * 1_000

    undoes(friend)

    assert [(one.start, one.due_ms) for one in open_reminders(friend)] == [(reminder.start, reminder.due_ms)]
    assert has_note(friend)


def test_an_undo_after_a_postponed_reminder_cancels_the_reminder_that_the_press_made(friend: Person) -> None:
    reminds(friend)
    friend.files("lunch")
    presses_under_the_reminder(friend, LATER)
    (again,) = open_reminders(friend)
    assert again.text == "薬"

    undoes(friend)

    assert open_reminders(friend) == []
    assert has_note(friend)


def test_an_undo_after_a_press_of_done_takes_nothing_else_back(friend: Person) -> None:
    reminds(friend)
    friend.files("lunch")
    presses_under_the_reminder(friend, DONE)

    told = undoes(friend)

    assert has_note(friend)
    assert "cannot be taken back" in told


def test_a_withdrawal_takes_the_words_of_a_pressed_reminder_out_of_the_undo(friend: Person) -> None:
    asked = does(friend, "create_reminder", text="薬", at="2025-11-22T09:00")
    presses_beside_the_list(friend, Phrase.REMINDER_CANCEL_BUTTON)
    assert "薬" in undo_words(friend)

    friend.worker.withdraw(friend.events.chat_id, asked["message"]["id"])

    assert "薬" not in undo_words(friend)


@pytest.mark.parametrize("command", ["/language en", "/pause"])
def test_an_undo_after_a_command_takes_no_older_note_back(friend: Person, command: str) -> None:
    friend.files("lunch")
    friend.says(command)
    if command == "/pause":
        friend.says("/resume")

    told = undoes(friend)

    assert has_note(friend)
    assert "cannot be taken back" in told


def test_an_undo_after_messages_were_forgotten_by_a_press_takes_no_older_note_back(friend: Person) -> None:
    friend.files("lunch")
    friend.says("my PIN is 4711", SAYS)
    friend.says("forget my PIN", calling(("forget_messages", {"query": "4711"})), SAYS)
    friend.presses(friend.newest_button)

    told = undoes(friend)

    assert has_note(friend)
    assert "cannot be taken back" in told


def test_an_undo_after_a_question_that_was_declined_takes_the_note_back(friend: Person) -> None:
    friend.files("lunch")
    friend.says("my PIN is 4711", SAYS)
    friend.says("forget my PIN", calling(("forget_messages", {"query": "4711"})), SAYS)
    friend.presses(friend.newest_button.replace("confirm:", "spare:"))

    undoes(friend)

    assert not has_note(friend)


def test_a_page_that_was_only_proposed_is_not_what_was_done_last(chat: TaintedChat) -> None:
    chat.asks(creating())
    assert chat.notion.pages == ()

    asked = chat.asks(UNDOES)

    assert "☐ Undo the last change: “lunch”" in chat.text_of(asked)


def test_a_page_that_a_tap_confirmed_is_what_was_done_last(chat: TaintedChat) -> None:
    chat.asks(creating())
    chat.press()
    assert len(chat.notion.pages) == 1

    asked = chat.asks(UNDOES)

    assert chat.text_of(asked) == "shall I?"
    assert chat.has_entry


def test_a_deletion_that_a_tap_confirmed_is_undone(chat: TaintedChat) -> None:
    chat.asks(DELETES)
    chat.press()
    assert not chat.has_entry

    chat.asks(UNDOES)
    chat.press()

    assert chat.has_entry


def notion_person(pool: ThreadPoolExecutor) -> tuple[Person, MemoryNotion]:
    notion = MemoryNotion(FixedClock())
    port = NotionPort(api=notion, databases={"shopping": notion.add_database(shopping_list())}, conversations=None)
    return Person(PushedWorker(pool, notion=port), is_in_group=False), notion


def test_a_page_that_notion_refused_is_not_what_was_done_last(pool: ThreadPoolExecutor) -> None:
    person, notion = notion_person(pool)
    person.files("lunch")
    does(person, "create_page", database_name="no such database", title="milk")
    assert notion.pages == ()

    undoes(person)

    assert not has_note(person)


def test_an_undo_of_a_turn_that_also_made_a_page_says_that_the_page_stays(pool: ThreadPoolExecutor) -> None:
    person, notion = notion_person(pool)
    person.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "lunch"}]
    captures = calling(("classify_and_capture", {"text": "lunch"}))
    person.says("note lunch, and put milk on the list", captures, creating("milk"), REPLY)
    assert has_note(person)

    told = undoes(person)

    assert not has_note(person)
    assert "another service" in told
    assert len(notion.pages) == 1


def test_an_undo_without_anything_to_undo_after_a_page_names_the_reason(pool: ThreadPoolExecutor) -> None:
    person, _ = notion_person(pool)
    does(person, "create_page", database_name="shopping", title="milk")

    assert "cannot be taken back" in undoes(person)
