"""`/catchup` sums up what its sender missed, whatever the model would choose, and holds nothing that was taken back."""

import datetime as dt
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from shared.adapters.memory.scripted_model import Step, calling, unusable
from shared.agent.model import ModelRequest, ModelResponse
from shared.agent.recall_request import SPAN_MESSAGES
from shared.conversation.records import MessageRecord
from shared.conversation.snapshot import MemoryLimits
from shared.line.addressing import GroupPolicy
from shared.line.messaging import ReplyToken
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.people import START_MS, ChatEvents, Person
from tests.support.pushed import PushedWorker
from tests.unit.shared.handlers.conftest import YUKI
from tests.unit.shared.handlers.test_worker_recall import DAY_MS, archive

KENJI: Final = "U" + "2" * 32
_PROBED: Final = 12
"""Steps for the search after an answer for what is blocked."""
SUM_UP: Final = calling(("reply", {"message": "Kenji took the inn."}))


@pytest.fixture(autouse=True)
def people(worker: PushedWorker) -> None:
    worker.profiles.names = {YUKI: "Yuki", KENJI: "Kenji"}


def said(number: int, text: str, *, by: str = KENJI, at_ms: int) -> MessageRecord:
    return MessageRecord(
        line_message_id=f"old{number}",
        webhook_event_id=f"oldevent{number}",
        timestamp_ms=at_ms,
        type="text",
        addressed=False,
        text=text,
        user_id=by,
    )


def missed(worker: PushedWorker, group: ChatEvents, thinks: Sequence[Step] = (SUM_UP,), text: str = "/catchup") -> str:
    """Deliver the command; return the last prompt."""
    assert worker.deliver(group.text(text), thinks=thinks) == 204
    return worker.prompt()


def test_the_model_is_asked_for_a_reply_and_nothing_else(worker: PushedWorker, group: ChatEvents) -> None:
    missed(worker, group)

    assert worker.model.requests[-1].allowed == ("reply",)
    assert worker.said == ["Kenji took the inn."]


def test_a_model_that_calls_something_else_is_refused(friend: Person) -> None:
    entry = friend.files("lunch")

    friend.says("/catchup", calling(("delete_entry", {"path": "ideas/lunch.md"})), SUM_UP)

    stored = friend.worker.store.read(entry)
    assert stored is not None
    assert stored.data.startswith(b"---")


def test_it_needs_no_mention_and_no_tool_call(worker: PushedWorker, group: ChatEvents) -> None:
    archive(
        worker,
        said(1, "before", at_ms=START_MS - 3 * DAY_MS),
        said(2, "see you", by=YUKI, at_ms=START_MS - 2 * DAY_MS),
        said(3, "we take the inn", at_ms=START_MS - DAY_MS),
    )

    prompt = missed(worker, group, text="／ｃａｔｃｈｕｐ").partition("/catchup what they missed")[2]

    assert "since 2025-11-19 13:40, when they spoke last" in prompt
    assert "[Kenji | 2025-11-20 13:40] we take the inn" in prompt
    assert "before" not in prompt.partition("[")[2]
    assert len(worker.model.requests) == 1


def test_it_works_where_the_bot_follows_commands_only(pool: ThreadPoolExecutor, group: ChatEvents) -> None:
    worker = PushedWorker(pool, group_policy=GroupPolicy.OFF)

    missed(worker, group)

    assert worker.said == ["Kenji took the inn."]


def keep_command(worker: PushedWorker, group: ChatEvents, *, by: str = YUKI) -> None:
    """Another delivery has recorded `/catchup`, and waits."""
    command = group.text("/catchup", by=by)
    record = MessageRecord(
        line_message_id=command["message"]["id"],
        webhook_event_id=command["webhookEventId"],
        timestamp_ms=command["timestamp"],
        type="text",
        addressed=True,
        text="/catchup",
        user_id=by,
        reply_token=ReplyToken(value=command["replyToken"], received_ms=command["timestamp"]),
    )
    worker.conversations.of(recorded.GROUP).journal.keep(record)


def test_beside_another_question_the_model_may_do_what_that_asks_for(worker: PushedWorker, group: ChatEvents) -> None:
    question = group.text("@Aizuchi and file this: milk")
    keep_command(worker, group)

    assert worker.deliver(question, thinks=[SUM_UP]) == 204

    assert worker.model.requests[-1].allowed == ()
    assert "what they missed" in worker.prompt()


def test_beside_a_question_of_another_person_it_goes_back_to_when_its_own_sender_spoke_last(
    worker: PushedWorker, group: ChatEvents
) -> None:
    archive(
        worker,
        said(1, "see you", by=YUKI, at_ms=START_MS - 2 * DAY_MS),
        said(2, "we take the inn", at_ms=START_MS - DAY_MS),
    )
    keep_command(worker, group)

    assert worker.deliver(group.text("@Aizuchi hello", by=KENJI), thinks=[SUM_UP]) == 204

    assert "since 2025-11-19 13:40, when they spoke last" in worker.prompt()


def test_where_two_people_ask_it_goes_back_to_when_the_first_of_them_spoke_last(
    worker: PushedWorker, group: ChatEvents
) -> None:
    archive(
        worker,
        said(1, "see you", by=YUKI, at_ms=START_MS - 2 * DAY_MS),
        said(2, "we take the inn", at_ms=START_MS - DAY_MS),
    )
    keep_command(worker, group)

    assert worker.deliver(group.text("/catchup", by=KENJI), thinks=[SUM_UP]) == 204

    assert "since 2025-11-19 13:40, when they spoke last" in worker.prompt()


def test_the_answer_may_be_longer_than_others(worker: PushedWorker, group: ChatEvents) -> None:
    long = " ".join(f"Kenji said thing {number}." for number in range(60))

    missed(worker, group, [calling(("reply", {"message": long}))])

    assert " ".join(" ".join(worker.said).split()) == long


def test_the_answer_stays_in_the_conversation_however_much_it_sums_up(
    pool: ThreadPoolExecutor, group: ChatEvents
) -> None:
    worker = PushedWorker(pool, memory=MemoryLimits(journalled=1))
    worker.profiles.names = {YUKI: "Yuki", KENJI: "Kenji"}
    archive(worker, *(said(n, f"word{n}", at_ms=START_MS - DAY_MS + n) for n in range(1, SPAN_MESSAGES + 100)))
    missed(worker, group)

    for text in ("@Aizuchi thanks", "@Aizuchi which inn?"):  # the first of these is answered, then the chat is folded
        assert worker.deliver(group.text(text), thinks=[SUM_UP]) == 204

    conversation = worker.conversations.of(recorded.GROUP)
    assert conversation.snapshot.read().record.outcomes[0].text == "Kenji took the inn."
    assert worker.prompt().count("Kenji took the inn.") == 2


def test_nothing_of_what_is_unsent_during_a_catch_up_is_anywhere(worker: PushedWorker, group: ChatEvents) -> None:
    words = [f"word{number}x" for number in range(500)]
    archive(worker, *(said(n, f"{word} is here", at_ms=START_MS - DAY_MS + n) for n, word in enumerate(words)))
    unsent = (7, 250, 499)

    def repeats(request: ModelRequest) -> ModelResponse:
        text = " ".join(text for content in request.contents for text in getattr(content, "texts", ()))
        return calling(("reply", {"message": " ".join(word for word in words if f" {word} " in f" {text} ")[:1_400]}))

    def unsends(request: ModelRequest) -> ModelResponse:
        for number in unsent:
            worker.withdraw(recorded.GROUP, f"old{number}")
        return repeats(request)

    prompt = missed(worker, group, [unsends, repeats])

    gone = [f"word{number}x" for number in unsent]
    assert not [word for word in gone if word in prompt]
    assert not [word for word in gone if word in " ".join(worker.said)]
    assert not [word for word in gone if word in everything_in(worker.store)]
    assert "word8x" in prompt


def blocking(word: str) -> Step:
    """Return a step that refuses a prompt with the word, and sums up any other."""

    def step(request: ModelRequest) -> ModelResponse:
        held = [text for content in request.contents for text in getattr(content, "texts", ())]
        return unusable("", block_reason="PROHIBITED_CONTENT") if any(word in text for text in held) else SUM_UP

    return step


def hears(worker: PushedWorker, group: ChatEvents, text: str, *, by: str, hours_ago: int) -> None:
    """A message that is not for the bot was sent in the group so long ago."""
    sent_ms = START_MS - hours_ago * 3_600_000
    published = dt.datetime.fromtimestamp(sent_ms / 1_000, dt.UTC).isoformat()
    assert worker.deliver({**group.text(text, by=by), "timestamp": sent_ms}, published=published) == 204


def test_a_blocked_word_elsewhere_in_the_chat_leaves_what_was_missed(worker: PushedWorker, group: ChatEvents) -> None:
    hears(worker, group, "a curse", by=YUKI, hours_ago=3)
    hears(worker, group, "see you", by=YUKI, hours_ago=2)
    hears(worker, group, "we take the inn", by=KENJI, hours_ago=1)

    missed(worker, group, [blocking("curse")] * _PROBED)

    assert "a curse" in worker.prompt(0)
    assert "we take the inn" in worker.prompt(1)
    assert "a curse" not in worker.prompt(1)
    assert worker.said == ["Kenji took the inn."]


def test_where_a_missed_line_is_blocked_the_model_says_that_it_cannot_be_read(
    worker: PushedWorker, group: ChatEvents
) -> None:
    hears(worker, group, "see you", by=YUKI, hours_ago=2)
    hears(worker, group, "a curse", by=KENJI, hours_ago=1)

    missed(worker, group, [blocking("curse")] * _PROBED)

    assert "cannot be read this time: say so" in worker.prompt(2)
    assert worker.said == ["Kenji took the inn."]
