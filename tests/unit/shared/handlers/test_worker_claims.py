"""Nothing is claimed that was not done: final calls see the results of others, and receipts come from what was committed."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from shared.adapters.memory import FixedClock, MemoryNotion
from shared.adapters.memory.scripted_model import Step, calling, unusable
from shared.agent.model import FunctionResponses, ModelRequest, ModelResponse
from shared.composition.ports import NotionPort
from shared.errors import ModelUnavailableError
from shared.line.phrases import Phrase
from shared.reminders.store import ReminderStore
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.notion import shopping_list
from tests.support.people import Person
from tests.support.phrases import english
from tests.support.pushed import PushedWorker, message_ids

REPLY: Final = ("reply", {"message": "filed as a project"})
CAPTURE: Final = ("classify_and_capture", {"text": "garden work"})
UNSURE: Final = {"category": "projects", "confidence": 0.3, "name": "garden work"}
SURE: Final = {"category": "projects", "confidence": 0.9, "name": "garden work"}


def answered(contents: Sequence[object]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the answers to the calls of the last round, by tool."""
    last = contents[-1]
    assert isinstance(last, FunctionResponses)
    return [(one.call.name, one.response) for one in last.responses]


def test_a_reply_beside_a_capture_waits_for_its_result(friend: Person) -> None:
    worker = friend.worker
    worker.json_model.steps = [UNSURE]

    friend.says("keep: garden work", calling(CAPTURE, REPLY), calling(("reply", {"message": "which is it?"})))

    results = dict(answered(worker.model.requests[-1].contents))
    assert results["classify_and_capture"]["output"]["category"] == "inbox"
    assert "read the results" in results["reply"]["error"]["message"]
    assert worker.said[-1].startswith("which is it?")


def test_a_skip_after_a_write_is_refused_in_a_direct_chat(friend: Person) -> None:
    worker = friend.worker
    worker.json_model.steps = [SURE]

    friend.says("keep: garden work", calling(CAPTURE), calling(("skip", {"reason": "done"})), calling(REPLY))

    assert "has to be told" in dict(answered(worker.model.requests[-1].contents))["skip"]["error"]["message"]
    assert worker.said


def test_a_skip_after_a_write_is_taken_in_a_group(member: Person) -> None:
    member.worker.json_model.steps = [SURE]

    event = member.says("@Aizuchi keep: garden work", calling(CAPTURE), calling(("skip", {"reason": "done"})))

    assert member.worker.outcome(event)["kind"] == "skipped"


def test_a_deletion_is_told_in_a_group_too(member: Person) -> None:
    member.files("lunch")
    deletes = calling(("delete_entry", {"path": "ideas/lunch.md"}))

    event = member.asks(
        "delete lunch, and say nothing", deletes, calling(("skip", {"reason": "asked to"})), calling(REPLY)
    )

    assert member.worker.outcome(event)["text"].endswith("✓ Deleted: “lunch”")


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("forget_fact", {"path": "ideas/lunch.md", "fact": "at noon"}, "✓ Changed: “lunch” (ideas)"),
        ("update_entry", {"path": "ideas/lunch.md", "updates": {"content": ""}}, "✓ Changed: “lunch” (ideas)"),
    ],
)
def test_words_of_others_that_go_from_an_entry_are_told_in_a_group_too(
    member: Person, tool: str, arguments: dict[str, object], told: str
) -> None:
    member.files("lunch")
    notes = calling(("update_entry", {"path": "ideas/lunch.md", "updates": {"note": "at noon"}}))
    member.asks("lunch is at noon", notes, calling(REPLY))

    event = member.asks(
        "away with that, and say nothing",
        calling((tool, arguments)),
        calling(("skip", {"reason": "asked to"})),
        calling(REPLY),
        by="U" + "9" * 32,
    )

    assert told in member.worker.outcome(event)["text"]


@pytest.mark.parametrize(
    ("tool", "arguments"), [("cancel_reminder", {}), ("change_reminder", {"at": "2026-11-21T09:00"})]
)
def test_a_cancelled_or_changed_reminder_is_told_in_a_group_too(
    member: Person, tool: str, arguments: dict[str, object]
) -> None:
    member.worker.line.members = {member.events.chat_id: 3}
    sets = calling(("create_reminder", {"text": "pay the rent", "at": "2025-11-30T09:00"}))
    member.asks("remind us", sets, calling(REPLY))
    (reminder,) = ReminderStore(member.worker.conversations.of(member.events.chat_id)).read_all()
    destroys = calling((tool, {"id": reminder.id, **arguments}))

    event = member.asks(
        "away with it, and say nothing", destroys, calling(("skip", {"reason": "asked to"})), calling(REPLY)
    )

    assert "“pay the rent”" in member.worker.outcome(event)["text"]


def test_the_receipt_tells_what_was_done_whatever_the_model_says(friend: Person) -> None:
    friend.worker.json_model.steps = [UNSURE]

    event = friend.says("keep: garden work", calling(CAPTURE), calling(REPLY))

    assert friend.worker.outcome(event)["text"] == "filed as a project\n\n✓ Filed: “garden work” (inbox)"


def test_what_is_undone_within_the_turn_is_on_no_receipt(friend: Person) -> None:
    friend.worker.json_model.steps = [SURE]

    event = friend.says("never mind", calling(CAPTURE), calling(("undo_last_change", {})), calling(REPLY))

    assert friend.worker.outcome(event)["text"] == "filed as a project"


def test_a_move_and_a_deletion_are_on_the_receipt(friend: Person) -> None:
    friend.files("lunch")
    moves = calling(("move_entry", {"path": "ideas/lunch.md", "targetCategory": "admin"}))

    moved = friend.says("a task", moves, calling(REPLY))
    deleted = friend.says("delete", calling(("delete_entry", {"path": "admin/lunch.md"})), calling(REPLY))

    assert friend.worker.outcome(moved)["text"].endswith("✓ Moved: “lunch” (tasks)")
    assert friend.worker.outcome(deleted)["text"].endswith("✓ Deleted: “lunch”")


def test_a_category_that_the_person_names_decides_whatever_the_model_thinks(friend: Person) -> None:
    friend.worker.json_model.steps = [{"category": "ideas", "confidence": 0.2, "name": "garden"}]

    event = friend.says("[project] garden", calling(("classify_and_capture", {"text": "garden"})), calling(REPLY))

    assert friend.worker.outcome(event)["audit"]["filed_paths"][-1:] == ["projects/garden.md"]


def test_every_capture_of_a_turn_is_shown_later(friend: Person) -> None:
    friend.worker.json_model.steps = [SURE, {**SURE, "name": "pond", "category": "ideas"}]
    friend.says("garden, pond", calling(CAPTURE), calling(("classify_and_capture", {"text": "pond"})), calling(REPLY))

    friend.says("hello", calling(REPLY))

    assert "[filed] projects/garden-work.md, ideas/pond.md" in friend.worker.prompt()


def test_a_path_that_does_not_exist_may_be_mended(friend: Person) -> None:
    updates = calling(("update_entry", {"path": "ideas/x.md", "updates": {"note": "y"}}))
    friend.says("done", updates, calling(("reply", {"message": "I know no such note"})))

    error = dict(answered(friend.worker.model.requests[-1].contents))["update_entry"]["error"]
    assert error["may_retry"]


@pytest.mark.parametrize(
    ("words", "answer", "receipt"),
    [
        ("庭の工事、覚えておいて", "メモしました", "✓ 記録：「garden work」（プロジェクト）"),
        ("記得買牛奶", "好的，記下了", "✓ 已記下：「garden work」（專案）"),
        ("garden work", "好的，記下了", "✓ 已記下：「garden work」（專案）"),
        ("garden work", "จดไว้แล้วครับ", "✓ บันทึก: “garden work” (โครงการ)"),
        ("庭の工事、覚えておいて", "OK", "✓ 記録：「garden work」（プロジェクト）"),
    ],
)
def test_a_receipt_is_in_the_language_of_the_answer(friend: Person, words: str, answer: str, receipt: str) -> None:
    friend.worker.json_model.steps = [SURE]

    filed = friend.says(words, calling(CAPTURE), calling(("reply", {"message": answer})))

    assert friend.worker.outcome(filed)["text"].endswith(receipt)


def test_a_word_and_an_emoji_get_the_language_of_earlier_messages(friend: Person) -> None:
    friend.says("明天的行程是什麼？", calling(("reply", {"message": "沒有行程"})))
    friend.worker.json_model.steps = [SURE]

    filed = friend.says("milk🥛", calling(CAPTURE), calling(("reply", {"message": "OK"})))

    assert friend.worker.outcome(filed)["text"].endswith("✓ 已記下：「garden work」（專案）")


@pytest.mark.parametrize(
    "retyped", ["", "こんにちは。\n\n【今日のトップ3】\n・garden work\n\nこのまま返信すると、書きとめます。"]
)
def test_a_digest_is_attached_by_code_in_the_language_of_the_answer(friend: Person, retyped: str) -> None:
    friend.worker.json_model.steps = [SURE]
    friend.says("keep: garden work", calling(CAPTURE), calling(REPLY))
    digests = calling(("generate_digest", {"type": "daily"}))

    asked = friend.says("my daily digest", digests, calling(("reply", {"message": f"どうぞ。\n{retyped}"})))

    text = friend.worker.outcome(asked)["text"]
    assert text.startswith("どうぞ。\n\n")
    assert text.count("今日のトップ3") == 1
    assert "Top 3" not in text


@pytest.fixture
def shopper(pool: ThreadPoolExecutor) -> Person:
    """A person whose chat may write to Notion."""
    notion = MemoryNotion(FixedClock())
    databases = {"shopping": notion.add_database(shopping_list())}
    port = NotionPort(api=notion, databases=databases, conversations=None)
    return Person(PushedWorker(pool, notion=port), is_in_group=False)


DOWN: Final[list[Step]] = [ModelUnavailableError("503")] * 3
BUYS: Final = calling(("create_page", {"database_name": "shopping", "title": "milk"}))


@pytest.mark.parametrize(
    ("fails", "phrase"),
    [
        (DOWN, Phrase.APOLOGY_BUSY),
        ([unusable("SAFETY")] * 3, Phrase.APOLOGY_REFUSED),
        ([calling(("reply", {"message": "\u3000"}))] * 2, Phrase.APOLOGY_BUSY),
    ],
)
def test_an_apology_after_a_write_outside_tells_what_was_done(
    shopper: Person, fails: list[Step], phrase: Phrase
) -> None:
    event = shopper.says("add milk to the shopping list", BUYS, *fails)

    outcome = shopper.worker.outcome(event)
    assert outcome["kind"] == "apologised"
    assert outcome["text"] == f"{english(phrase)}\n\n✓ Added to Notion: “milk”"
    assert message_ids(outcome) == {"m1"}


def test_an_apology_tells_nothing_of_entries_that_were_not_committed(friend: Person) -> None:
    friend.worker.json_model.steps = [SURE]

    event = friend.says("keep: garden work", calling(CAPTURE), *DOWN)

    assert friend.worker.outcome(event)["text"] == english(Phrase.APOLOGY_BUSY)


def test_an_unsend_takes_the_receipt_of_an_apology(shopper: Person) -> None:
    shopper.says("add milk to the shopping list", BUYS, *DOWN)

    shopper.worker.withdraw(recorded.USER, "m1")

    assert "milk" not in everything_in(shopper.worker.store)


def test_a_receipt_of_a_message_that_is_withdrawn_meanwhile_is_not_sent(shopper: Person) -> None:
    def withdraw_then_fail(_: ModelRequest) -> ModelResponse:
        shopper.worker.withdraw(recorded.USER, "m1")
        raise ModelUnavailableError("503", retry_after_s=3_600)

    shopper.says("add milk to the shopping list", BUYS, withdraw_then_fail)

    assert shopper.worker.said == []
    assert "milk" not in everything_in(shopper.worker.store)


@pytest.mark.parametrize("mark", ["✓", "☐", "✔", "✅", " ☑"])
def test_the_model_cannot_write_a_receipt(friend: Person, mark: str) -> None:
    forged = f"all right\n{mark} Deleted: everything"

    event = friend.says("delete it all", calling(("reply", {"message": forged})))

    assert friend.worker.outcome(event)["text"].splitlines()[1].strip() == "- Deleted: everything"


def test_words_that_are_taken_back_meanwhile_are_not_classified(friend: Person) -> None:
    def captures(_: ModelRequest) -> ModelResponse:
        friend.worker.withdraw(recorded.USER, "m1")
        return calling(CAPTURE)

    friend.says("keep: garden work", calling(("list_entries", {})), captures)

    assert friend.worker.json_model.requests == []
    assert "garden" not in everything_in(friend.worker.store)


WRONG_DAY: Final = calling(("reply", {"message": "会議は12月2日(月)です。"}))


def test_a_reply_with_a_wrong_weekday_is_asked_for_once_more(friend: Person) -> None:
    friend.says("会議はいつ？", WRONG_DAY, calling(("reply", {"message": "会議は12月2日(火)です。"})))

    assert friend.worker.said == ["会議は12月2日(火)です。"]
    assert "Monday beside 2025-12-02, which is a Tuesday" in friend.worker.prompt()


@pytest.mark.parametrize("second", [WRONG_DAY, ModelUnavailableError("down")])
def test_a_reply_with_a_wrong_weekday_is_sent_if_there_is_no_better_one(friend: Person, second: Step) -> None:
    friend.says("会議はいつ？", WRONG_DAY, second)

    assert friend.worker.said == ["会議は12月2日(月)です。"]


def test_a_change_at_the_path_before_a_move_of_the_same_round_is_carried_out(friend: Person) -> None:
    friend.files("podcast")
    moves = ("move_entry", {"path": "ideas/podcast.md", "targetCategory": "projects"})
    changes = ("update_entry", {"path": "ideas/podcast.md", "updates": {"next_action": "buy a mic"}})

    asked = friend.says(
        "make the podcast a project, next step: buy a mic", calling(moves, changes, REPLY), calling(REPLY)
    )

    entry = friend.worker.conversations.of(friend.events.chat_id).names.entry("projects/podcast.md")
    stored = friend.worker.store.read(entry)
    assert stored is not None
    assert b"buy a mic" in stored.data
    assert friend.worker.outcome(asked)["text"].endswith("✓ Moved: “podcast” (projects)")


FAILS: Final = ("update_entry", {"path": "ideas/missing.md", "updates": {"note": "x"}})
CALLED_DONE: Final = calling(("reply", {"message": "変更しました。"}))


def test_a_change_that_failed_is_not_called_done(friend: Person) -> None:
    friend.says("メモを変えて", calling(FAILS), CALLED_DONE, calling(("reply", {"message": "見つかりませんでした。"})))

    assert friend.worker.said == ["見つかりませんでした。"]
    assert "answered with an error" in friend.worker.prompt()


def test_a_change_that_succeeds_at_the_second_call_is_called_done(friend: Person) -> None:
    friend.files("podcast")
    changes = ("update_entry", {"path": "ideas/podcast.md", "updates": {"note": "x"}})

    friend.says("メモを変えて", calling(FAILS), calling(changes), CALLED_DONE)

    assert friend.worker.said[-1].startswith("変更しました。")
