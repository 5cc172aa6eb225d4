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
