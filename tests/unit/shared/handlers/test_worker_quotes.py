"""Quotes: what the model reads of a quoted message, and what the answer quotes."""

from shared.adapters.memory.scripted_model import calling
from shared.agent.model import ModelResponse
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.people import ChatEvents
from tests.support.pushed import PushedWorker

HELLO = calling(("reply", {"message": "こんにちは！"}))
KENJI = "U" + "2" * 32


def test_quoted_text_is_in_the_prompt_and_only_its_id_stored(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("十時に駅で"))

    worker.deliver(group.text("@Aizuchi どこ？", by=KENJI, quotedMessageId="m1"), thinks=[HELLO])

    assert '引用メッセージ: "十時に駅で"\n質問: どこ？' in worker.prompt()
    assert everything_in(worker.store).count("十時に駅で") == 1


def test_quote_of_a_withdrawn_message_says_so(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("十時に駅で"))
    worker.withdraw(recorded.GROUP, "m1")

    worker.deliver(group.text("@Aizuchi どこ？", quotedMessageId="m1"), thinks=[HELLO])

    assert "引用メッセージ: 取り消されました\n質問: どこ？" in worker.prompt()


def test_quote_of_an_unknown_message_says_so(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("@Aizuchi どこ？", quotedMessageId="573999"), thinks=[HELLO])

    assert "引用メッセージ: 見つかりません\n質問: どこ？" in worker.prompt()
    assert worker.said == ["こんにちは！"]


def test_quoted_message_withdrawn_while_the_model_thinks_is_not_repeated(
    worker: PushedWorker, group: ChatEvents
) -> None:
    worker.deliver(group.text("暗証番号は4711"))

    def withdraw_then_answer(_: object) -> ModelResponse:
        worker.withdraw(recorded.GROUP, "m1")
        return calling(("reply", {"message": "4711です"}))

    worker.deliver(group.text("@Aizuchi 何番？", quotedMessageId="m1"), thinks=[withdraw_then_answer, HELLO])

    assert worker.said == ["こんにちは！"]
    assert "4711" not in everything_in(worker.store)


def test_answer_in_a_group_quotes_the_question(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("@Aizuchi 元気？"), thinks=[HELLO])

    assert [one.quote_token for one in worker.line.replied["token1"]] == ["quote1"]


def test_answer_in_a_direct_chat_quotes_nothing(worker: PushedWorker, direct: ChatEvents) -> None:
    worker.deliver(direct.text("元気？"), thinks=[HELLO])

    assert [one.quote_token for one in worker.line.replied["token1"]] == [None]
