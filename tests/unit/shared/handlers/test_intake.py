"""Which messages address the bot, and what is stored of them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.memory import MemoryLineApi
from shared.adapters.memory.scripted_model import calling
from shared.conversation.journal import JournalListing
from shared.conversation.store import Conversations
from shared.handlers.intake import Intake
from shared.line.addressing import GroupPolicy
from shared.line.bot_name import BotName
from shared.line.commands import Command
from shared.line.events import LineEvent, MessageContent
from shared.line.phrases import Phrase
from shared.line.postback_data import AnswerButton, AnswerPress
from tests.support import recorded
from tests.support.chats import answer, everything_in, reader
from tests.support.parsing import parse_event
from tests.support.people import ChatEvents
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker

HELLO = calling(("reply", {"message": "こんにちは！"}))
PRESS = AnswerPress(button=AnswerButton.SHOW, answer_id="d1")
KENJI = "U" + "2" * 32


def test_in_a_group_only_addressed_messages_are_answered(worker: PushedWorker) -> None:
    assert worker.deliver(recorded.event("message-text-in-group")) == 204
    assert worker.line.calls == 0

    worker.deliver(recorded.event("message-text-mentioning-the-bot"), thinks=[HELLO])
    assert worker.said == ["こんにちは！"]
    assert "お昼どうする？" in worker.prompt()


@pytest.mark.parametrize("text", ["アイズチ、元気？", "あいずちさん、元気？", "@アイズチ 元気？"])
def test_a_name_in_another_script_addresses_the_bot_too(pool: ThreadPoolExecutor, group: ChatEvents, text: str) -> None:
    worker = PushedWorker(pool, bot_name="Aizuchi,アイズチ,あいずち")

    worker.deliver(group.text(text), thinks=[HELLO])

    assert worker.said == ["こんにちは！"]
    assert worker.prompt().endswith("] 元気？")


@pytest.mark.parametrize(("text", "is_help"), [("Aizuchi、ヘルプ", True), ("ヘルプ", False)])
def test_in_a_group_the_help_without_a_slash_needs_the_bots_name(
    worker: PushedWorker, group: ChatEvents, text: str, *, is_help: bool
) -> None:
    worker.deliver(group.text(text))

    assert worker.said == ([japanese(Phrase.HELP_GROUP)] if is_help else [])


@pytest.mark.parametrize("text", ["@Aizuchi 元気？", "Aizuchi、元気？", "＠Ａｉｚｕｃｈｉ 元気？"])
def test_mention_or_name_addresses_the_bot_and_is_not_stored(
    worker: PushedWorker, group: ChatEvents, text: str
) -> None:
    event = group.text(text)

    worker.deliver(event, thinks=[HELLO])

    assert worker.said == ["こんにちは！"]
    assert worker.prompt().endswith("] 元気？")
    assert "izuchi" not in everything_in(worker.store)


def test_mention_of_all_does_not_address_the_bot(worker: PushedWorker, group: ChatEvents) -> None:
    mention_of_all: Any = {"mention": {"mentionees": [{"index": 0, "length": 4, "type": "all"}]}}

    worker.deliver(group.text("@All 集合", **mention_of_all))

    assert worker.model.requests == []


def test_quote_of_the_bot_addresses_it(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("@Aizuchi 元気？"), thinks=[HELLO])
    bubble = worker.outcome(group.event("", webhookEventId="event1"))["sent_message_ids"][0]

    worker.deliver(group.text("それで？", quotedMessageId=bubble), thinks=[HELLO])

    assert len(worker.said) == 2
    assert worker.prompt().endswith('] 引用メッセージ: "こんにちは！"\n質問: それで？')


def test_quote_of_a_member_does_not_address_the_bot(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("十時に駅で"))

    worker.deliver(group.text("了解", by=KENJI, quotedMessageId="m1"))

    assert worker.model.requests == []


def test_policy_off_answers_only_commands_in_groups(pool: ThreadPoolExecutor, group: ChatEvents) -> None:
    worker = PushedWorker(pool, group_policy=GroupPolicy.OFF)

    worker.deliver(group.text("@Aizuchi 元気？"))
    assert worker.line.calls == 0

    worker.deliver(group.text("/help"))
    assert worker.said == [japanese(Phrase.HELP_GROUP)]


def test_message_that_quotes_is_recorded_before_the_chat_is_read(worker: PushedWorker, group: ChatEvents) -> None:
    conversation = worker.conversations.of(recorded.GROUP)
    worker.store.create(conversation.names.snapshot, b"{")
    event = group.text("それで？", quotedMessageId="573999")

    assert worker.deliver(event) == 500

    assert conversation.journal.message_of("m1") is not None


def test_quoting_message_of_a_worker_that_died_is_answered_by_the_next_delivery(
    worker: PushedWorker, group: ChatEvents
) -> None:
    worker.deliver(group.text("@Aizuchi 元気？"), thinks=[HELLO])
    bubble = worker.outcome(group.event("", webhookEventId="event1"))["sent_message_ids"][0]
    event = group.text("それで？", quotedMessageId=bubble)
    snapshot = worker.conversations.of(recorded.GROUP).names.snapshot
    worker.store.create(snapshot, b"{")
    assert worker.deliver(event) == 500  # after the record
    worker.store.delete(snapshot)

    worker.deliver(event, thinks=[HELLO])

    assert len(worker.said) == 2


@pytest.fixture
def intake() -> Intake:
    return Intake(
        reader=reader(),
        policy=GroupPolicy.MENTION,
        bot_name=BotName(account=MemoryLineApi(), configured="Aizuchi"),
    )


def content_of(event: dict[str, Any]) -> tuple[LineEvent, MessageContent]:
    parsed = parse_event(event, received_ms=event["timestamp"] + 7)
    assert parsed.message is not None
    return parsed, parsed.message


@pytest.mark.parametrize(
    ("image_set", "kept"),
    [
        ({"id": "SET", "index": 1, "total": 3}, ("SET", 3)),
        ({"id": "SET", "index": 1, "total": 1}, ("SET", 1)),
        ({"id": "SET", "total": 0}, ("SET", 0)),
        ({"id": "SET", "total": -1}, ("SET", 0)),
        ({"id": "SET", "total": True}, ("SET", 0)),
        ({"id": "SET", "total": "3"}, ("SET", 0)),
        ({"id": "SET"}, ("SET", 0)),
        ({"id": "../x", "total": 3}, (None, 0)),
        ({"id": 7, "total": 3}, (None, 0)),
        ({"total": 3}, (None, 0)),
        ("SET", (None, 0)),
        (None, (None, 0)),
    ],
)
def test_an_image_belongs_to_the_set_that_line_tells(
    intake: Intake, direct: ChatEvents, image_set: object, kept: tuple[str | None, int]
) -> None:
    image = direct.event("message", message={"type": "image", "imageSet": image_set})

    record = intake.message(*content_of(image))

    assert (record.image_set_id, record.image_set_size) == kept


def test_quote_tokens_are_kept_in_groups_only(intake: Intake, direct: ChatEvents, group: ChatEvents) -> None:
    records = [intake.message(*content_of(chat.text("hi"))) for chat in (direct, group)]

    assert [one.quote_token for one in records] == [None, "quote1"]


def test_a_message_keeps_its_token_and_when_it_came(intake: Intake, direct: ChatEvents) -> None:
    event, content = content_of(direct.text("hi"))

    record = intake.message(event, content)

    assert record.reply_token is event.reply_token
    assert (record.timestamp_ms, event.received_ms) == (event.timestamp_ms, event.timestamp_ms + 7)


def test_a_standby_event_has_no_token_and_is_no_command(intake: Intake, direct: ChatEvents) -> None:
    event, content = content_of({**direct.text("/help"), "mode": "standby"})

    assert intake.message(event, content).reply_token is None
    assert intake.press(event, PRESS).reply_token is None
    assert intake.command(event, content) is None
    assert intake.command(*content_of(direct.text("/help"))) is Command.HELP


def test_a_press_is_addressed_and_goes_by_its_event(intake: Intake, group: ChatEvents) -> None:
    event = parse_event(group.event("postback", postback={"data": "x"}), received_ms=5)

    record = intake.press(event, PRESS)

    assert (record.line_message_id, record.type) == ("event1", "postback")
    assert (record.presses, record.button) == ("d1", AnswerButton.SHOW)
    assert record.addressed
    assert record.text == ""
    assert record.reply_token == event.reply_token


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"type": "text", "text": "Aizuchi、元気？"}, "元気？"),
        ({"type": "text", "text": "元気？"}, "元気？"),
        ({"type": "image", "text": "Aizuchi、元気？"}, "[image]"),
    ],
)
def test_an_edited_text_loses_the_name_of_the_bot(
    intake: Intake, group: ChatEvents, message: dict[str, Any], words: str
) -> None:
    assert intake.edited_words(*content_of(group.event("message", message=message))) == words


def test_alone_with_the_bot_its_name_is_part_of_the_words(intake: Intake, direct: ChatEvents) -> None:
    event, content = content_of(direct.text("Aizuchi、元気？"))

    assert intake.message(event, content).text == "Aizuchi、元気？"
    assert intake.message(event, content).addressed


@pytest.mark.parametrize(
    ("policy", "text"), [(GroupPolicy.MENTION, "ねえAizuchi、元気？"), (GroupPolicy.OFF, "Aizuchi、元気？")]
)
def test_a_text_that_does_not_address_the_bot_is_kept_as_it_is(
    intake: Intake, group: ChatEvents, policy: GroupPolicy, text: str
) -> None:
    record = replace(intake, policy=policy).message(*content_of(group.text(text)))

    assert record.text == text
    assert not record.addressed


@pytest.mark.parametrize("quoted_id", ["b1", "m9"], ids=["the bot", "a member"])
def test_a_quoting_message_is_recorded_and_addresses_the_bot_whose_words_it_quotes(
    intake: Intake, group: ChatEvents, conversations: Conversations, quoted_id: str
) -> None:
    chat = conversations.of(recorded.GROUP)
    chat.journal.record_outcome(replace(answer(1), sent_message_ids=("b1",)))
    event, content = content_of(group.text("それで？", quotedMessageId=quoted_id))

    record = intake.record_quote(chat, event, intake.message(event, content))

    assert record.addressed is (quoted_id == "b1")
    assert chat.journal.message_of("m1") == record


def test_a_quote_of_the_bot_stays_addressed_once_the_quoted_answer_has_left_memory(
    intake: Intake, group: ChatEvents, conversations: Conversations
) -> None:
    chat = conversations.of(recorded.GROUP)
    event, content = content_of(group.text("それで？", quotedMessageId="b1"))
    chat.journal.keep(intake.message(event, content))
    chat.journal.mark_as_addressed("m1")

    record = intake.record_quote(chat, event, intake.message(event, content))

    assert record.addressed


@pytest.mark.parametrize("policy", [GroupPolicy.MENTION, GroupPolicy.OFF])
def test_the_chat_is_not_read_for_a_message_that_no_quote_can_address(
    intake: Intake, group: ChatEvents, direct: ChatEvents, conversations: Conversations, policy: GroupPolicy
) -> None:
    quoting = {"quotedMessageId": "b1"}
    by_policy = [group.text("hi", **quoting)] if policy is GroupPolicy.OFF else [group.text("hi")]
    for event in (*by_policy, group.text("@Aizuchi hi"), direct.text("hi", **quoting)):
        parsed, content = content_of(event)
        chat = conversations.of(parsed.conversation_id)
        message = replace(intake, policy=policy).message(parsed, content)

        assert replace(intake, policy=policy).record_quote(chat, parsed, message) is message
        assert chat.journal.list_objects() == JournalListing()
