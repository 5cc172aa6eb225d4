"""What turns file: silent ones, late ones, and those that somebody takes back or edits while they run."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, Final

import pytest

from shared.adapters.memory.scripted_model import Step, calling
from shared.agent.model import ModelRequest, ModelResponse
from shared.conversation.records import Amendment
from shared.knowledge.index import EMPTY_INDEX
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.pushed import PushedWorker

HELLO: Final = calling(("reply", {"message": "こんにちは！"}))
SKIP: Final = calling(("skip", {"reason": "thanks"}))
GREETING: Final = {"category": "ideas", "confidence": 0.8, "name": "お昼"}
NOW_MS: Final = 1_763_700_000_000
AGE_49_9_S: Final = "2025-11-21T04:39:10.100Z"


@pytest.fixture
def worker() -> Iterator[PushedWorker]:
    with ThreadPoolExecutor(16) as pool:
        yield PushedWorker(pool)


def in_group(number: int, text: str) -> dict[str, Any]:
    """Somebody addresses the bot in the group."""
    event = recorded.event(
        "message-text-mentioning-the-bot",
        webhookEventId=f"e{number}",
        replyToken=f"t{number}",
        timestamp=NOW_MS + number * 1_000,
    )
    event["message"] = {**event["message"], "id": f"m{number}", "text": f"@Aizuchi {text}"}
    return event


def edited(number: int, text: str, *, at: int) -> dict[str, Any]:
    event = recorded.event("message-edited", webhookEventId=f"edit{number}at{at}", timestamp=NOW_MS + at * 1_000)
    event["message"] = {**event["message"], "id": f"m{number}", "text": f"@Aizuchi {text}"}
    return event


def files(worker: PushedWorker, number: int, text: str, *, name: str = "お昼", thinks: Step = HELLO) -> None:
    worker.json_model.steps = [{**GREETING, "name": name}]
    assert (
        worker.deliver(in_group(number, text), thinks=[calling(("classify_and_capture", {"text": text})), thinks])
        == 204
    )


def paths(worker: PushedWorker) -> list[str]:
    return [
        one.name.split("/", 2)[2]
        for one in worker.store.list("entries/")
        if one.name.endswith(".md") and not one.name.endswith("index.md")
    ]


def test_what_is_filed_in_silence_is_written_once(worker: PushedWorker) -> None:
    files(worker, 1, "お昼どうする？", thinks=SKIP)
    assert worker.deliver(in_group(1, "お昼どうする？")) == 204

    assert worker.line.calls == 0
    assert worker.outcome(in_group(1, ""))["kind"] == "skipped"
    assert worker.outcome(in_group(1, ""))["filed_entry_path"] == "ideas/お昼.md"
    assert paths(worker) == ["ideas/お昼.md"]
    worker.deliver(in_group(2, "元気？"), thinks=[HELLO])
    assert "[note] Filed then: ideas/お昼.md" in worker.prompt()


def test_what_was_filed_in_silence_goes_with_its_message(worker: PushedWorker) -> None:
    files(worker, 1, "お昼どうする？", thinks=SKIP)

    worker.memory.withdrawal.withdraw(recorded.GROUP, "m1", timestamp_ms=NOW_MS + 2_000)

    assert "お昼" not in everything_in(worker.store)


def test_what_a_turn_filed_too_late_is_thought_anew_when_the_button_is_pressed(worker: PushedWorker) -> None:
    event = recorded.event("message-text", timestamp=NOW_MS - 50_000)
    worker.json_model.steps = [GREETING, {**GREETING, "name": "昼食"}]

    def once_deferred(_: ModelRequest) -> ModelResponse:
        worker.clock.move(1)
        until_s = time.monotonic() + 10
        while not worker.line.replied:
            assert time.monotonic() < until_s, "nothing was deferred"
            time.sleep(0.01)
        return HELLO

    capture = calling(("classify_and_capture", {"text": "こんにちは"}))
    worker.deliver(event, thinks=[capture, once_deferred], published=AGE_49_9_S)
    assert worker.outcome(event)["kind"] == "deferred"
    assert worker.store.list("entries/") == ()
    assert "お昼" not in everything_in(worker.store)

    pressed = recorded.event("postback", postback={"data": f"late:{event['webhookEventId']}"}, timestamp=NOW_MS)
    worker.deliver(pressed, thinks=[capture, HELLO])

    assert paths(worker) == ["ideas/昼食.md"]
    assert worker.outcome(pressed)["filed_entry_path"] == "ideas/昼食.md"
    assert worker.said[-1] == "こんにちは！"


def test_an_edit_takes_what_was_filed_from_the_older_words(worker: PushedWorker) -> None:
    files(worker, 1, "暗証番号は4711", name="暗証番号4711")
    files(worker, 2, "牛乳を買う", name="牛乳")

    assert worker.deliver(edited(1, "やっぱり内緒", at=3)) == 204

    assert paths(worker) == ["ideas/牛乳.md"]
    assert "4711" not in filed_bytes(worker)


def test_what_is_filed_from_the_newer_words_stays_until_the_next_edit(worker: PushedWorker) -> None:
    files(worker, 1, "暗証番号は4711", name="暗証番号4711")
    edit = edited(1, "暗証番号は1147", at=3)
    worker.deliver(edit)
    worker.json_model.steps = [{**GREETING, "name": "暗証番号1147"}]
    again = calling(("classify_and_capture", {"text": "暗証番号は1147"}))
    worker.deliver(in_group(4, "今の覚えておいて"), thinks=[again, HELLO])
    assert "ideas/暗証番号1147.md" in paths(worker)

    worker.deliver(edit)  # delivered twice
    assert "ideas/暗証番号1147.md" in paths(worker)

    worker.deliver(edited(1, "内緒", at=5))
    assert paths(worker) == []
    assert "1147" not in filed_bytes(worker)


def test_older_words_that_are_written_while_the_edit_passes_do_not_stay(worker: PushedWorker) -> None:
    """The edit comes between the commit and the writes, where nobody asks the model any more."""
    reply = worker.line.reply

    def edited_meanwhile(*arguments: Any) -> Any:  # noqa: ANN401 - as the port has it
        worker.deliver(edited(1, "やっぱり内緒", at=3))
        return reply(*arguments)

    worker.line.reply = edited_meanwhile  # type: ignore[method-assign, assignment]
    files(worker, 1, "暗証番号は4711", name="暗証番号4711")

    assert worker.said == ["こんにちは！"]
    assert paths(worker) == []
    assert "4711" not in filed_bytes(worker)


@pytest.mark.parametrize("text", [None, "内緒"], ids=["unsend", "edit"])
def test_what_a_tool_has_shown_reaches_no_model_once_it_is_taken_back(text: str | None, worker: PushedWorker) -> None:
    """The prompt holds neither the message nor the entry: the words come through the tool, between two calls of the model."""
    worker.json_model.steps = [{"category": "projects", "confidence": 0.8, "name": "暗証番号4711"}]
    worker.deliver(
        in_group(1, "暗証番号は4711"), thinks=[calling(("classify_and_capture", {"text": "暗証番号は4711"})), SKIP]
    )
    path = "projects/暗証番号4711.md"
    done = calling(("update_entry", {"path": path, "updates": {"status": "done"}}))
    worker.deliver(in_group(2, "終わった"), thinks=[done, SKIP])
    for name in ("m1.json", "e1.outcome.json"):
        worker.store.delete(f"journal/{recorded.GROUP}/{name}")
    asks = calling(("get_entry", {"path": path}))

    def asks_while_it_is_amended(_: ModelRequest) -> ModelResponse:
        amendment = Amendment(line_message_id="m1", timestamp_ms=NOW_MS + 3_000, text=text)
        worker.memory.amendments.amend(recorded.GROUP, amendment)
        return asks

    worker.model.requests.clear()
    worker.deliver(in_group(4, "何だっけ"), thinks=[asks_while_it_is_amended, asks, HELLO])

    first, again, last = (str(asdict(one)) for one in worker.model.requests)
    assert "4711" not in first
    assert "4711" not in again
    assert f"Entry not found: {path}" in last
    assert "暗証番号は" not in last


@pytest.mark.parametrize("text", [None, "内緒"], ids=["unsend", "edit"])
def test_a_turn_that_begins_before_the_words_are_out_of_the_entries_does_not_meet_them(
    text: str | None, worker: PushedWorker
) -> None:
    files(worker, 1, "暗証番号は4711", name="暗証番号")
    amendment = Amendment(line_message_id="m1", timestamp_ms=NOW_MS + 3_000, text=text)
    worker.memory.amendments.amend(recorded.GROUP, amendment)  # and its sweep is still to come
    assert "4711" in filed_bytes(worker)

    calls = calling(("list_entries", {}), ("search_entries", {"query": "暗証"}), ("undo_last_change", {}))
    worker.deliver(in_group(4, "一覧を見せて"), thinks=[calls, HELLO])

    heard = str(asdict(worker.model.requests[-1]))
    assert "4711" not in heard
    assert EMPTY_INDEX in heard
    assert heard.count("'total': 0") == 2
    assert "There is nothing to undo." in heard


def filed_bytes(worker: PushedWorker) -> str:
    """Every byte of the entries, names included."""
    listed = [one.name for one in worker.store.list("entries/")]
    bodies = (stored.data.decode() for name in listed if (stored := worker.store.read(name)) is not None)
    return " ".join((*listed, *bodies))
