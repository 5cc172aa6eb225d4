"""Answers in chats where an edit is so old that it was folded."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.agent.model import ModelRequest, ModelResponse
from shared.conversation.amendment_records import Amendment
from shared.conversation.snapshot import MemoryLimits
from shared.handlers.unsend import withdrawal_of
from tests.support import recorded
from tests.support.chats import conversations_on, everything_in, fold_amendments
from tests.support.inline import InlineExecutor
from tests.support.people import START_MS, ChatEvents
from tests.support.pushed import PushedWorker, message_ids

HELLO: Final = calling(("reply", {"message": "hello"}))
FILES: Final = calling(("classify_and_capture", {"text": "lunch at one"}))
SEARCHES: Final = calling(("search_entries", {"query": "lunch"}))


@pytest.fixture
def worker(pool: ThreadPoolExecutor) -> PushedWorker:
    """A worker that folds every message but the newest."""
    return PushedWorker(pool, memory=MemoryLimits(journalled=1))


def edit(group: ChatEvents, event: Mapping[str, Any], text: str) -> dict[str, Any]:
    return {**group.event("messageEdited"), "message": {**event["message"], "text": text}}


@pytest.fixture
def edited(worker: PushedWorker, group: ChatEvents) -> dict[str, Any]:
    """A message that was edited, in a chat whose snapshot holds it."""
    event = group.text("lunch at noon")
    worker.deliver(event)
    worker.deliver(edit(group, event, "lunch at one"))
    for number in range(3):
        worker.deliver(group.text(f"@Aizuchi more {number}"), thinks=[HELLO])
    assert not worker.store.list(f"journal/{recorded.GROUP}/{event['message']['id']}")
    return event


def test_a_message_that_was_edited_long_ago_stops_no_turn(
    worker: PushedWorker, group: ChatEvents, edited: dict[str, Any]
) -> None:
    fold_amendments(worker.conversations.of(recorded.GROUP).amendments)
    asked = len(worker.model.requests)

    question = group.text("@Aizuchi when is lunch?")
    worker.deliver(question, thinks=[HELLO])

    assert len(worker.model.requests) == asked + 1
    assert "] lunch at one" in worker.prompt()
    assert edited["message"]["id"] in message_ids(worker.outcome(question))


def test_an_entry_of_words_that_were_edited_long_ago_stops_no_turn(
    worker: PushedWorker, group: ChatEvents, edited: dict[str, Any]
) -> None:
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "lunch at one"}]
    files = group.text("@Aizuchi keep that", quotedMessageId=edited["message"]["id"])
    worker.deliver(files, thinks=[FILES, HELLO])
    fold_amendments(worker.conversations.of(recorded.GROUP).amendments)
    asked = len(worker.model.requests)

    question = group.text("@Aizuchi when is lunch?")
    worker.deliver(question, thinks=[SEARCHES, HELLO])

    assert len(worker.model.requests) == asked + 2
    assert " lunch at one |" in worker.prompt()
    assert worker.said[-1] == "hello"


def test_an_edit_that_came_while_the_model_thought_stops_the_turn_however_much_came_after_it(
    worker: PushedWorker, group: ChatEvents, edited: dict[str, Any]
) -> None:
    def edits(_: ModelRequest) -> ModelResponse:
        worker.deliver(edit(group, edited, "lunch at two"), thinks=[HELLO, HELLO])
        fold_amendments(worker.conversations.of(recorded.GROUP).amendments)
        return HELLO

    worker.deliver(
        group.text("@Aizuchi when is lunch?"), thinks=[SEARCHES, edits, HELLO]
    )  # no look goes beside a second request

    assert "] lunch at two" in worker.prompt()
    assert "] lunch at one" not in worker.prompt()


def test_a_prompt_shows_the_words_of_an_edit_that_is_being_carried_out_however_much_came_after_it(
    worker: PushedWorker, group: ChatEvents, edited: dict[str, Any]
) -> None:
    newer = Amendment(line_message_id=edited["message"]["id"], timestamp_ms=START_MS + 60_000, text="lunch at two")
    worker.conversations.of(recorded.GROUP).amendments.amend(newer)
    fold_amendments(worker.conversations.of(recorded.GROUP).amendments)

    worker.deliver(group.text("@Aizuchi when is lunch?"), thinks=[HELLO])

    assert "] lunch at two" in worker.prompt()
    assert "] lunch at one" not in worker.prompt()


def resets(worker: PushedWorker, *, until_ms: int) -> None:
    """Another instance, which has read nothing of the chat, carries out a reset, with its second pass."""
    elsewhere = conversations_on(worker.store, InlineExecutor()).of(recorded.GROUP)
    withdrawal = withdrawal_of(worker.clock)
    withdrawal.erase(elsewhere, until_ms=until_ms, spares_entries=True)
    withdrawal.finish_erasure(conversations_on(worker.store, InlineExecutor()).of(recorded.GROUP), str(until_ms))


def entries_in(worker: PushedWorker) -> str:
    stored = map(worker.store.read, (one.name for one in worker.store.list(f"entries/{recorded.GROUP}/ideas/")))
    return "".join(one.data.decode() for one in stored if one is not None)


def test_a_reset_spares_an_entry_of_edited_words_in_every_instance(
    worker: PushedWorker, group: ChatEvents, edited: dict[str, Any]
) -> None:
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "lunch at one"}]
    files = group.text("@Aizuchi keep that", quotedMessageId=edited["message"]["id"])
    worker.deliver(files, thinks=[FILES, HELLO])
    assert "lunch at one" in entries_in(worker)

    resets(worker, until_ms=files["timestamp"] + 1)

    assert "lunch at one" in entries_in(worker)


def test_an_edit_that_comes_after_a_later_reset_takes_the_entry_of_the_older_words(
    worker: PushedWorker, group: ChatEvents
) -> None:
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "lunch at noon"}]
    files = group.text("@Aizuchi lunch at noon")
    worker.deliver(files, thinks=[FILES, HELLO])
    late = edit(group, files, "@Aizuchi lunch at one")
    assert "lunch at noon" in entries_in(worker)
    resets(worker, until_ms=late["timestamp"] + 1)
    assert "lunch at noon" in entries_in(worker)

    worker.deliver(late)

    assert "lunch" not in everything_in(worker.store)
