"""Filing: entries of skipped and of late turns, and entries whose message is withdrawn or edited meanwhile."""

import re
import time
from dataclasses import asdict
from typing import Any, Final

import pytest

from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.scripted_model import Step, calling, unusable
from shared.agent.model import ModelRequest, ModelResponse
from shared.conversation.amendment_records import Amendment
from shared.knowledge.prompt_index import EMPTY_INDEX
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.people import START_MS, ChatEvents, Person
from tests.support.pushed import PushedWorker, message_ids

HELLO: Final = calling(("reply", {"message": "こんにちは！"}))
SKIP: Final = calling(("skip", {"reason": "thanks"}))
GREETING: Final = {"category": "ideas", "confidence": 0.8, "name": "お昼"}
AGE_49_9_S: Final = "2025-11-21T04:39:10.100Z"


def group_message(number: int, text: str) -> dict[str, Any]:
    """Return a message of the group that mentions the bot."""
    event = recorded.event(
        "message-text-mentioning-the-bot",
        webhookEventId=f"e{number}",
        replyToken=f"t{number}",
        timestamp=START_MS + number * 1_000,
    )
    event["message"] = {**event["message"], "id": f"m{number}", "text": f"@Aizuchi {text}"}
    return event


def edit_event(number: int, text: str, *, at: int) -> dict[str, Any]:
    """Return the event of an edit of message `m{number}`, `at` seconds after START_MS."""
    event = recorded.event("message-edited", webhookEventId=f"edit{number}at{at}", timestamp=START_MS + at * 1_000)
    event["message"] = {**event["message"], "id": f"m{number}", "text": f"@Aizuchi {text}"}
    return event


def file_an_entry(worker: PushedWorker, number: int, text: str, *, name: str = "お昼", thinks: Step = HELLO) -> None:
    """Deliver a message that the model files under this name."""
    worker.json_model.steps = [{**GREETING, "name": name}]
    capture = calling(("classify_and_capture", {"text": text}))
    assert worker.deliver(group_message(number, text), thinks=[capture, thinks]) == 204


def entry_paths(worker: PushedWorker) -> list[str]:
    """The paths of all entries, without tombstones."""
    listed = [one.name for one in worker.store.list("entries/") if one.name.endswith(".md")]
    stored = {name.split("/", 2)[2]: worker.store.read(name) for name in listed if not name.endswith("index.md")}
    return [path for path, one in stored.items() if one is not None and not one.data.startswith(b"{")]


def entry_bytes(worker: PushedWorker) -> str:
    """Every byte of the entries, names included."""
    listed = [one.name for one in worker.store.list("entries/")]
    bodies = (stored.data.decode() for name in listed if (stored := worker.store.read(name)) is not None)
    return " ".join((*listed, *bodies))


def test_filed_entry_is_written_after_the_commit_and_shown_later(worker: PushedWorker) -> None:
    first, second = recorded.event("message-text"), recorded.event("message-location")
    capture = calling(("classify_and_capture", {"text": "こんにちは"}))
    listing = calling(("list_entries", {}))
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "挨拶"}]

    worker.deliver(first, thinks=[capture, HELLO])
    worker.deliver(second, thinks=[listing, HELLO])

    outcome = worker.outcome(first)
    assert (outcome["audit"]["filed_paths"], outcome["audit"]["filed_confidence"]) == (["ideas/挨拶.md"], 0.8)
    assert outcome["writes"] == []  # applied, so the outcome does not repeat them
    assert worker.store.read(f"entries/{recorded.USER}/ideas/挨拶.md") is not None
    assert re.search(r"\| e-[a-z2-7]{6} 挨拶 \|", worker.prompt())
    assert "\n[filed] ideas/挨拶.md" in worker.prompt()
    assert first["message"]["id"] in message_ids(worker.outcome(second))


def test_outcome_names_the_source_of_an_entry_that_a_tool_read(worker: PushedWorker) -> None:
    file_an_entry(worker, 1, "お昼どうする？")
    [entry] = [one for one in worker.store.list("entries/") if one.name.endswith("/お昼.md")]
    stored = worker.store.read(entry.name)
    assert stored is not None
    from_another = stored.data.replace(b"m1", b"m77")

    def file_then_read(_: object) -> ModelResponse:
        assert worker.store.replace(entry.name, from_another, generation=entry.generation)
        return calling(("get_entry", {"path": "ideas/お昼.md"}))

    worker.deliver(group_message(2, "何を覚えてる？"), thinks=[file_then_read, HELLO])

    assert "m77" in message_ids(worker.outcome(group_message(2, "")))


@pytest.mark.parametrize(("command", "shown"), [("/notes", "メモ（1件）：\n[用事]\n・牛乳"), ("/digest", "・牛乳")])
def test_open_entries_are_told_without_the_model_as_long_as_their_message_stands(
    friend: Person, command: str, shown: str
) -> None:
    friend.worker.json_model.steps = [{"category": "admin", "confidence": 0.8, "name": "牛乳"}]
    friend.says("牛乳を買う", calling(("classify_and_capture", {"text": "牛乳を買う"})), HELLO)

    told = friend.says(command)
    assert shown in friend.worker.said[-1]
    friend.worker.withdraw(friend.events.chat_id, "m1")
    friend.says(command)

    assert friend.worker.outcome(told)["text"] is None
    assert "牛乳" not in friend.worker.said[-1]


def test_unsend_removes_the_entry_filed_from_its_message(worker: PushedWorker) -> None:
    event = recorded.event("message-text")
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "挨拶"}]
    worker.deliver(event, thinks=[calling(("classify_and_capture", {"text": "こんにちは"})), HELLO])

    worker.withdraw(recorded.USER, event["message"]["id"])

    assert "挨拶" not in everything_in(worker.store)
    assert "こんにちは" not in everything_in(worker.store)


def test_turn_whose_message_is_withdrawn_meanwhile_files_nothing(worker: PushedWorker) -> None:
    event = recorded.event("message-text")
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "挨拶"}]

    def withdraw_then_answer(_: object) -> ModelResponse:
        worker.withdraw(recorded.USER, event["message"]["id"])
        return HELLO

    worker.deliver(event, thinks=[calling(("classify_and_capture", {"text": "こんにちは"})), withdraw_then_answer])

    assert worker.store.list("entries/") == ()


def test_turn_that_ends_in_an_apology_files_nothing(worker: PushedWorker) -> None:
    event = recorded.event("message-text")
    worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "挨拶"}]

    worker.deliver(event, thinks=[calling(("classify_and_capture", {"text": "x"})), *[unusable("SAFETY")] * 2])

    assert worker.outcome(event)["kind"] == "apologised"
    assert worker.outcome(event)["writes"] == []


def test_redelivered_skipped_message_files_its_entry_once(worker: PushedWorker) -> None:
    file_an_entry(worker, 1, "お昼どうする？", thinks=SKIP)
    assert worker.deliver(group_message(1, "お昼どうする？")) == 204

    assert worker.line.calls == 0
    assert worker.outcome(group_message(1, ""))["kind"] == "skipped"
    assert worker.outcome(group_message(1, ""))["audit"]["filed_paths"][-1:] == ["ideas/お昼.md"]
    assert entry_paths(worker) == ["ideas/お昼.md"]
    worker.deliver(group_message(2, "元気？"), thinks=[HELLO])
    assert "\n[filed] ideas/お昼.md" in worker.prompt()


def test_unsend_removes_the_entry_of_a_skipped_message(worker: PushedWorker) -> None:
    file_an_entry(worker, 1, "お昼どうする？", thinks=SKIP)

    worker.withdraw(recorded.GROUP, "m1", timestamp_ms=START_MS + 2_000)

    assert "お昼" not in everything_in(worker.store)


def test_press_thinks_again_where_the_late_answer_filed_something(worker: PushedWorker) -> None:
    event = recorded.event("message-text", timestamp=START_MS - 50_000)
    worker.json_model.steps = [GREETING, {**GREETING, "name": "昼食"}]

    def wait_for_deferral(_: ModelRequest) -> ModelResponse:
        worker.clock.move(1)
        until_s = time.monotonic() + 10
        while not worker.line.replied:
            assert time.monotonic() < until_s, "nothing was deferred"
            time.sleep(0.01)
        return HELLO

    capture = calling(("classify_and_capture", {"text": "こんにちは"}))
    worker.deliver(event, thinks=[capture, wait_for_deferral], published=AGE_49_9_S)
    assert worker.outcome(event)["kind"] == "deferred"
    assert worker.store.list("entries/") == ()
    assert "お昼" not in everything_in(worker.store)

    pressed = recorded.event("postback", postback={"data": f"late:{event['webhookEventId']}"}, timestamp=START_MS)
    worker.deliver(pressed, thinks=[capture, HELLO])

    assert entry_paths(worker) == ["ideas/昼食.md"]
    assert worker.outcome(pressed)["audit"]["filed_paths"][-1:] == ["ideas/昼食.md"]
    assert worker.said[-1] == "こんにちは！\n\n✓ 記録：「昼食」（アイデア）"


def test_edit_removes_the_entry_filed_from_older_words(worker: PushedWorker) -> None:
    file_an_entry(worker, 1, "暗証番号は4711", name="暗証番号4711")
    file_an_entry(worker, 2, "牛乳を買う", name="牛乳")

    assert worker.deliver(edit_event(1, "やっぱり内緒", at=3)) == 204

    assert entry_paths(worker) == ["ideas/牛乳.md"]
    assert "4711" not in entry_bytes(worker)


def test_entry_from_newer_words_stays_until_the_next_edit(worker: PushedWorker) -> None:
    file_an_entry(worker, 1, "暗証番号は4711", name="暗証番号4711")
    edit = edit_event(1, "暗証番号は1147", at=3)
    worker.deliver(edit)
    worker.json_model.steps = [{**GREETING, "name": "暗証番号1147"}]
    again = calling(("classify_and_capture", {"text": "暗証番号は1147"}))
    worker.deliver(group_message(4, "今の覚えておいて"), thinks=[again, HELLO])
    assert "ideas/暗証番号1147.md" in entry_paths(worker)

    worker.deliver(edit)  # redelivered
    assert "ideas/暗証番号1147.md" in entry_paths(worker)

    worker.deliver(edit_event(1, "内緒", at=5))
    assert entry_paths(worker) == []
    assert "1147" not in entry_bytes(worker)


def test_edit_between_commit_and_writes_leaves_no_older_words(worker: PushedWorker) -> None:
    """At that point no further request is made to the model."""
    worker.line.before = lambda *_: worker.deliver(edit_event(1, "やっぱり内緒", at=3))
    file_an_entry(worker, 1, "暗証番号は4711", name="暗証番号4711")

    assert worker.said == ["こんにちは！\n\n✓ 記録：「暗証番号4711」（アイデア）"]
    assert entry_paths(worker) == []
    assert "4711" not in entry_bytes(worker)


@pytest.mark.parametrize("text", [None, "内緒"], ids=["unsend", "edit"])
def test_amended_words_that_a_tool_returned_reach_no_further_request(text: str | None, worker: PushedWorker) -> None:
    """The prompt holds neither the message nor the entry: a tool returns the words between two requests to the model."""
    worker.json_model.steps = [{"category": "projects", "confidence": 0.8, "name": "暗証番号4711"}]
    capture = calling(("classify_and_capture", {"text": "暗証番号は4711"}))
    worker.deliver(group_message(1, "暗証番号は4711"), thinks=[capture, SKIP])
    path = "projects/暗証番号4711.md"
    done = calling(("update_entry", {"path": path, "updates": {"status": "done"}}))
    worker.deliver(group_message(2, "終わった"), thinks=[done, SKIP])
    for name in ("m1.json", "e1.outcome.json"):
        worker.store.delete(f"journal/{recorded.GROUP}/{name}")
    asks = calling(("get_entry", {"path": path}))

    def amend_then_ask(_: ModelRequest) -> ModelResponse:
        amendment = Amendment(line_message_id="m1", timestamp_ms=START_MS + 3_000, text=text)
        worker.conversations.of(recorded.GROUP).amendments.amend(amendment)
        return asks

    worker.model.requests.clear()
    worker.deliver(group_message(4, "何だっけ"), thinks=[amend_then_ask, asks, HELLO])

    first, again, last = (str(asdict(one)) for one in worker.model.requests)
    assert "4711" not in first
    assert "4711" not in again
    assert f"Entry not found: {path}" in last
    assert "暗証番号は" not in last


@pytest.mark.parametrize("text", [None, "内緒"], ids=["unsend", "edit"])
def test_turn_before_the_removal_from_entries_does_not_see_amended_words(
    text: str | None, worker: PushedWorker
) -> None:
    file_an_entry(worker, 1, "暗証番号は4711", name="暗証番号")
    amendment = Amendment(line_message_id="m1", timestamp_ms=START_MS + 3_000, text=text)
    worker.conversations.of(recorded.GROUP).amendments.amend(amendment)  # and the words are still in the entries
    assert "4711" in entry_bytes(worker)

    calls = calling(("list_entries", {}), ("search_entries", {"query": "暗証"}), ("undo_last_change", {}))
    worker.deliver(group_message(4, "一覧を見せて"), thinks=[calls, HELLO])

    request = str(asdict(worker.model.requests[-1]))
    assert "4711" not in request
    assert EMPTY_INDEX in request
    assert request.count("'total': 0") == 2
    assert "There is nothing to undo." in request


def newest_button(worker: PushedWorker) -> str:
    """Return the data of the newest button: what comes of a picture is filed by a tap."""
    buttons = [one.button for several in worker.line.replied.values() for one in several if one.button]
    return buttons[-1].data


@pytest.mark.parametrize("is_quoted", [True, False])
def test_unsend_of_a_picture_removes_what_was_filed_from_the_answer_about_it(
    worker: PushedWorker, direct: ChatEvents, *, is_quoted: bool
) -> None:
    picture = direct.event("message", message={"type": "image", "contentProvider": {"type": "line"}})
    worker.media.contents[picture["message"]["id"]] = HeldContent(data=b"\xff\xd8 a receipt", content_type="image/jpeg")
    worker.json_model.steps = [{**GREETING, "name": "昼食の合計"}]
    says = calling(("reply", {"message": "レシートの合計は千二百円です"}))
    capture = calling(("classify_and_capture", {"text": "合計は千二百円"}))

    worker.deliver(picture, thinks=[says])
    bubble = worker.outcome(picture)["sent_message_ids"][0]
    saves = direct.text("今の覚えて", **({"quotedMessageId": bubble} if is_quoted else {}))
    worker.deliver(saves, thinks=[capture, HELLO])
    worker.deliver(direct.event("postback", postback={"data": newest_button(worker)}))
    assert entry_paths(worker) == ["ideas/昼食の合計.md"]
    worker.withdraw(direct.chat_id, picture["message"]["id"], timestamp_ms=START_MS + 10_000)

    assert "千二百円" not in entry_bytes(worker)
    assert entry_paths(worker) == []


def test_unsend_of_a_quoted_picture_removes_what_was_filed_from_it(worker: PushedWorker, group: ChatEvents) -> None:
    picture = group.event("message", message={"type": "image", "contentProvider": {"type": "line"}})
    worker.media.contents[picture["message"]["id"]] = HeldContent(data=b"\xff\xd8 a receipt", content_type="image/jpeg")
    worker.json_model.steps = [{**GREETING, "name": "昼食の合計"}]
    capture = calling(("classify_and_capture", {"text": "合計は千二百円"}))

    worker.deliver(picture)
    worker.deliver(group.text("@Aizuchi 覚えて", quotedMessageId=picture["message"]["id"]), thinks=[capture, HELLO])
    worker.deliver(group.event("postback", postback={"data": newest_button(worker)}))
    assert entry_paths(worker) == ["ideas/昼食の合計.md"]
    worker.withdraw(group.chat_id, picture["message"]["id"], timestamp_ms=START_MS + 10_000)

    assert entry_paths(worker) == []


def test_turn_keeps_no_staged_words_once_they_are_written(worker: PushedWorker) -> None:
    person = Person(worker, is_in_group=False)
    person.files("garden")

    turn = worker.conversations.of(person.events.chat_id).turn.read().record

    assert turn.outcome is not None
    assert turn.outcome.writes == ()


def test_a_message_with_digits_of_a_newer_unicode_keeps_nothing_from_being_filed(friend: Person) -> None:
    friend.says("\U0001ccf0\U0001ccf1\U0001ccf2\U0001ccf3", calling(("reply", {"message": "nice"})))

    assert friend.files("door4711")


def test_a_note_that_is_filed_beside_its_reply_takes_one_request(worker: PushedWorker) -> None:
    beside = calling(
        ("classify_and_capture", {"text": "お昼は一時", **GREETING}), ("reply", {"message": "わかりました"})
    )

    worker.deliver(group_message(1, "お昼は一時"), thinks=[beside])

    assert entry_paths(worker) == ["ideas/お昼.md"]
    assert worker.json_model.requests == []
    assert worker.said[-1].startswith("わかりました\n")
    assert "✓" in worker.said[-1]


def test_a_reply_beside_what_falls_into_the_inbox_waits_for_the_result(worker: PushedWorker) -> None:
    unsure = {**GREETING, "confidence": 0.1}
    beside = calling(("classify_and_capture", {"text": "お昼は一時", **unsure}), ("reply", {"message": "わかりました"}))
    asks = calling(("reply", {"message": "何にしますか？"}))

    worker.deliver(group_message(1, "お昼は一時"), thinks=[beside, asks])

    assert worker.said[-1].startswith("何にしますか？")
    assert len(worker.said) == 1


@pytest.mark.parametrize("wrong", [{"category": "ideas"}, {}, {"name": "お昼", "confidence": 0.8}])
def test_the_classifier_is_asked_if_the_caller_did_not_classify(worker: PushedWorker, wrong: dict[str, Any]) -> None:
    worker.json_model.steps = [GREETING]
    beside = calling(("classify_and_capture", {"text": "お昼は一時", **wrong}), ("reply", {"message": "ideas!"}))

    worker.deliver(group_message(1, "お昼は一時"), thinks=[beside, HELLO])

    assert entry_paths(worker) == ["ideas/お昼.md"]
    assert worker.said[-1].startswith(
        "こんにちは！"
    )  # the model had not seen the category when it wrote the first reply


def test_an_entry_in_the_prompt_is_changed_by_its_handle_in_one_request(friend: Person) -> None:
    friend.worker.json_model.steps = [{**GREETING, "category": "admin", "name": "牛乳を買う"}]
    friend.says("牛乳を買う、覚えておいて", calling(("classify_and_capture", {"text": "牛乳を買う"})), HELLO)

    def mark_done(_: ModelRequest) -> ModelResponse:
        (handle,) = re.findall(r"\| (e-[a-z2-7]{6}) ", friend.worker.prompt())
        update = ("update_entry", {"path": handle, "updates": {"status": "done"}})
        return calling(update, ("reply", {"message": "おつかれさま！"}))

    friend.says("牛乳買ったよ", mark_done)

    assert len(friend.worker.model.requests) == 2 + 1
    assert "status: done" in entry_bytes(friend.worker)
    assert "おつかれさま！" in friend.worker.said[-1]
