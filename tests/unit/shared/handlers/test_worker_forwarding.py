"""What another system answers, which gets the same deliveries, is neither recorded nor answered here."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.line.forwarding import Owned
from tests.support.chats import everything_in
from tests.support.people import Person
from tests.support.pushed import PushedWorker

OK: Final = calling(("reply", {"message": "understood"}))


def customer(pool: ThreadPoolExecutor, *rules: str) -> Person:
    return Person(PushedWorker(pool, owned_elsewhere=Owned.of(rules)), is_in_group=False)


def test_a_word_of_the_other_system_leaves_no_byte_and_costs_no_call(pool: ThreadPoolExecutor) -> None:
    person = customer(pool, "word:予約")

    person.says("予約 4711")

    assert person.worker.store.list("") == ()
    assert (person.worker.line.calls, person.worker.model.requests) == (0, [])


def test_other_words_are_answered(pool: ThreadPoolExecutor) -> None:
    person = customer(pool, "word:予約")

    person.says("hello", OK)

    assert person.worker.said == ["understood"]


@pytest.mark.parametrize("rules", [("postback:shop=",), ()])
def test_a_press_of_no_button_of_the_bot_is_acknowledged_silently(
    pool: ThreadPoolExecutor, rules: tuple[str, ...]
) -> None:
    person = customer(pool, *rules)

    person.presses("shop=1")

    assert person.worker.store.list("") == ()
    assert person.worker.line.calls == 0


def test_commands_and_unsends_of_an_owned_chat_stay_the_bots(pool: ThreadPoolExecutor) -> None:
    person = customer(pool)
    event = person.says("my pin is 4711", OK)
    other = Person(
        PushedWorker(pool, store=person.worker.store, owned_elsewhere=Owned.of(["chats:one-on-one"])), is_in_group=False
    )
    other.events = person.events

    other.says("hello")
    silent = list(other.worker.said)
    other.says("/id")
    other.sends(other.events.event("unsend", unsend={"messageId": event["message"]["id"]}))

    assert silent == []
    assert len(other.worker.said) == 1
    assert "4711" not in everything_in(other.worker.store)
