"""Lists as cards: reminders with buttons on each, notes by category, further pages by a button; every press is answered."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.line.cards.card import CardRow
from shared.line.phrases import Phrase
from tests.support.chat_contents import open_reminders
from tests.support.people import Person
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker
from tests.support.replies import card_of, sent, values_of

OTHER: Final = "U" + "c" * 32
REPLY: Final = calling(("reply", {"message": "わかりました"}))


def sets(person: Person, text: str, *, hour: int = 9, rule: str | None = None) -> None:
    arguments = {"text": text, "at": f"2025-11-22T{hour:02}:00", **({"rule": rule} if rule else {})}
    person.asks(f"明日{hour}時に{text}", calling(("create_reminder", arguments)), REPLY)


def button(row: CardRow, label: Phrase) -> str:
    (value,) = values_of(row, label)
    return value


def test_reminders_are_listed_on_a_card_that_reads_as_its_text(friend: Person) -> None:
    sets(friend, "薬")
    sets(friend, "ゴミ出し", hour=8, rule="FREQ=DAILY")

    listed = friend.says("/reminders")

    card = card_of(friend, listed)
    assert card.title == "この先のリマインダー"
    assert [(row.text, row.detail, len(row.buttons)) for row in card.rows] == [
        ("ゴミ出し", "毎日 8:00", 1),
        ("薬", "11月22日(土) 9:00", 2),
    ]
    assert sent(friend, listed)[0].text == "この先のリマインダー：\n・毎日 8:00 ゴミ出し\n・11月22日(土) 9:00 薬"
    assert friend.worker.outcome(listed)["offer"]["card"] == ""


def test_a_press_cancels_the_reminder_of_its_row_and_tells_so(friend: Person) -> None:
    sets(friend, "薬")
    sets(friend, "会議", hour=10)
    first, _ = card_of(friend, friend.says("/reminders")).rows

    pressed = friend.presses(button(first, Phrase.REMINDER_CANCEL_BUTTON))

    assert [message.text for message in sent(friend, pressed)] == [
        "✓ リマインダーを取り消し：「薬」（11月22日(土) 9:00）"
    ]
    assert [reminder.text for reminder in open_reminders(friend)] == ["会議"]


def test_a_press_is_answered_in_the_language_of_who_presses(member: Person) -> None:
    member.worker.line.members[member.events.chat_id] = 3
    tea = ("create_reminder", {"text": "tea", "at": "2025-11-22T09:00"})
    member.asks("remind us tomorrow at 9: tea", calling(tea), calling(("reply", {"message": "All right"})))
    member.sends(member.events.text("สวัสดีครับ", by=OTHER))
    listed = member.sends(member.events.text("/reminders", by=OTHER))
    (row,) = card_of(member, listed).rows

    pressed = member.presses(row.buttons[0].value, by=OTHER)

    assert [message.text for message in sent(member, pressed)] == [
        "✓ ยกเลิกการเตือน: “tea” (วันเสาร์ที่ 22 พ.ย. เวลา 09:00 น.)"
    ]


def test_a_press_has_the_reminder_said_an_hour_later(friend: Person) -> None:
    sets(friend, "薬")
    (row,) = card_of(friend, friend.says("/reminders")).rows

    pressed = friend.presses(button(row, Phrase.REMINDER_LATER_HOUR_BUTTON))

    assert [message.text for message in sent(friend, pressed)] == ["✓ リマインダーを変更：「薬」（11月22日(土) 10:00）"]
    assert [reminder.start for reminder in open_reminders(friend)] == ["2025-11-22T10:00"]
    assert friend.worker.store.list("due/")


@pytest.mark.parametrize("label", [Phrase.REMINDER_CANCEL_BUTTON, Phrase.REMINDER_LATER_HOUR_BUTTON])
def test_a_second_press_of_an_old_list_sets_nothing_and_says_why(friend: Person, label: Phrase) -> None:
    sets(friend, "薬")
    (row,) = card_of(friend, friend.says("/reminders")).rows
    friend.presses(button(row, label))
    before = open_reminders(friend)

    again = friend.presses(button(row, label))

    reason = Phrase.REMINDER_GONE if label is Phrase.REMINDER_CANCEL_BUTTON else Phrase.REMINDER_CHANGED
    assert [message.text for message in sent(friend, again)] == [japanese(reason)]
    assert open_reminders(friend) == before


def test_a_press_that_is_delivered_again_moves_the_reminder_once(friend: Person) -> None:
    sets(friend, "薬")
    (row,) = card_of(friend, friend.says("/reminders")).rows
    pressed = friend.presses(button(row, Phrase.REMINDER_LATER_HOUR_BUTTON))
    said = len(friend.worker.said)

    friend.sends(pressed)

    assert len(friend.worker.said) == said
    assert [reminder.start for reminder in open_reminders(friend)] == ["2025-11-22T10:00"]


def test_a_reminder_whose_message_was_taken_back_cannot_be_pressed(friend: Person) -> None:
    sets(friend, "薬")
    (row,) = card_of(friend, friend.says("/reminders")).rows
    friend.worker.withdraw(friend.events.chat_id, "m1")

    pressed = friend.presses(button(row, Phrase.REMINDER_LATER_HOUR_BUTTON))

    assert [message.text for message in sent(friend, pressed)] == [japanese(Phrase.REMINDER_GONE)]


def test_the_receipt_of_a_press_goes_with_the_message_behind_the_reminder(friend: Person) -> None:
    sets(friend, "薬")
    (row,) = card_of(friend, friend.says("/reminders")).rows
    pressed = friend.presses(button(row, Phrase.REMINDER_LATER_HOUR_BUTTON))

    friend.worker.withdraw(friend.events.chat_id, "m1")

    assert friend.worker.outcome(pressed)["text"] is None


def test_another_chats_reminder_is_unknown_here(friend: Person) -> None:
    sets(friend, "薬")
    (row,) = card_of(friend, friend.says("/reminders")).rows
    elsewhere = Person(friend.worker, is_in_group=True)
    elsewhere.events.skip(50)

    pressed = elsewhere.presses(button(row, Phrase.REMINDER_CANCEL_BUTTON))

    assert [message.text for message in sent(elsewhere, pressed)] == [japanese(Phrase.REMINDER_GONE)]
    assert len(open_reminders(friend)) == 1


def test_somebody_who_is_no_member_changes_nothing_and_is_told_so(member: Person) -> None:
    member.worker.line.members[member.events.chat_id] = 3
    sets(member, "薬")
    (row,) = card_of(member, member.says("/reminders")).rows
    member.worker.profiles.strangers.add(OTHER)
    press = member.events.event("postback", by=OTHER, postback={"data": button(row, Phrase.REMINDER_CANCEL_BUTTON)})

    pressed = member.sends(press)

    assert [message.text for message in sent(member, pressed)] == [japanese(Phrase.PRESS_VOID)]
    assert len(open_reminders(member)) == 1


def test_further_reminders_come_by_a_button(friend: Person) -> None:
    for hour in range(11):
        sets(friend, f"用事{hour}", hour=hour)
    first = card_of(friend, friend.says("/reminders"))
    (more,) = first.buttons

    second = card_of(friend, friend.presses(more.value))

    assert [row.text for row in (*first.rows, *second.rows)] == [f"用事{hour}" for hour in range(11)]
    assert second.buttons == ()


def test_notes_are_listed_by_category_with_further_pages(friend: Person) -> None:
    for number in range(13):
        friend.files(f"考え{number:02}")

    first = card_of(friend, friend.says("/notes"))
    (more,) = first.buttons
    second = card_of(friend, friend.presses(more.value))

    assert first.title == "Notes (13)"
    assert [row.is_heading for row in first.rows] == [True] + [False] * 12
    assert [row.text for row in second.rows] == ["ideas", "考え00"]


def test_what_is_left_and_the_day_are_cards_that_read_as_their_texts(friend: Person) -> None:
    friend.worker.json_model.steps = [{"category": "admin", "confidence": 0.8, "name": "牛乳"}]
    friend.says("牛乳を買う", calling(("classify_and_capture", {"text": "牛乳を買う"})), REPLY)

    usage, digest = friend.says("/usage"), friend.says("/digest")

    assert card_of(friend, usage).rows[0].text == "お返事できる回数"
    assert card_of(friend, usage).rows[0].detail in sent(friend, usage)[0].text
    assert [(row.text, row.is_heading) for row in card_of(friend, digest).rows][:2] == [
        ("【今日のトップ3】", True),
        ("牛乳", False),
    ]
    assert all(row.text in sent(friend, digest)[0].text for row in card_of(friend, digest).rows)


def test_an_empty_list_is_a_plain_text(friend: Person) -> None:
    listed = [friend.says(command) for command in ("/reminders", "/notes")]

    assert [sent(friend, event)[0].card for event in listed] == [None, None]


def test_without_cards_the_lists_are_written(pool: ThreadPoolExecutor) -> None:
    plain = Person(PushedWorker(pool, is_rich=False), is_in_group=False)
    sets(plain, "薬")

    listed = plain.says("/reminders")

    assert [(message.text, message.card) for message in sent(plain, listed)] == [
        ("この先のリマインダー：\n・11月22日(土) 9:00 薬", None)
    ]
