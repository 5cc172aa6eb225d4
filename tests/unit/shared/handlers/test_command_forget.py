"""/forget: the question, and the button that confirms it."""

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.handlers.command import CONFIRMED_WITHIN_MS
from shared.line.phrases import Phrase
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.people import START_MS, Person
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker

HELLO = calling(("reply", {"message": "swordfish、覚えた"}))


def test_forget_erases_nothing_before_the_button_is_pressed(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    friend.says("/forget")

    assert friend.worker.said[-1] == japanese(Phrase.FORGET_QUESTION)
    assert "swordfish" in everything_in(friend.worker.store)


def test_press_erases_everything_and_is_confirmed(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    friend.says("/forget")

    friend.presses(friend.newest_button)

    assert friend.worker.said[-1] == japanese(Phrase.FORGET_DONE)
    assert "swordfish" not in everything_in(friend.worker.store)
    watermark = friend.worker.conversations.of(recorded.USER).amendments.watermark()
    assert watermark.entries_ms == watermark.timestamp_ms == START_MS + 3_000 - 1


def test_press_erases_entries_that_a_reset_spared(friend: Person) -> None:
    friend.files("garden")
    friend.says("/reset")
    friend.says("/forget")

    friend.presses(friend.newest_button)

    assert "garden" not in everything_in(friend.worker.store)


def test_redelivered_press_erases_and_confirms_once(friend: Person) -> None:
    friend.says("/forget")
    press = friend.presses(friend.newest_button)
    friend.says("my word is swordfish", HELLO)

    friend.worker.deliver(press)

    assert friend.worker.said.count(japanese(Phrase.FORGET_DONE)) == 1
    assert "my word is swordfish" in everything_in(friend.worker.store)


def test_redelivered_press_completes_the_erasure_of_a_dead_worker(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    friend.says("/forget")
    press = friend.events.event("postback", postback={"data": friend.newest_button})
    friend.worker.erase(recorded.USER, until_ms=press["timestamp"] - 1)

    friend.worker.deliver(press)

    assert friend.worker.said[-1] == japanese(Phrase.FORGET_DONE)


@pytest.mark.parametrize("age_ms", [0, CONFIRMED_WITHIN_MS])
def test_press_within_ten_minutes_of_the_question_confirms(friend: Person, age_ms: int) -> None:
    friend.says("my word is swordfish", HELLO)
    friend.says("/forget")

    friend.presses(friend.newest_button, timestamp=START_MS + 2_000 + age_ms)

    assert "swordfish" not in everything_in(friend.worker.store)


def test_press_of_an_expired_button_asks_again(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    friend.says("/forget")

    friend.presses(friend.newest_button, timestamp=START_MS + 2_000 + CONFIRMED_WITHIN_MS + 1)

    assert friend.worker.said[-1] == japanese(Phrase.FORGET_QUESTION)
    assert "swordfish" in everything_in(friend.worker.store)


def test_redelivered_press_that_was_answered_by_the_question_erases_nothing(friend: Person) -> None:
    friend.says("my word is swordfish", HELLO)
    late = friend.events.text("/forget")
    press = friend.presses(f"forget:{late['webhookEventId']}")
    friend.sends(late)

    assert friend.worker.deliver(press) == 204

    assert "my word is swordfish" in everything_in(friend.worker.store)
    assert japanese(Phrase.FORGET_DONE) not in friend.worker.said


def test_press_of_a_button_of_another_chat_erases_nothing(friend: Person, worker: PushedWorker) -> None:
    friend.says("/forget")
    member = Person(worker, is_in_group=True)
    member.says("my word is swordfish")
    member.events.skip(5)  # ids and tokens that the friend's chat does not use

    member.presses(friend.newest_button)

    assert "swordfish" in everything_in(worker.store)
    assert worker.said[-1] == japanese(Phrase.FORGET_QUESTION)


def test_press_that_names_another_answer_of_the_chat_erases_nothing(friend: Person) -> None:
    event = friend.says("my word is swordfish", HELLO)

    friend.presses(f"forget:{event['webhookEventId']}")

    assert "swordfish" in everything_in(friend.worker.store)
