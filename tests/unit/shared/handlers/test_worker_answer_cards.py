"""Cards below an answer: the receipt of several changes, and the entries that a search found and the answer names."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from shared.adapters.memory.scripted_model import Step, calling
from shared.line.messaging import OutgoingMessage
from shared.line.postback_data import TickPress
from tests.support.people import Person
from tests.support.pushed import PushedWorker
from tests.support.replies import sent

REPLY: Final = calling(("reply", {"message": "わかりました"}))


def says(text: str) -> Step:
    return calling(("reply", {"message": text}))


def files_two(person: Person) -> dict[str, Any]:
    """Deliver a message by which two tasks are filed in one turn; return its event."""
    names = ("牛乳", "電球")
    person.worker.json_model.steps = [{"category": "admin", "confidence": 0.8, "name": name} for name in names]
    captures = [calling(("classify_and_capture", {"text": name})) for name in names]
    return person.asks("牛乳と電球をメモ", *captures, REPLY)


def lists(person: Person, answer: str) -> list[OutgoingMessage]:
    return sent(person, person.asks("何がある？", calling(("list_entries", {})), says(answer)))


def test_several_changes_have_a_receipt_with_a_row_for_each(friend: Person) -> None:
    changed = files_two(friend)

    words, receipt = sent(friend, changed)
    assert words.text == "わかりました"
    assert receipt.text == "✓ 記録：「牛乳」（用事）、「電球」（用事）"
    assert receipt.card is not None
    assert [row.text for row in receipt.card.rows] == ["✓ 記録：「牛乳」（用事）", "✓ 記録：「電球」（用事）"]
    outcome = friend.worker.outcome(changed)
    assert (outcome["text"], outcome["offer"]["card"]) == (f"わかりました\n\n{receipt.text}", "")


def test_a_single_change_has_a_receipt_in_the_text(friend: Person) -> None:
    friend.worker.json_model.steps = [{"category": "admin", "confidence": 0.8, "name": "牛乳"}]

    filed = friend.asks("牛乳をメモ", calling(("classify_and_capture", {"text": "牛乳"})), REPLY)

    assert [message.card for message in sent(friend, filed)] == [None]


def test_found_entries_that_the_answer_names_stand_on_a_card_to_tick(friend: Person) -> None:
    for name in ("牛乳", "電球", "切手"):
        friend.captures(name)

    words, found = lists(friend, "牛乳と電球があります")

    assert words.text == "牛乳と電球があります"
    assert found.card is not None
    assert {row.text for row in found.card.rows} == {"牛乳", "電球"}
    assert found.text == "\n".join(f"・{row.text}" for row in found.card.rows)
    assert all(TickPress.read(button.value) for row in found.card.rows for button in row.buttons)


def test_a_detail_that_the_answer_names_can_be_copied(friend: Person) -> None:
    friend.captures("Wi-Fiのパスワード", category="details", value="harbour-42")

    _, found = lists(friend, "harbour-42 です")

    assert found.card is not None
    assert [(button.value, button.action) for row in found.card.rows for button in row.buttons] == [
        ("harbour-42", "copy")
    ]


def test_an_answer_that_names_nothing_or_one_task_has_no_card(friend: Person) -> None:
    friend.captures("牛乳")
    friend.captures("電球")

    assert [message.card for message in (*lists(friend, "2件あります"), *lists(friend, "牛乳です"))] == [None, None]


def test_a_turn_that_changes_something_shows_no_list_from_before(friend: Person) -> None:
    friend.captures("牛乳")
    friend.captures("電球")
    update = ("update_entry", {"path": "admin/牛乳.md", "updates": {"status": "done"}})

    done = friend.asks(
        "牛乳は買った", calling(("list_entries", {})), calling(update), says("牛乳は済み、電球が残っています")
    )

    assert [message.card for message in sent(friend, done)] == [None]


def test_a_digest_shows_what_its_turn_files_and_deletes_afterwards(friend: Person) -> None:
    friend.captures("牛乳", category="projects", next_action="牛乳を買う")
    friend.worker.json_model.steps = [
        {"category": "projects", "confidence": 0.8, "name": "庭", "next_action": "庭師に電話"}
    ]
    changes = calling(
        ("generate_digest", {"type": "daily"}),
        ("classify_and_capture", {"text": "庭師に電話"}),
        ("delete_entry", {"path": "projects/牛乳.md"}),
    )

    asked = friend.asks("今日のまとめを見せて。庭師に電話をメモ、牛乳は消して", changes, REPLY)

    told = "\n".join(message.text for message in sent(friend, asked))
    summary, _, _ = told.partition("✓")
    assert "庭師に電話" in summary
    assert "牛乳を買う" not in summary


def test_without_cards_receipts_and_results_are_written(pool: ThreadPoolExecutor) -> None:
    plain = Person(PushedWorker(pool, is_rich=False), is_in_group=False)
    changed = sent(plain, files_two(plain))

    listed = lists(plain, "牛乳と電球があります")

    assert [message.text for message in (*changed, *listed)] == [
        "わかりました\n\n✓ 記録：「牛乳」（用事）、「電球」（用事）",
        "牛乳と電球があります",
    ]
