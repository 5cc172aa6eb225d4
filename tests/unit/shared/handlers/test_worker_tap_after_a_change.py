"""A tap counts for the state that the person was shown: after another change of the same thing it does nothing."""

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from shared.adapters.memory.scripted_model import Step, calling
from shared.agent.model import Json
from shared.clock import Deadline, SystemClock
from shared.line.phrases import Phrase
from shared.reminders.reminder import Reminder
from shared.reminders.store import ReminderStore
from shared.tools.notion.port import Page
from tests.support.notion import SHOPPING
from tests.support.phrases import english
from tests.support.pushed import nothing
from tests.support.tainted_chat import DELETES, ENTRY, NOTES, NOTING, REPLY, UNDOES, TaintedChat

OVERWRITES: Final = calling(("update_entry", {"path": ENTRY, "updates": {"content": "x"}}))
FORGETS: Final = calling(("forget_fact", {"path": ENTRY, "fact": "lunch"}))
SEARCHES: Final = calling(("search_database", {"database_name": "shopping"}))
FAILED: Final = english(Phrase.CHANGE_FAILED)


@pytest.fixture
def chat(pool: ThreadPoolExecutor) -> TaintedChat:
    return TaintedChat(pool)


def reminders_of(chat: TaintedChat) -> tuple[Reminder, ...]:
    open_ones = ReminderStore(chat.worker.conversations.of(chat.chat_id)).read_all()
    return tuple(one for one in open_ones if one.is_open)


def reminder_in(chat: TaintedChat, **more: str) -> str:
    """Return the id of a reminder that the person has set."""
    sets = calling(("create_reminder", {"text": "tea", "at": "2026-11-23T09:00", **more}))
    chat.person.says("remind me of tea", sets, REPLY)
    return reminders_of(chat)[0].id


def page_in(chat: TaintedChat, title: str = "rice") -> Page:
    """Return a page that somebody has added by hand."""
    return chat.notion.add_page(SHOPPING, {"品名": {"title": [{"plain_text": title}]}, "数量": {"number": 1}})


def change_by_hand(chat: TaintedChat, page: Page, **values: Any) -> None:  # noqa: ANN401 - Notion's JSON
    chat.notion.update_page(page.page_id, values, Deadline(clock=SystemClock(), at_s=math.inf))
    chat.notion.written.clear()


def test_an_update_that_takes_words_away_waits_for_a_tap(chat: TaintedChat) -> None:
    asked = chat.asks(OVERWRITES)

    assert chat.text_of(asked) == "shall I?\n\n☐ Change “lunch” (ideas/lunch.md)\n     words: x"
    assert chat.entry_text.endswith("\nlunch\n")

    assert chat.text_of(chat.press()).startswith("✓ Changed: “lunch”")
    assert chat.entry_text.endswith("\nx\n")


def test_a_note_that_the_person_orders_is_added_at_once(chat: TaintedChat) -> None:
    asked = chat.asks(NOTES, text=NOTING)

    assert "☐" not in chat.text_of(asked)
    assert "at noon" in chat.entry_text


@pytest.mark.parametrize("updates", [{"note": "at noon"}, {"content": "lunch, at noon"}])
def test_what_the_person_does_not_order_is_not_added_without_a_tap(chat: TaintedChat, updates: Json) -> None:
    asked = chat.asks(calling(("update_entry", {"path": ENTRY, "updates": updates})))

    assert "☐ Change “lunch” (ideas/lunch.md)" in chat.text_of(asked)
    assert chat.entry_text.endswith("\nlunch\n")


def test_another_name_waits_for_a_tap(chat: TaintedChat) -> None:
    asked = chat.asks(calling(("update_entry", {"path": ENTRY, "updates": {"name": "dinner"}})))

    assert chat.text_of(asked) == "shall I?\n\n☐ Change “lunch” (ideas/lunch.md)\n     name: dinner"


@pytest.mark.parametrize("change", [DELETES, OVERWRITES, FORGETS])
def test_a_tap_after_another_change_of_the_entry_does_nothing(chat: TaintedChat, change: Step) -> None:
    chat.asks(change)
    chat.person.says("add at noon to lunch", NOTES, REPLY)

    pressed = chat.person.presses(chat.first_button)

    assert chat.text_of(pressed) == FAILED
    assert "lunch" in chat.entry_text
    assert "at noon" in chat.entry_text


def test_what_has_not_changed_is_still_done_by_the_tap(chat: TaintedChat) -> None:
    chat.person.files("dinner")
    chat.asks(DELETES, calling(("delete_entry", {"path": "ideas/dinner.md"})))
    chat.person.says("add at noon to lunch", NOTES, REPLY)

    pressed = chat.person.presses(chat.first_button)

    assert chat.text_of(pressed) == f"✓ Deleted: “dinner”\n\n{FAILED}"
    assert chat.has_entry
    assert not chat.has("ideas/dinner.md")


@pytest.mark.parametrize("changes", [(NOTES, DELETES), (DELETES, NOTES), (NOTES, OVERWRITES)])
def test_a_note_of_the_same_turn_belongs_to_what_the_tap_is_about(chat: TaintedChat, changes: tuple[Step, ...]) -> None:
    chat.asks(*changes, text=NOTING)
    assert "at noon" in chat.entry_text

    pressed = chat.press()

    assert FAILED not in chat.text_of(pressed)
    assert not chat.has_entry or chat.entry_text.endswith("\nx\n")


def test_a_step_that_its_own_turn_took_back_leaves_the_tap_as_it_was(chat: TaintedChat) -> None:
    chat.asks(NOTES, UNDOES, DELETES, text=NOTING)

    assert chat.text_of(chat.press()) == "✓ Deleted: “lunch”"


def test_an_undo_by_a_tap_takes_back_no_newer_change_of_the_same_entry(chat: TaintedChat) -> None:
    chat.asks(UNDOES)
    chat.person.says("add at noon to lunch", NOTES, REPLY)

    pressed = chat.person.presses(chat.first_button)

    assert chat.text_of(pressed) == FAILED
    assert "at noon" in chat.entry_text


def test_a_reminder_that_was_moved_since_is_not_cancelled(chat: TaintedChat) -> None:
    reminder_id = reminder_in(chat)
    chat.asks(calling(("cancel_reminder", {"id": reminder_id})))
    chat.changes(calling(("change_reminder", {"id": reminder_id, "at": "2026-11-24T09:00"})))

    pressed = chat.person.presses(chat.first_button)

    assert chat.text_of(pressed) == FAILED
    assert [one.start for one in reminders_of(chat)] == ["2026-11-24T09:00"]


def test_a_reminder_that_was_moved_since_is_not_moved_by_an_older_question(chat: TaintedChat) -> None:
    reminder_id = reminder_in(chat)
    chat.asks(calling(("change_reminder", {"id": reminder_id, "at": "2026-12-01T09:00"})))
    chat.changes(calling(("change_reminder", {"id": reminder_id, "at": "2026-11-24T09:00"})))

    assert chat.text_of(chat.person.presses(chat.first_button)) == FAILED
    assert [one.start for one in reminders_of(chat)] == ["2026-11-24T09:00"]


def test_a_reminder_that_nobody_moved_is_cancelled_by_the_tap(chat: TaintedChat) -> None:
    reminder_id = reminder_in(chat, rule="FREQ=DAILY")
    chat.asks(NOTES, calling(("cancel_reminder", {"id": reminder_id})))

    assert FAILED not in chat.text_of(chat.press())
    assert reminders_of(chat) == ()


def test_a_page_that_was_changed_since_is_not_changed_by_an_older_question(chat: TaintedChat) -> None:
    page = page_in(chat)
    chat.asks(SEARCHES, calling(("update_page", {"page_id": page.page_id, "properties": {"数量": 5}})))
    change_by_hand(chat, page, 数量={"number": 2})

    assert chat.text_of(chat.press()) == FAILED
    assert chat.notion.written == []


def test_another_property_of_the_page_does_not_count(chat: TaintedChat) -> None:
    page = page_in(chat)
    chat.asks(SEARCHES, calling(("update_page", {"page_id": page.page_id, "properties": {"数量": 5}})))
    change_by_hand(chat, page, 購入済み={"checkbox": True})

    assert chat.text_of(chat.press()) == "✓ Changed in Notion: “rice”"


def test_a_page_of_another_title_by_now_is_not_written_on(chat: TaintedChat) -> None:
    page = page_in(chat)
    chat.asks(SEARCHES, calling(("append_block", {"page_id": page.page_id, "content": "two bags"})))
    change_by_hand(chat, page, 品名={"title": [{"plain_text": "wedding"}]})

    assert chat.text_of(chat.press()) == FAILED
    assert chat.notion.written == []


@pytest.mark.parametrize("number", range(1, 16))
def test_a_worker_that_dies_after_the_change_of_a_page_tells_that_it_was_made(chat: TaintedChat, number: int) -> None:
    page = page_in(chat)
    chat.asks(SEARCHES, calling(("update_page", {"page_id": page.page_id, "properties": {"数量": 5}})))
    press = chat.events.event("postback", postback={"data": chat.person.newest_button})

    chat.delivers_with_a_lost_write(press, number)

    assert chat.notion.written == ["update_page"]
    assert FAILED not in chat.text_of(press)


def test_a_proposal_whose_words_were_taken_back_holds_no_state_either(chat: TaintedChat) -> None:
    page = page_in(chat)
    asked = chat.asks(SEARCHES, calling(("update_page", {"page_id": page.page_id, "properties": {"数量": 5}})))
    assert chat.worker.outcome(asked)["offer"]["proposes"][0]["revision"]

    chat.worker.withdraw(chat.chat_id, asked["message"]["id"])

    assert chat.worker.outcome(asked)["offer"]["proposes"][0]["revision"] == ""


def test_the_question_reads_no_more_of_storage_than_the_call_did(chat: TaintedChat) -> None:
    reads = list[str]()

    def note(call: str, name: str) -> None:
        if call == "read":
            reads.append(name)

    chat.worker.store.after = note
    chat.asks(UNDOES, DELETES)
    chat.worker.store.after = nothing

    assert sum(name.endswith("undo.json") for name in reads) == 1
    assert sum(name.endswith("lunch.md") for name in reads) == 1


def test_a_newer_question_about_the_same_thing_replaces_the_older_one(chat: TaintedChat) -> None:
    chat.asks(DELETES)
    chat.asks(OVERWRITES)

    assert chat.text_of(chat.person.presses(chat.first_button)) == FAILED
    assert chat.entry_text.endswith("\nlunch\n")
    assert chat.text_of(chat.press()).startswith("✓ Changed: “lunch”")


def test_a_newer_question_that_nobody_has_seen_replaces_none(chat: TaintedChat) -> None:
    chat.asks(DELETES)
    chat.worker.line.fates = ["refused"]
    lost = chat.asks(OVERWRITES)

    assert chat.worker.outcome(lost)["kind"] == "undelivered"
    assert chat.text_of(chat.person.presses(chat.first_button)) == "✓ Deleted: “lunch”"


def test_the_same_question_asked_again_may_be_answered_by_either_button(chat: TaintedChat) -> None:
    chat.asks(DELETES)
    chat.asks(DELETES)

    assert chat.text_of(chat.person.presses(chat.first_button)) == "✓ Deleted: “lunch”"


def test_a_newer_question_about_another_thing_replaces_none(chat: TaintedChat) -> None:
    chat.person.files("dinner")
    chat.asks(DELETES)
    chat.asks(calling(("delete_entry", {"path": "ideas/dinner.md"})))

    assert chat.text_of(chat.person.presses(chat.first_button)) == "✓ Deleted: “lunch”"
