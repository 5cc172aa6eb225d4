from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.line.messaging import is_sendable
from shared.line.phrases import EXAMPLES, GROUP_EXAMPLES, Phrase
from tests.support import recorded
from tests.support.people import Person
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker


@pytest.mark.parametrize(("name", "greeting"), [("follow", Phrase.GREETING_FRIEND), ("join", Phrase.GREETING_GROUP)])
def test_friend_and_group_are_greeted_once(worker: PushedWorker, name: str, greeting: Phrase) -> None:
    event = recorded.event(name)

    assert [worker.deliver(event), worker.deliver(event)] == [204, 204]
    assert worker.said == [japanese(greeting)]
    assert worker.line.calls == 1


@pytest.mark.parametrize(
    ("name", "greeting", "examples"),
    [("follow", Phrase.GREETING_FRIEND, EXAMPLES), ("join", Phrase.GREETING_GROUP, GROUP_EXAMPLES)],
)
def test_a_greeting_is_a_card_with_three_examples_that_are_answered(
    worker: PushedWorker, name: str, greeting: Phrase, examples: tuple[Phrase, ...]
) -> None:
    event = recorded.event(name)
    worker.deliver(event)

    (message,) = worker.line.replied[event["replyToken"]]
    assert is_sendable([message])
    assert message.card is not None
    assert "\n".join(row.text for row in message.card.rows) == japanese(greeting).replace("\n\n", "\n")
    assert [button.label for button in message.card.buttons] == [japanese(example) for example in examples]
    person = Person(worker, is_in_group=name == "join")
    pressed = person.events.event("postback", postback={"data": message.card.buttons[0].value})
    person.sends({**pressed, "timestamp": event["timestamp"] + 1_000}, calling(("reply", {"message": "はい！"})))
    assert [answer.text for answer in worker.line.replied[pressed["replyToken"]]] == ["はい！"]


@pytest.mark.parametrize(("name", "count"), [("follow", 3), ("join", 0)])
def test_without_cards_a_friends_greeting_has_examples_to_tap(pool: ThreadPoolExecutor, name: str, count: int) -> None:
    worker = PushedWorker(pool, is_rich=False)
    event = recorded.event(name)
    worker.deliver(event)

    (message,) = worker.line.replied[event["replyToken"]]
    assert (message.card, len(message.quick_replies)) == (None, count)


@pytest.mark.parametrize("name", ["follow", "join", "postback"])
def test_of_an_event_that_cannot_be_answered_nothing_is_kept(worker: PushedWorker, name: str) -> None:
    event = recorded.event(name, postback={"data": "late:01FZ74A0TDDPYRVKNK77XK9999"})
    del event["replyToken"]

    assert worker.deliver(event) == 204

    assert worker.line.calls == 0
    assert worker.store.list("") == ()
