"""What a due reminder pushes: its words with buttons, or a digest of what was filed."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.line.messaging import PostbackButton, is_sendable
from shared.line.postback_data import ReminderChoice, ReminderPress
from shared.reminders.reminder import Reminder
from shared.reminders.store import ReminderStore
from tests.support import push
from tests.support.people import Person
from tests.support.pushed import PushedWorker, message_ids

REPLY = calling(("reply", {"message": "わかりました"}))
HOUR_S = 3_600
# It is 2025-11-21T13:40 in Tokyo.
DAILY = {"text": "今日のまとめ", "at": "2025-11-22T08:00", "rule": "FREQ=DAILY", "digest": "daily"}


def asks(person: Person, **arguments: str) -> None:
    person.says("お願い", calling(("create_reminder", arguments)), REPLY)


def files(person: Person, task: str) -> None:
    """Say something that is filed as a task."""
    person.worker.json_model.steps = [{"category": "admin", "confidence": 0.9, "name": task}]
    event = person.events.text(f"{task}、覚えておいて") | {"timestamp": person.worker.clock.now_ms()}
    person.sends(event, calling(("classify_and_capture", {"text": task})), REPLY)


def passes(worker: PushedWorker, *, hours: float) -> None:
    """Time passes, and a tick comes."""
    worker.clock.move(hours * HOUR_S)
    assert worker.push(push.tick()) == 204


def pushed(worker: PushedWorker) -> list[str]:
    return [text for _, texts in worker.line.pushes for text in texts]


def outcomes_of_pushes(person: Person) -> list[dict[str, Any]]:
    stored = (person.worker.store.read(one.name) for one in person.worker.store.list("journal/") if "/r" in one.name)
    return [json.loads(one.data) for one in stored if one is not None]


def reminders(person: Person) -> tuple[Reminder, ...]:
    return ReminderStore(person.worker.conversations.of(person.events.chat_id)).read_all()


def test_the_pushed_words_have_buttons_whose_press_has_them_said_once_more(friend: Person) -> None:
    asks(friend, text="薬", at="2025-11-21T14:40")
    passes(friend.worker, hours=1)
    ((_, (message,)),) = friend.worker.line.pushed.values()

    assert message.text == "⏰ 薬"
    assert [one.label for one in message.quick_replies] == [
        "完了",
        "10分後にもう一度",
        "1時間後にもう一度",
        "明日の9時に",
    ]
    later = message.quick_replies[1]
    assert isinstance(later, PostbackButton)
    assert (press := ReminderPress.read(later.data)) is not None
    assert press.choice is ReminderChoice.LATER
    friend.presses(later.data, timestamp=friend.worker.clock.now_ms() + 5_000)
    assert friend.worker.said[-1] == "11月21日(金) 14:51にもう一度お知らせします。"
    passes(friend.worker, hours=0.1)
    assert pushed(friend.worker) == ["⏰ 薬"]
    passes(friend.worker, hours=0.1)
    passes(friend.worker, hours=24)

    assert pushed(friend.worker) == ["⏰ 薬", "⏰ 薬"]


@pytest.mark.parametrize(("text", "late"), [("take pills", "meant for Fri 21 Nov, 14:40"), ("กินยา", "วันศุกร์ที่ 21 พ.ย.")])
def test_a_reminder_speaks_the_language_of_its_words(friend: Person, text: str, late: str) -> None:
    asks(friend, text=text, at="2025-11-21T14:40")

    passes(friend.worker, hours=3)

    (said,) = pushed(friend.worker)
    assert text in said
    assert late in said


def test_a_daily_digest_is_made_when_it_is_due(friend: Person) -> None:
    asks(friend, **DAILY)
    files(friend, "牛乳を買う")
    passes(friend.worker, hours=18.34)
    files(friend, "歯医者に電話")
    passes(friend.worker, hours=24)

    first, second = pushed(friend.worker)
    assert "牛乳を買う" in first
    assert "⏰" not in first
    assert "歯医者に電話" not in first
    assert "歯医者に電話" in second
    assert not [one for _, (message,) in friend.worker.line.pushed.values() for one in message.quick_replies]


def test_a_digest_is_pushed_as_a_card_with_the_same_words(friend: Person) -> None:
    asks(friend, **DAILY)
    files(friend, "牛乳を買う")
    passes(friend.worker, hours=18.34)

    ((_, (message,)),) = friend.worker.line.pushed.values()
    assert message.card is not None
    assert is_sendable([message])
    assert all(row.text in message.text for row in message.card.rows)


def test_without_cards_a_digest_is_pushed_in_words(pool: ThreadPoolExecutor) -> None:
    plain = Person(PushedWorker(pool, is_rich=False), is_in_group=False)
    asks(plain, **DAILY)
    files(plain, "牛乳を買う")
    passes(plain.worker, hours=18.34)

    ((_, (message,)),) = plain.worker.line.pushed.values()
    assert message.card is None


def test_an_empty_digest_is_not_pushed(friend: Person) -> None:
    asks(friend, **DAILY)
    asks(friend, **{**DAILY, "text": "今週のまとめ", "digest": "weekly"})

    passes(friend.worker, hours=18.4)

    assert pushed(friend.worker) == []
    assert [one.is_open for one in reminders(friend)] == [True, True]
    assert {one.due_ms for one in reminders(friend)} == {1_763_852_400_000}  # tomorrow's


def test_a_digest_goes_with_the_messages_behind_its_entries(friend: Person) -> None:
    asks(friend, **DAILY)
    files(friend, "牛乳を買う")
    passes(friend.worker, hours=18.4)
    (before,) = outcomes_of_pushes(friend)

    friend.worker.withdraw(friend.events.chat_id, "m2")

    assert "牛乳" in before["text"]
    assert "m2" in message_ids(before)
    (after,) = outcomes_of_pushes(friend)
    assert after["text"] is None
