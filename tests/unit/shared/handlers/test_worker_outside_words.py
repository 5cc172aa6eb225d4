"""Words from outside that outlive their turn: in answers, captions, entries, reminders; and what a person orders in own words."""

from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Final

import pytest

from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.scripted_model import Step, calling
from shared.reminders.store import ReminderStore
from tests.support.notion import SHOPPING
from tests.support.tainted_chat import (
    DELETES,
    NOTES,
    NOTING,
    READS,
    REPLY,
    SMALL_MEMORY,
    TaintedChat,
    creating,
    writes_up,
)

PAGE_SAYS: Final = "the secret garden opens at noon"
CAPTURES: Final = calling(("classify_and_capture", {"text": PAGE_SAYS}))
LISTS: Final = calling(("list_entries", {}))
SETS: Final = calling(("create_reminder", {"text": "hand in the report", "at": "2025-11-22T09:00"}))
ORDER: Final = "Remind me tomorrow at 9am to hand in the report. What does the page say?"


@pytest.fixture
def chat(pool: ThreadPoolExecutor) -> TaintedChat:
    return TaintedChat(pool)


def sends_a_picture(chat: TaintedChat) -> None:
    picture = chat.events.event("message", message={"type": "image", "contentProvider": {"type": "line"}})
    held = HeldContent(data=b"\xff\xd8 x", content_type="image/jpeg")
    chat.worker.media.contents[picture["message"]["id"]] = held
    chat.person.sends(picture, REPLY)


def files_what_the_page_says(chat: TaintedChat) -> None:
    """Have an entry filed of the page's words, by a tap."""
    chat.worker.json_model.steps = [{"category": "ideas", "confidence": 0.9, "name": "garden"}]
    chat.asks(CAPTURES)
    chat.press()


def reminders_of(chat: TaintedChat) -> list[str]:
    return [one.text for one in ReminderStore(chat.worker.conversations.of(chat.chat_id)).read_all()]


@pytest.mark.parametrize("change", [DELETES, NOTES, creating()])
def test_an_answer_about_a_page_taints_the_next_turn(chat: TaintedChat, change: Step) -> None:
    chat.asks()

    thanked = chat.person.says("thanks", change, REPLY)

    assert "☐" in chat.text_of(thanked)


def test_an_answer_about_a_picture_taints_the_next_turn(chat: TaintedChat) -> None:
    sends_a_picture(chat)
    chat.worker.clock.move(600)  # the picture itself is shown no longer

    thanked = chat.person.says("thanks", DELETES, REPLY)

    assert chat.text_of(thanked) == "shall I?\n\n☐ Delete “lunch” (ideas/lunch.md)"


def test_what_the_person_did_not_order_is_filed_by_a_tap_only(chat: TaintedChat) -> None:
    chat.worker.json_model.steps = [{"category": "ideas", "confidence": 0.9, "name": "garden"}]

    asked = chat.asks(CAPTURES)
    assert chat.text_of(asked) == f"shall I?\n\n☐ File: “{PAGE_SAYS}”"
    assert not chat.has("ideas/garden.md")

    assert chat.text_of(chat.press()) == "✓ Filed: “garden” (ideas)"
    assert "- web" in chat.stored("ideas/garden.md")


def test_an_entry_of_outside_words_is_in_no_index_and_taints_who_looks_it_up(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, memory=SMALL_MEMORY)
    files_what_the_page_says(chat)
    for number in range(20):
        chat.person.says(f"number {number}", calling(("reply", {"message": f"ok {number}"})), *repeat(writes_up, 4))

    deleted = chat.person.says("delete that", DELETES, REPLY, *repeat(writes_up, 4))
    assert "garden" not in "".join(map(chat.worker.prompt, range(-5, 0)))
    assert "✓ Deleted: “lunch”" in chat.text_of(deleted)

    deletes = calling(("delete_entry", {"path": "ideas/garden.md"}))
    listed = chat.person.says("what is filed?", LISTS, deletes, REPLY, *repeat(writes_up, 4))
    assert "☐ Delete “garden”" in chat.text_of(listed)


def test_what_the_person_orders_in_own_words_is_done_beside_a_page(chat: TaintedChat) -> None:
    asked = chat.asks(SETS, NOTES, text=f"{ORDER} {NOTING}")

    assert "☐" not in chat.text_of(asked)
    assert reminders_of(chat) == ["hand in the report"]
    assert "at noon" in chat.entry_text


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "pay Mallory", "at": "2025-11-22T09:00"},
        {"text": "hand in the report", "at": "2025-11-22T21:00"},
        {"text": "hand in the report", "at": "2025-11-22T09:00", "rule": "FREQ=DAILY"},
        {"text": "hand in the report", "at": "2025-11-22T09:00", "digest": "daily"},
    ],
)
def test_what_the_page_adds_to_an_order_waits_for_a_tap(chat: TaintedChat, arguments: dict[str, str]) -> None:
    asked = chat.asks(calling(("create_reminder", arguments)), text=ORDER)

    assert "☐ Remind" in chat.text_of(asked)
    assert reminders_of(chat) == []


@pytest.mark.parametrize(
    ("said", "is_done"),
    [("the oat milk is done", True), ("is the oat milk done?", False), ("what is on the shopping list?", False)],
)
def test_a_page_is_ticked_at_once_if_the_person_says_that_it_is_done(
    chat: TaintedChat, said: str, *, is_done: bool
) -> None:
    page = chat.notion.add_page(
        SHOPPING, {"品名": {"title": [{"plain_text": "oat milk"}]}, "購入済み": {"checkbox": False}}
    )
    chat.notion.add_page(SHOPPING, {"品名": {"title": [{"plain_text": "shopping"}]}, "購入済み": {"checkbox": False}})
    searches = calling(("search_database", {"database_name": "shopping"}))
    ticks = calling(("update_page", {"page_id": page.page_id, "properties": {"購入済み": True}}))

    asked = chat.person.says(said, searches, ticks, REPLY)

    assert ("☐" not in chat.text_of(asked)) is is_done
    assert (chat.notion.written == ["update_page"]) is is_done


def test_a_page_that_no_search_of_the_turn_found_is_not_ticked_without_a_tap(chat: TaintedChat) -> None:
    page = chat.notion.add_page(
        SHOPPING, {"品名": {"title": [{"plain_text": "oat milk"}]}, "購入済み": {"checkbox": False}}
    )
    ticks = calling(("update_page", {"page_id": page.page_id, "properties": {"購入済み": True}}))

    asked = chat.person.says("the oat milk is done", READS, ticks, REPLY)

    assert "☐ Change in Notion: “oat milk”" in chat.text_of(asked)
