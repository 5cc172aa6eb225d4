"""What the bot knows about a person is told with dates, and one fact of it is forgotten, with the messages that it came from."""

from typing import Any, Final

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.agent.model import FunctionResponses, ModelResponse
from tests.support.chats import everything_in
from tests.support.people import ChatEvents, Person
from tests.support.pushed import PushedWorker
from tests.unit.shared.handlers.conftest import YUKI

KENJI: Final = "U" + "2" * 32
OK: Final = calling(("reply", {"message": "ok"}))
FACTS: Final = calling(("list_own_facts", {}))


def result(worker: PushedWorker) -> Any:  # noqa: ANN401 - as the model reads it
    found = [one for one in worker.model.requests[-1].contents if isinstance(one, FunctionResponses)]
    return found[-1].responses[-1].response


def note(path: str, text: str) -> ModelResponse:
    return calling(("update_entry", {"path": path, "updates": {"note": text}}))


def forget(path: str, fact: str) -> ModelResponse:
    return calling(("forget_fact", {"path": path, "fact": fact}))


def test_each_fact_is_listed_with_the_date_on_which_it_was_said(friend: Person) -> None:
    friend.files("fishing")
    friend.says("fishing: I like the lake at dawn", note("ideas/fishing.md", "I like the lake at dawn"), OK)

    friend.says("what do you know about me?", FACTS, OK)

    facts = [one for one in result(friend.worker)["output"]["facts"] if one["fact"].endswith("I like the lake at dawn")]
    assert [(one["name"], one["since"]) for one in facts] == [("fishing", "2025-11-21")]


def test_facts_of_other_members_are_not_listed(worker: PushedWorker, group: ChatEvents) -> None:
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.9, "name": "kenjis secret"}]
    capture = calling(("classify_and_capture", {"text": "kenjis secret"}))
    worker.deliver(group.text("@Aizuchi keep: kenjis secret", by=KENJI), thinks=[capture, OK])
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.9, "name": "yukis idea"}]
    capture = calling(("classify_and_capture", {"text": "yukis idea"}))
    worker.deliver(group.text("@Aizuchi keep: yukis idea", by=YUKI), thinks=[capture, OK])

    worker.deliver(group.text("@Aizuchi what do you know about me?", by=YUKI), thinks=[FACTS, OK])

    assert {one["name"] for one in result(worker)["output"]["facts"]} == {"yukis idea"}


def test_one_fact_is_forgotten_with_a_receipt_and_the_rest_stays(friend: Person) -> None:
    entry = friend.files("fishing")
    friend.says("fishing: my PIN is 4711", note("ideas/fishing.md", "my PIN is 4711"), OK)

    friend.says("forget that", forget("ideas/fishing.md", "my PIN is 4711"), OK)

    stored = friend.worker.store.read(entry)
    assert stored is not None
    assert b"4711" not in stored.data
    assert b"fishing" in stored.data
    assert "✓" in " ".join(friend.worker.said)
    assert len(result(friend.worker)["output"]["proposed"]) == 1


def test_a_press_takes_back_what_the_fact_came_from_so_nothing_relearns_it(friend: Person) -> None:
    friend.files("fishing")
    friend.says("fishing: my PIN is 4711", note("ideas/fishing.md", "my PIN is 4711"), OK)
    friend.says("forget that", forget("ideas/fishing.md", "my PIN is 4711"), OK)

    friend.presses(friend.newest_button)

    assert "4711" not in everything_in(friend.worker.store)


def test_an_entry_of_which_nothing_is_left_is_deleted(friend: Person) -> None:
    friend.files("fishing")

    friend.says("forget fishing", forget("ideas/fishing.md", "fishing"), OK)

    assert result(friend.worker)["output"]["isDeleted"] is True


def test_words_that_the_entry_does_not_hold_are_no_fact_of_it(friend: Person) -> None:
    friend.files("fishing")

    friend.says("forget golf", forget("ideas/fishing.md", "golf"), OK)

    assert "no such words" in result(friend.worker)["error"]["message"]


@pytest.mark.parametrize("blank", [" ", "\u3000\n"])
def test_blank_words_are_no_fact_of_any_entry(friend: Person, blank: str) -> None:
    entry = friend.files("fishing")

    friend.says("forget it", forget("ideas/fishing.md", blank), OK)

    assert "no such words" in result(friend.worker)["error"]["message"]
    stored = friend.worker.store.read(entry)
    assert stored is not None
    assert b"fishing" in stored.data


def test_an_entry_that_is_not_there_is_a_fault(friend: Person) -> None:
    friend.says("forget golf", forget("ideas/golf.md", "golf"), OK)

    assert "not found" in result(friend.worker)["error"]["message"]


def test_the_newest_facts_are_listed_first_and_the_others_counted(friend: Person) -> None:
    for name in ("fishing", "golf", "kites"):
        friend.files(name)

    friend.says("what do you know about me?", FACTS, OK)
    every = [one["name"] for one in result(friend.worker)["output"]["facts"]]
    friend.says("and newest?", calling(("list_own_facts", {"limit": 1.0})), OK)

    assert every == sorted(every, reverse=True)
    newest = result(friend.worker)["output"]
    assert ([one["name"] for one in newest["facts"]], newest["leftOut"]) == (["kites"], len(every) - 1)
