"""Events that carry an id that another event had: LINE's ids are unique, yet what comes must not keep a worker busy."""

import io
import json

from shared.adapters.memory.scripted_model import calling
from shared.conversation.records import ANSWERABLE_MS
from shared.storage.due_marker import DUE_PREFIX
from tests.support import push
from tests.support.people import Person
from tests.support.pushed import PushedWorker

ANSWERS = (calling(("reply", {"message": "はい"})),) * 8
CALLS_A_LOOK = 20
LOOKS = 24


class SpinningError(BaseException):
    """The worker asked storage more often than any turn has to."""


def count_calls(worker: PushedWorker) -> list[str]:
    """Return the list of the calls to storage from here on; more than a bounded turn makes end the delivery."""
    calls: list[str] = []

    def count(call: str, _: str) -> None:
        calls.append(call)
        if len(calls) > CALLS_A_LOOK * LOOKS:
            raise SpinningError

    worker.store.before = count
    return calls


def test_a_message_under_the_id_of_a_withdrawn_answer_is_handed_over(friend: Person, lines: io.StringIO) -> None:
    worker = friend.worker
    first = friend.says("hello", *ANSWERS)
    worker.withdraw(friend.events.chat_id, first["message"]["id"])
    second = {**friend.events.text("hello again"), "webhookEventId": first["webhookEventId"]}
    began_s = worker.clock.monotonic_s()
    count_calls(worker)

    assert worker.deliver(second, thinks=ANSWERS) == 204

    assert worker.clock.monotonic_s() - began_s > 5
    assert [one.name for one in worker.store.list(DUE_PREFIX) if "reply" in one.name]
    logged = [json.loads(line)["message"] for line in lines.getvalue().splitlines()]
    assert logged.count("turn_does_not_end") == 1


def test_what_was_handed_over_like_that_ends_once_it_is_too_old_to_be_answered(friend: Person) -> None:
    worker = friend.worker
    first = friend.says("hello", *ANSWERS)
    worker.withdraw(friend.events.chat_id, first["message"]["id"])
    friend.sends({**friend.events.text("again"), "webhookEventId": first["webhookEventId"]}, *ANSWERS)
    worker.clock.move(ANSWERABLE_MS / 1_000 + 60)
    count_calls(worker)

    assert worker.push(push.tick()) == 204

    assert not [one.name for one in worker.store.list(DUE_PREFIX) if "reply" in one.name]
    assert friend.says("hello?", *ANSWERS)
    assert worker.said[-1] == "はい"
