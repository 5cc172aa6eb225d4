"""Ticking listed entries: a press of "Done" marks one as done, sets and never toggles, and is answered whatever state it meets."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

from shared.adapters.memory.scripted_model import calling
from shared.knowledge.entry_cards import handle_of
from shared.knowledge.entry_store import EntryStore
from shared.line.cards.card import CardRow
from shared.line.phrases import Phrase
from shared.line.postback_data import TickPress
from tests.support.people import Person
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker
from tests.support.replies import card_of, sent, values_of

REPLY: Final = calling(("reply", {"message": "わかりました"}))
WAS_DONE, GONE = Phrase.ENTRY_WAS_DONE, Phrase.ENTRY_GONE


def rows_of(person: Person) -> dict[str, CardRow]:
    return {row.text: row for row in card_of(person, person.says("/notes")).rows if not row.is_heading}


def tick(row: CardRow) -> str:
    (value,) = values_of(row, Phrase.TICK_BUTTON)
    return value


def statuses(person: Person) -> dict[str, str | None]:
    store = EntryStore(person.worker.conversations.of(person.events.chat_id))
    entries = (store.entry(row.path) for row in store.catalog().rows)
    return {entry.name: entry.status for entry in entries if entry is not None}


def test_a_press_marks_the_entry_of_its_row_as_done_and_tells_so(friend: Person) -> None:
    friend.captures("牛乳")
    friend.captures("電球")

    pressed = friend.presses(tick(rows_of(friend)["牛乳"]))

    assert [message.text for message in sent(friend, pressed)] == ["✓ 完了：「牛乳」（用事）"]
    assert statuses(friend) == {"牛乳": "done", "電球": "pending"}
    assert list(rows_of(friend)) == ["電球"]
    assert friend.worker.outcome(pressed)["offer"]["card"] == ""


def test_the_receipt_of_a_tick_makes_no_sound_on_phones(friend: Person) -> None:
    friend.captures("牛乳")

    pressed = friend.presses(tick(rows_of(friend)["牛乳"]))

    assert [message.is_silent for message in sent(friend, pressed)] == [True]
    assert [message.is_silent for message in sent(friend, friend.says("/notes"))] == [False]


def test_a_tick_of_an_old_card_says_that_the_entry_is_done_and_never_toggles(friend: Person) -> None:
    friend.captures("牛乳")
    button = tick(rows_of(friend)["牛乳"])
    friend.presses(button)

    again = friend.presses(button)

    assert [message.text for message in sent(friend, again)] == [japanese(WAS_DONE)]
    assert statuses(friend) == {"牛乳": "done"}


def test_a_press_that_is_delivered_again_is_answered_once(friend: Person) -> None:
    friend.captures("牛乳")
    pressed = friend.presses(tick(rows_of(friend)["牛乳"]))
    said = len(friend.worker.said)

    friend.sends(pressed)

    assert len(friend.worker.said) == said


def test_the_receipt_of_a_tick_has_a_button_for_the_list_as_it_is(friend: Person) -> None:
    for name in ("牛乳", "電球"):
        friend.captures(name)
    receipt = card_of(friend, friend.presses(tick(rows_of(friend)["牛乳"])))
    (again,) = receipt.buttons

    listed = card_of(friend, friend.presses(again.value))

    assert receipt.title == "✓ 完了：「牛乳」（用事）"
    assert [row.text for row in listed.rows] == ["用事", "電球"]


def test_the_fifth_tick_of_a_card_is_answered_with_the_list_anew(friend: Person) -> None:
    names = [f"用事{number}" for number in range(6)]
    for name in names:
        friend.captures(name)
    old = rows_of(friend)

    cards = [card_of(friend, friend.presses(tick(old[name]))) for name in names[:5]]

    assert [len(card.rows) for card in cards[:4]] == [0, 0, 0, 0]
    assert [row.text for row in cards[4].rows] == ["✓ 完了：「用事4」（用事）", "用事", "用事5"]
    assert friend.worker.said[-1].startswith("✓ 完了：「用事4」（用事）\n\nメモ（1件）")


def test_a_tick_is_taken_back_like_any_change(friend: Person) -> None:
    friend.captures("牛乳")
    friend.presses(tick(rows_of(friend)["牛乳"]))

    friend.asks("取り消して", calling(("undo_last_change", {})), REPLY)

    assert statuses(friend) == {"牛乳": "pending"}


def test_an_entry_that_changed_between_keeps_the_change(friend: Person) -> None:
    friend.captures("庭", category="projects")
    button = tick(rows_of(friend)["庭"])
    update = ("update_entry", {"path": "projects/庭.md", "updates": {"next_action": "業者に電話"}})
    friend.asks("庭、次は業者に電話", calling(update), REPLY)

    friend.presses(button)

    store = EntryStore(friend.worker.conversations.of(friend.events.chat_id))
    entry = store.entry("projects/庭.md")
    assert entry is not None
    assert (entry.status, entry.fields["next_action"]) == ("done", "業者に電話")


def test_a_new_entry_of_the_same_name_is_not_ticked_by_an_old_card(friend: Person) -> None:
    friend.captures("牛乳")
    button = tick(rows_of(friend)["牛乳"])
    friend.asks("牛乳は消して", calling(("delete_entry", {"path": "admin/牛乳.md"})), REPLY)
    friend.worker.clock.sleep(1)
    friend.captures("牛乳")

    pressed = friend.presses(button)

    assert [message.text for message in sent(friend, pressed)] == [japanese(GONE)]
    assert statuses(friend) == {"牛乳": "pending"}


def test_an_entry_whose_message_was_taken_back_cannot_be_ticked(friend: Person) -> None:
    filed = friend.captures("牛乳")
    button = tick(rows_of(friend)["牛乳"])
    friend.worker.withdraw(friend.events.chat_id, filed["message"]["id"])

    pressed = friend.presses(button)

    assert [message.text for message in sent(friend, pressed)] == [japanese(GONE)]


def test_the_receipt_of_a_tick_goes_with_the_message_behind_the_entry(friend: Person) -> None:
    filed = friend.captures("牛乳")
    pressed = friend.presses(tick(rows_of(friend)["牛乳"]))

    friend.worker.withdraw(friend.events.chat_id, filed["message"]["id"])

    assert friend.worker.outcome(pressed)["text"] is None


def test_only_what_can_be_done_has_a_button(friend: Person) -> None:
    for name, category in (("佐藤", "people"), ("旅行", "ideas"), ("庭", "projects"), ("牛乳", "admin")):
        friend.captures(name, category=category)

    assert {name: len(row.buttons) for name, row in rows_of(friend).items()} == {
        "庭": 1,
        "牛乳": 1,
        "佐藤": 0,
        "旅行": 0,
    }


def test_without_cards_a_press_of_an_old_card_is_answered_in_words(pool: ThreadPoolExecutor) -> None:
    plain = Person(PushedWorker(pool, is_rich=False), is_in_group=False)
    plain.captures("牛乳")
    (row,) = EntryStore(plain.worker.conversations.of(plain.events.chat_id)).catalog().rows

    pressed = plain.presses(TickPress(handle=handle_of(row), listed_ms=0).data)

    assert [(message.text, message.card) for message in sent(plain, pressed)] == [("✓ 完了：「牛乳」（用事）", None)]


def test_a_detail_can_be_copied_whole_or_not_at_all(friend: Person) -> None:
    friend.captures("Wi-Fi", category="details", value="purple-cat-42")
    friend.captures("URL", category="details", value="x" * 90)

    rows = rows_of(friend)

    (copy,) = rows["Wi-Fi"].buttons
    assert (copy.label, copy.value, copy.action) == ("コピー", "purple-cat-42", "copy")
    assert rows["URL"].buttons == ()


def test_a_code_in_a_task_can_be_copied_beside_its_tick(friend: Person) -> None:
    friend.captures("ホテルの予約 AX-48213")

    (row,) = (row for row in rows_of(friend).values() if row.buttons)

    assert [button.action for button in row.buttons] == ["press", "copy"]
    assert row.buttons[1].value == "AX-48213"
