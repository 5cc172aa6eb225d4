import pytest

from shared.adapters.memory.scripted_model import calling
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.pushed import PushedWorker

OTHER_EVENTS = [
    name
    for name in recorded.NAMES
    if not name.startswith("message-")
    and name not in {"follow", "join", "leave", "unfollow", "unsend", "verification", "several-chats", "redelivered"}
]


@pytest.mark.parametrize("name", OTHER_EVENTS)
def test_event_without_a_handler_is_acknowledged_and_ignored(worker: PushedWorker, name: str) -> None:
    assert worker.deliver(recorded.event(name)) == 204
    assert worker.line.calls == 0
    assert worker.store.list("") == ()


def test_event_without_a_chat_is_acknowledged(worker: PushedWorker) -> None:
    assert worker.deliver(recorded.event("message-text", source={"type": "user"})) == 204
    assert worker.store.list("") == ()


def test_unsend_that_was_pushed_to_the_wrong_worker_is_applied(worker: PushedWorker) -> None:
    said = recorded.event("message-text")
    said["message"]["text"] = "my pin is 4711"
    worker.deliver(said, thinks=[calling(("reply", {"message": "ok"}))])
    unsend = recorded.event("unsend", source=said["source"])
    unsend["unsend"]["messageId"] = said["message"]["id"]

    assert worker.deliver(unsend) == 204
    assert "4711" not in everything_in(worker.store)


def test_member_joined_event_gets_no_answer(worker: PushedWorker) -> None:
    worker.deliver(recorded.event("member-joined"))

    assert worker.line.calls == 0
