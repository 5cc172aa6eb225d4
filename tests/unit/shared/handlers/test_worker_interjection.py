"""Interjections: GROUP_POLICY=model."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.memory import FixedClock
from shared.adapters.memory.notion import MemoryNotion
from shared.adapters.memory.scripted_model import calling, unusable
from shared.agent.model import ModelResponse
from shared.composition.ports import NotionPort
from shared.errors import ModelUnavailableError
from shared.line.addressing import GroupPolicy
from shared.line.phrases import Phrase
from shared.turns.deferral import LateReply
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.people import ChatEvents
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker, nothing
from tests.support.turns import WorkerKilledError

HELLO = calling(("reply", {"message": "こんにちは！"}))
SKIP = calling(("skip", {"reason": "not for me"}))


@pytest.fixture
def worker(pool: ThreadPoolExecutor) -> PushedWorker:
    return PushedWorker(pool, group_policy=GroupPolicy.MODEL)


@pytest.fixture
def notion_worker(pool: ThreadPoolExecutor) -> PushedWorker:
    """A worker whose chats may also write to Notion."""
    notion = NotionPort(api=MemoryNotion(FixedClock()), databases={"tasks": "db1"}, conversations=None)
    return PushedWorker(pool, notion=notion, group_policy=GroupPolicy.MODEL)


def test_model_may_interject_and_knows_it_was_not_addressed(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("傘いるかな"), thinks=[HELLO])

    assert worker.said == ["こんにちは！"]
    assert "Nobody has addressed you" in worker.prompt()


def test_model_may_stay_silent(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("傘いるかな"), thinks=[SKIP])

    assert worker.line.calls == 0


def test_text_outside_a_call_is_no_interjection(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("傘いるかな"), thinks=[unusable(text="雨です"), unusable(text="雨です")])

    assert len(worker.model.requests) == 2
    assert worker.line.calls == 0


def test_model_is_asked_at_most_once_in_thirty_seconds(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("一"), thinks=[SKIP])
    worker.clock.move(29)
    worker.deliver(group.text("二"))
    worker.clock.move(2)
    worker.deliver(group.text("三"), thinks=[SKIP])

    assert len(worker.model.requests) == 2
    assert "二" in worker.prompt()


def test_failed_interjection_sends_nothing_and_counts(worker: PushedWorker, group: ChatEvents) -> None:
    assert worker.deliver(group.text("一"), thinks=[ModelUnavailableError("503")] * 3) == 204
    worker.deliver(group.text("二"))

    assert worker.line.calls == 0


def test_redelivered_message_is_thought_about_once(worker: PushedWorker, group: ChatEvents) -> None:
    event = group.text("一")
    worker.deliver(event, thinks=[HELLO])
    worker.clock.move(31)

    assert worker.deliver(event) == 204
    assert len(worker.model.requests) == 1


def test_addressed_message_is_answered_within_the_thirty_seconds(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("一"), thinks=[SKIP])
    worker.deliver(group.text("@Aizuchi 二"), thinks=[HELLO])

    assert worker.said == ["こんにちは！"]


def test_interjection_leaves_the_answer_of_a_dead_worker_to_the_next_delivery(
    worker: PushedWorker, group: ChatEvents
) -> None:
    asked = group.text("/help")

    def die(*_: str) -> None:
        raise WorkerKilledError

    worker.line.before = die
    with pytest.raises(WorkerKilledError):
        worker.deliver(asked)
    worker.line.before = nothing
    worker.clock.move(31)

    worker.deliver(group.text("傘いるかな"), thinks=[HELLO])
    assert worker.line.calls == 0

    assert worker.deliver(asked) == 204
    assert worker.said == [japanese(Phrase.HELP_GROUP)]


def test_an_interjection_is_never_pushed(pool: ThreadPoolExecutor, group: ChatEvents) -> None:
    worker = PushedWorker(pool, group_policy=GroupPolicy.MODEL, late_reply=LateReply.PUSH)
    received = dt.datetime.fromtimestamp(worker.clock.now_ms() / 1_000, dt.UTC).isoformat()
    worker.clock.move(120)

    assert worker.deliver(group.text("傘いるかな"), thinks=[HELLO], published=received) == 204

    assert worker.line.pushes == []
    assert worker.model.requests == []


def test_message_withdrawn_while_the_model_thinks_gets_no_interjection(worker: PushedWorker, group: ChatEvents) -> None:
    def withdraw_then_answer(_: object) -> ModelResponse:
        worker.withdraw(recorded.GROUP, "m1")
        return calling(("reply", {"message": "4711です"}))

    worker.deliver(group.text("暗証番号は4711"), thinks=[withdraw_then_answer])

    assert worker.line.calls == 0
    assert "4711" not in everything_in(worker.store)


WRITING = {"classify_and_capture", "update_entry", "move_entry", "delete_entry", "undo_last_change", "create_page"}


def test_overheard_turn_is_offered_no_tool_that_writes(notion_worker: PushedWorker, group: ChatEvents) -> None:
    notion_worker.deliver(group.text("傘いるかな"), thinks=[SKIP])

    offered = {one.name for one in notion_worker.model.requests[-1].declarations}
    assert {"reply", "skip", "search_entries", "search_database"} <= offered
    assert not offered & WRITING


def test_overheard_turn_that_calls_a_writing_tool_writes_nothing(
    notion_worker: PushedWorker, group: ChatEvents
) -> None:
    pages = calling(("create_page", {"database_name": "tasks", "title": "umbrella"}))
    captures = calling(("classify_and_capture", {"text": "umbrella"}))

    event = group.text("傘いるかな")
    notion_worker.deliver(event, thinks=[pages, captures, HELLO])

    assert notion_worker.outcome(event)["audit"]["tools_used"] == ["unknown", "unknown", "reply"]
    assert notion_worker.outcome(event)["text"] == "こんにちは！"
    assert notion_worker.store.list("entries/") == ()
    assert notion_worker.store.list("calls/") == ()
