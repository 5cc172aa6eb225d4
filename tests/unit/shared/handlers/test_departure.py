import pytest

from shared.adapters.memory.scripted_model import calling
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.pushed import PushedWorker

HELLO = calling(("reply", {"message": "こんにちは！"}))


@pytest.mark.parametrize(("message", "departure"), [("message-text", "unfollow"), ("message-text-in-group", "leave")])
def test_unfollow_and_leave_erase_the_chat(worker: PushedWorker, message: str, departure: str) -> None:
    worker.deliver(recorded.event(message), thinks=[HELLO])
    text = recorded.event(message)["message"]["text"]
    assert text in everything_in(worker.store)

    assert worker.deliver(recorded.event(departure, timestamp=2**41)) == 204

    assert text not in everything_in(worker.store)
    assert "こんにちは！" not in everything_in(worker.store)


def test_late_leave_spares_messages_of_a_group_joined_since(worker: PushedWorker) -> None:
    event = recorded.event("message-text-in-group")
    worker.deliver(event)

    assert worker.deliver(recorded.event("leave", timestamp=event["timestamp"] - 1)) == 204

    assert event["message"]["text"] in everything_in(worker.store)
