import io
import json

import pytest

from shared.adapters.memory.scripted_model import calling
from tests.support import recorded
from tests.support.people import ChatEvents
from tests.support.pushed import PushedWorker

HELLO = calling(("reply", {"message": "こんにちは！"}))


def test_edit_changes_the_next_prompt(worker: PushedWorker) -> None:
    worker.deliver(recorded.event("message-text-in-group"))
    edited = recorded.event("message-edited")
    edited["message"]["id"] = recorded.event("message-text-in-group")["message"]["id"]

    assert worker.deliver(edited) == 204
    worker.deliver(recorded.event("message-text-mentioning-the-bot"), thinks=[HELLO])

    assert "お昼どうしよう？" in worker.prompt()
    assert "お昼どうする？" not in worker.prompt()


def test_edit_is_stored_without_the_name_of_the_bot(worker: PushedWorker, group: ChatEvents) -> None:
    event = group.text("@Aizuchi 元気？")
    worker.deliver(event, thinks=[HELLO])

    edited = {**event["message"], "text": "@Aizuchi 本当に元気？"}
    worker.deliver({**group.event("messageEdited"), "message": edited})
    worker.deliver(group.text("@Aizuchi ねえ"), thinks=[HELLO])

    assert "] 本当に元気？" in worker.prompt()


@pytest.mark.parametrize("changes", [{"type": "image"}, {"text": None}, {"text": 7}])
def test_edit_of_anything_but_text_changes_nothing(worker: PushedWorker, changes: dict[str, object]) -> None:
    edited = recorded.event("message-edited")
    edited["message"] |= changes

    assert worker.deliver(edited) == 204

    assert worker.store.list("") == ()


@pytest.mark.parametrize(("until_ms", "outcome"), [(0, "edited"), (2**41, "erased")])
def test_edit_from_before_an_erasure_does_not_count(
    worker: PushedWorker, lines: io.StringIO, until_ms: int, outcome: str
) -> None:
    worker.erase(recorded.event("message-edited")["source"]["groupId"], until_ms=until_ms)

    assert worker.deliver(recorded.event("message-edited")) == 204

    handled = [json.loads(line) for line in lines.getvalue().splitlines()][-1]
    assert (handled["message"], handled["outcome"]) == ("event_handled", outcome)
