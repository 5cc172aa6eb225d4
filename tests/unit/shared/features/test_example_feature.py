"""A feature of one folder, one schema and one line is counted, undone, withdrawn, erased, exported and restored as any other."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from operations.conversations import exported
from operations.persons import exported_person
from operations.restoration import restore
from shared.adapters.memory import MemoryObjectStore
from shared.adapters.memory.scripted_model import calling
from shared.conversation.store import Conversation
from shared.features.stored_features import STORED_FEATURES
from shared.handlers.unsend import withdrawal_of
from shared.line.phrases import Phrase
from tests.support.chats import conversations_on, everything_in
from tests.support.people import Person
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker
from tests.support.wishes import wish as wishes_of
from tests.support.wishes.feature import STORED_WISHES, WISHES

FEATURES = (*STORED_FEATURES, STORED_WISHES)
SAYS = calling(("reply", {"message": "はい"}))
SCHEMA = json.loads(Path(wishes_of.__file__).with_name("wish.json").read_text(encoding="utf-8"))


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def friend(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool, more_features=(WISHES,)), is_in_group=False)


@pytest.fixture
def member(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool, more_features=(WISHES,)), is_in_group=True)


def chat_of(person: Person) -> Conversation:
    return person.worker.conversations.of(person.events.chat_id)


def wishes(person: Person) -> list[str]:
    return [wish.text for wish in wishes_of.WishStore(chat_of(person)).present()]


def wish(person: Person, text: str) -> dict[str, Any]:
    return person.asks(f"{text}が欲しいな", calling(("make_wish", {"text": text})), SAYS)


def does(person: Person, name: str, **arguments: object) -> dict[str, Any]:
    return person.asks("please", calling((name, arguments)), SAYS)


def test_a_turn_stages_a_wish_tells_it_in_the_receipt_and_stores_it_after_the_commit(friend: Person) -> None:
    event = wish(friend, "a bicycle")

    assert wishes(friend) == ["a bicycle"]
    assert "a bicycle" in str(friend.worker.outcome(event)["text"])
    (stored,) = wishes_of.WishStore(chat_of(friend)).present()
    record = json.loads(friend.worker.store.read(wishes_of.WishStore(chat_of(friend)).name_of(stored.id)).data)  # type: ignore[union-attr]
    Draft202012Validator(SCHEMA).validate(record)


def test_the_guide_and_the_tools_are_shown_to_the_model(friend: Person) -> None:
    wish(friend, "a bicycle")

    request = friend.worker.model.requests[-1]
    assert "# Wishes" in request.system_instruction
    assert {"make_wish", "list_wishes", "drop_wish", "undo_last_change"} <= {one.name for one in request.declarations}


def test_an_undo_takes_back_a_wish_and_a_dropped_wish(friend: Person) -> None:
    wish(friend, "a bicycle")
    does(friend, "undo_last_change")
    assert wishes(friend) == []

    wish(friend, "a kite")
    (kite,) = wishes_of.WishStore(chat_of(friend)).present()
    does(friend, "drop_wish", id=kite.id)
    assert wishes(friend) == []
    does(friend, "undo_last_change")
    assert wishes(friend) == ["a kite"]


def test_a_withdrawn_message_takes_its_wish_along(friend: Person) -> None:
    asked = wish(friend, "a bicycle")

    withdrawal = withdrawal_of(friend.worker.clock, FEATURES)
    withdrawal.withdraw(chat_of(friend), asked["message"]["id"], timestamp_ms=2)

    assert wishes(friend) == []
    assert "a bicycle" not in everything_in(friend.worker.store)


def test_forget_counts_wishes_in_their_own_words_and_erases_them(friend: Person) -> None:
    wish(friend, "a bicycle")
    friend.says("/forget")
    assert "、願い事1件。" in friend.worker.said[-1]

    friend.presses(friend.newest_button)

    assert friend.worker.said[-1] == japanese(Phrase.FORGET_DONE)
    assert "a bicycle" not in everything_in(friend.worker.store)


def test_reset_says_that_wishes_stay(member: Person) -> None:
    wish(member, "a bicycle")

    member.says("/reset")

    assert "残るもの：願い事1件。" in member.worker.said[-1]
    member.presses(member.newest_button)
    assert wishes(member) == ["a bicycle"]


def test_forget_me_takes_the_wishes_of_a_member_and_leaves_those_of_others(member: Person) -> None:
    other = "U" + "9" * 32
    wish(member, "a bicycle")
    member.asks("I wish for a kite", calling(("make_wish", {"text": "a kite"})), SAYS, by=other)

    member.sends(member.events.text("/forget me", by=other))

    assert wishes(member) == ["a bicycle"]
    assert "a kite" not in everything_in(member.worker.store)


def test_a_wish_is_found_by_forget_me_after_its_message_has_left_the_chat(member: Person) -> None:
    asked = wish(member, "a bicycle")
    chat = chat_of(member)
    for listed in member.worker.store.list(chat.names.journal_prefix):
        member.worker.store.delete(listed.name)

    member.sends(member.events.text("/forget me", by=asked["source"]["userId"]))

    assert wishes(member) == []


def test_a_lost_chat_comes_back_with_its_wishes(friend: Person) -> None:
    wish(friend, "a bicycle")
    chat, empty = chat_of(friend), MemoryObjectStore()

    lines = list(exported(friend.worker.store, chat.id, FEATURES))
    restore(empty, lines, clock=friend.worker.clock, features=FEATURES)

    restored = conversations_on(empty, chat.objects.reads, friend.worker.clock).of(chat.id)
    assert [one.text for one in wishes_of.WishStore(restored).present()] == ["a bicycle"]


def test_a_person_is_given_their_wishes(friend: Person) -> None:
    asked = wish(friend, "a bicycle")

    lines = exported_person(
        chat_of(friend), asked["source"]["userId"], now_ms=friend.worker.clock.now_ms() + 10_000_000, features=FEATURES
    )

    assert any(json.loads(line)["name"].startswith("wishes/") for line in lines)
