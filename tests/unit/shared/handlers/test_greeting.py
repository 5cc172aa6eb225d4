import pytest

from shared.line.phrases import Phrase
from tests.support import recorded
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker


@pytest.mark.parametrize(("name", "greeting"), [("follow", Phrase.GREETING_FRIEND), ("join", Phrase.GREETING_GROUP)])
def test_friend_and_group_are_greeted_once(worker: PushedWorker, name: str, greeting: Phrase) -> None:
    event = recorded.event(name)

    assert [worker.deliver(event), worker.deliver(event)] == [204, 204]
    assert worker.said == [japanese(greeting)]
    assert worker.line.calls == 1


@pytest.mark.parametrize("name", ["follow", "join", "postback"])
def test_of_an_event_that_cannot_be_answered_nothing_is_kept(worker: PushedWorker, name: str) -> None:
    event = recorded.event(name, postback={"data": "late:01FZ74A0TDDPYRVKNK77XK9999"})
    del event["replyToken"]

    assert worker.deliver(event) == 204

    assert worker.line.calls == 0
    assert worker.store.list("") == ()
