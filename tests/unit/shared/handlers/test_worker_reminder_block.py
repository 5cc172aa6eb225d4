"""Reminders in prompts: cancelled and changed by the id that the prompt shows, in one request, and gone with their messages."""

from collections.abc import Callable
from dataclasses import replace

from shared.adapters.memory.scripted_model import calling
from shared.agent.model import ModelRequest, ModelResponse
from shared.reminders.reminder import Reminder
from shared.reminders.store import ReminderStore
from tests.support.people import Person

REPLY = ("reply", {"message": "わかりました"})
PILLS = {"text": "薬", "at": "2025-11-22T09:00"}  # it is 2025-11-21T13:40, a Friday
WATER = {"text": "水やり", "at": "2025-11-22T10:00"}
HEADING = "[reminders]"


def store_of(person: Person) -> ReminderStore:
    return ReminderStore(person.worker.conversations.of(person.events.chat_id))


def sets(person: Person, *reminders: dict[str, str]) -> tuple[Reminder, ...]:
    """Have the reminders set by one message; return the stored reminders, the next first."""
    person.says("明日言って", calling(*(("create_reminder", one) for one in reminders), REPLY))
    return tuple(sorted(store_of(person).read_all(), key=lambda reminder: reminder.next_ms))


def reword(store: ReminderStore, reminder: Reminder) -> None:
    """Change the text as a write of an earlier turn does."""
    store.update(reminder.id, lambda stored: stored and replace(stored, text="パスポート", revision=(1, 1)))


def beside(change: Callable[[], object], *calls: tuple[str, dict[str, str]]) -> Callable[[ModelRequest], ModelResponse]:
    """Return a step of the model that makes the calls after the change."""

    def step(_: ModelRequest) -> ModelResponse:
        change()
        return calling(*calls, REPLY)

    return step


def reminder_listings(person: Person, *texts: str) -> int:
    """Have the texts answered; return how often the reminders were listed for that."""
    listed: list[str] = []
    person.worker.store.before = lambda call, name: listed.append(f"{call} {name}")
    for text in texts:
        person.says(text, calling(REPLY))
    return sum(one.startswith("list reminders/") for one in listed)


def test_a_reminder_is_cancelled_by_the_id_in_the_prompt_in_one_request(friend: Person) -> None:
    pills, water = sets(friend, PILLS, WATER)

    event = friend.says("薬はもういい", calling(("cancel_reminder", {"id": pills.id}), REPLY))

    assert f"{pills.id} | 2025-11-22T09:00 Sat | 薬" in friend.worker.prompt()
    assert [one.id for one in store_of(friend).read_all() if one.is_open] == [water.id]
    assert len(friend.worker.model.requests) == 2  # of two turns
    assert [one.text for one in friend.worker.line.replied[str(event["replyToken"])]] == [
        "わかりました\n\n✓ リマインダーを取り消し：「薬」（11月22日(土) 9:00）"
    ]


def test_a_reminder_is_changed_by_the_id_in_the_prompt_in_one_request(friend: Person) -> None:
    (pills,) = sets(friend, PILLS)

    friend.says("薬は10時に", calling(("change_reminder", {"id": pills.id, "at": "2025-11-22T10:00"}), REPLY))

    (changed,) = store_of(friend).read_all()
    assert (changed.id, changed.start) == (pills.id, "2025-11-22T10:00")
    assert len(friend.worker.model.requests) == 2  # of two turns


def test_an_id_from_an_earlier_turn_hits_no_other_reminder(friend: Person) -> None:
    pills, water = sets(friend, PILLS, WATER)
    friend.says("薬はもういい", calling(("cancel_reminder", {"id": pills.id}), REPLY))

    friend.says("薬はもういい", calling(("cancel_reminder", {"id": pills.id}), REPLY), calling(REPLY))

    assert [one.id for one in store_of(friend).read_all() if one.is_open] == [water.id]


def test_a_reminder_that_changed_since_the_prompt_is_not_cancelled(friend: Person) -> None:
    (pills,) = sets(friend, PILLS)
    store = store_of(friend)

    friend.says(
        "薬はもういい", beside(lambda: reword(store, pills), ("cancel_reminder", {"id": pills.id})), calling(REPLY)
    )

    (stored,) = store.read_all()
    assert (stored.is_open, stored.text) == (True, "パスポート")


def test_a_changed_reminder_is_cancelled_after_it_was_listed(friend: Person) -> None:
    (pills,) = sets(friend, PILLS)
    store = store_of(friend)

    listing = beside(lambda: reword(store, pills), ("list_reminders", {}))
    friend.says("薬はもういい", listing, calling(("cancel_reminder", {"id": pills.id}), REPLY))

    assert not any(one.is_open for one in store.read_all())


def test_an_unsent_message_takes_its_reminder_out_of_the_prompts(friend: Person) -> None:
    sets(friend, PILLS)
    friend.sends(friend.events.event("unsend", unsend={"messageId": "m1"}))

    friend.says("こんにちは", calling(REPLY))

    assert HEADING not in friend.worker.prompt()
    assert "薬" not in friend.worker.prompt()


def test_reminders_are_listed_until_a_turn_found_none(friend: Person) -> None:
    assert reminder_listings(friend, "こんにちは") == 2  # another one looks for what a tick has postponed
    assert reminder_listings(friend, "元気？", "それから？") == 0

    sets(friend, PILLS)

    assert reminder_listings(friend, "ありがとう", "またね") == 2
    assert HEADING in friend.worker.prompt()


def test_an_ended_reminder_is_no_longer_in_prompts(friend: Person) -> None:
    (pills,) = sets(friend, PILLS)
    friend.says("薬はもういい", calling(("cancel_reminder", {"id": pills.id}), REPLY))

    friend.says("こんにちは", calling(REPLY))

    assert HEADING not in friend.worker.prompt()


def test_a_reminder_with_words_that_only_a_shown_reminder_has_names_the_messages_behind_them(friend: Person) -> None:
    sets(friend, PILLS)

    friend.says("同じのを明後日も", calling(("create_reminder", {**PILLS, "at": "2025-11-23T09:00"}), REPLY))

    (again,) = (one for one in store_of(friend).read_all() if one.start == "2025-11-23T09:00")
    assert again.provenance.message_ids == {"m1", "m2"}
