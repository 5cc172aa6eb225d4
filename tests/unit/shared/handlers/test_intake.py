"""Which messages address the bot, and what is stored of them."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.line.mentions import GroupPolicy
from shared.line.phrases import Phrase
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.people import ChatEvents
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker

HELLO = calling(("reply", {"message": "こんにちは！"}))
KENJI = "U" + "2" * 32


def test_in_a_group_only_addressed_messages_are_answered(worker: PushedWorker) -> None:
    assert worker.deliver(recorded.event("message-text-in-group")) == 204
    assert worker.line.calls == 0

    worker.deliver(recorded.event("message-text-mentioning-the-bot"), thinks=[HELLO])
    assert worker.said == ["こんにちは！"]
    assert "お昼どうする？" in worker.prompt()


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
