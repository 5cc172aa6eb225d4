"""How the bot behaves in chats: whom it answers, what it reads of a quote, what the model is told of people."""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.agent.model import FunctionResponses, ModelResponse
from shared.agent.tools import Tool, load_schema
from shared.errors import ModelUnavailableError
from shared.line.mentions import GroupPolicy
from shared.line.phrases import Phrase
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.pushed import PushedWorker
from tests.support.workers import says

HELLO = calling(("reply", {"message": "こんにちは！"}))
SKIP = calling(("skip", {"reason": "not for me"}))
YUKI, KENJI = "U" + "1" * 32, "U" + "2" * 32
ME = {"index": 0, "length": 8, "type": "user", "userId": "U" + "b" * 32, "isSelf": True}


@dataclass(slots=True)
class Chat:
    """What LINE would send of one chat; every event is a second later than the one before."""

    is_group: bool = True
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def says(self, text: str, *, by: str = YUKI, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of the message
        message = {"type": "text", "text": text, **more}
        if text.startswith("@Aizuchi"):
            message["mention"] = {"mentionees": [ME]}
        return self.event("message", by=by, message=message)

    def event(self, kind: str, *, by: str = YUKI, message: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        number = next(self._numbers)
        person = {"type": "user", "userId": by}
        made = {
            "type": kind,
            "mode": "active",
            "timestamp": 1_763_700_000_000 + number * 1_000,
            "source": {"type": "group", "groupId": recorded.GROUP, "userId": by} if self.is_group else person,
            "webhookEventId": f"event{number}",
            "replyToken": f"token{number}",
            "deliveryContext": {"isRedelivery": False},
            **more,
        }
        if message is not None:
            made["message"] = {"id": f"m{number}", "quoteToken": f"quote{number}", **message}
        return made


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def worker(pool: ThreadPoolExecutor) -> PushedWorker:
    return PushedWorker(pool)


@pytest.fixture
def group() -> Chat:
    return Chat()


@pytest.fixture
def friend() -> Chat:
    return Chat(is_group=False)


@pytest.mark.parametrize("text", ["@Aizuchi 元気？", "Aizuchi、元気？", "＠Ａｉｚｕｃｈｉ 元気？"])
def test_who_mentions_or_names_the_bot_is_answered_and_the_name_is_not_kept(
    worker: PushedWorker, group: Chat, text: str
) -> None:
    event = group.says(text)

    worker.deliver(event, thinks=[HELLO])

    assert worker.said == ["こんにちは！"]
    assert worker.prompt().endswith("] 元気？")
    assert "izuchi" not in everything_in(worker.store)


def test_all_is_nobody_in_particular(worker: PushedWorker, group: Chat) -> None:
    everybody: Any = {"mention": {"mentionees": [{"index": 0, "length": 4, "type": "all"}]}}

    worker.deliver(group.says("@All 集合", **everybody))

    assert worker.model.requests == []


def test_who_quotes_the_bot_addresses_it(worker: PushedWorker, group: Chat) -> None:
    worker.deliver(group.says("@Aizuchi 元気？"), thinks=[HELLO])
    bubble = worker.outcome(group.event("", webhookEventId="event1"))["sent_message_ids"][0]

    worker.deliver(group.says("それで？", quotedMessageId=bubble), thinks=[HELLO])

    assert len(worker.said) == 2
    assert worker.prompt().endswith('] 引用メッセージ: "こんにちは！"\n質問: それで？')


def test_who_quotes_somebody_else_does_not(worker: PushedWorker, group: Chat) -> None:
    worker.deliver(group.says("十時に駅で"))

    worker.deliver(group.says("了解", by=KENJI, quotedMessageId="m1"))

    assert worker.model.requests == []


def test_a_quote_is_looked_up_and_only_its_id_is_stored(worker: PushedWorker, group: Chat) -> None:
    worker.deliver(group.says("十時に駅で"))

    worker.deliver(group.says("@Aizuchi どこ？", by=KENJI, quotedMessageId="m1"), thinks=[HELLO])

    assert '引用メッセージ: "十時に駅で"\n質問: どこ？' in worker.prompt()
    assert everything_in(worker.store).count("十時に駅で") == 1


def test_a_quote_of_what_was_withdrawn_says_so(worker: PushedWorker, group: Chat) -> None:
    worker.deliver(group.says("十時に駅で"))
    worker.memory.withdrawal.withdraw(recorded.GROUP, "m1", timestamp_ms=2)

    worker.deliver(group.says("@Aizuchi どこ？", quotedMessageId="m1"), thinks=[HELLO])

    assert "引用メッセージ: 取り消されました\n質問: どこ？" in worker.prompt()


def test_a_quote_of_what_nobody_knows_says_so(worker: PushedWorker, group: Chat) -> None:
    worker.deliver(group.says("@Aizuchi どこ？", quotedMessageId="573999"), thinks=[HELLO])

    assert "引用メッセージ: 見つかりません\n質問: どこ？" in worker.prompt()
    assert worker.media.asked == 0


def test_what_was_quoted_and_withdrawn_while_the_model_thinks_is_not_repeated(
    worker: PushedWorker, group: Chat
) -> None:
    worker.deliver(group.says("暗証番号は4711"))

    def taken_back(_: object) -> ModelResponse:
        worker.memory.withdrawal.withdraw(recorded.GROUP, "m1", timestamp_ms=2)
        return calling(("reply", {"message": "4711です"}))

    worker.deliver(group.says("@Aizuchi 何番？", quotedMessageId="m1"), thinks=[taken_back, HELLO])

    assert worker.said == ["こんにちは！"]
    assert "4711" not in everything_in(worker.store)


def test_in_a_group_the_answer_quotes_the_question(worker: PushedWorker, group: Chat) -> None:
    worker.deliver(group.says("@Aizuchi 元気？"), thinks=[HELLO])

    assert [one.quote_token for one in worker.line.replied["token1"]] == ["quote1"]


def test_in_a_1_to_1_chat_nothing_is_quoted(worker: PushedWorker, friend: Chat) -> None:
    worker.deliver(friend.says("元気？"), thinks=[HELLO])

    assert [one.quote_token for one in worker.line.replied["token1"]] == [None]


def test_a_group_is_left_alone_where_the_policy_is_off_but_for_commands(pool: ThreadPoolExecutor, group: Chat) -> None:
    worker = PushedWorker(pool, policy=GroupPolicy.OFF)

    worker.deliver(group.says("@Aizuchi 元気？"))
    assert worker.line.calls == 0

    worker.deliver(group.says("/help"))
    assert worker.said == [says(Phrase.HELP_GROUP)]


class TestChimingIn:
    """GROUP_POLICY=model."""

    @pytest.fixture
    def worker(self, pool: ThreadPoolExecutor) -> PushedWorker:
        return PushedWorker(pool, policy=GroupPolicy.MODEL)

    def test_the_model_may_add_something_and_knows_that_nobody_asked(self, worker: PushedWorker, group: Chat) -> None:
        worker.deliver(group.says("傘いるかな"), thinks=[HELLO])

        assert worker.said == ["こんにちは！"]
        assert "Nobody has addressed you" in worker.prompt()

    def test_it_may_as_well_be_silent(self, worker: PushedWorker, group: Chat) -> None:
        worker.deliver(group.says("傘いるかな"), thinks=[SKIP])

        assert worker.line.calls == 0

    def test_it_is_asked_at_most_once_in_thirty_seconds(self, worker: PushedWorker, group: Chat) -> None:
        worker.deliver(group.says("一"), thinks=[SKIP])
        worker.clock.move(29)
        worker.deliver(group.says("二"))
        worker.clock.move(2)
        worker.deliver(group.says("三"), thinks=[SKIP])

        assert len(worker.model.requests) == 2
        assert "二" in worker.prompt()

    def test_its_failures_stay_silent_and_count(self, worker: PushedWorker, group: Chat) -> None:
        assert worker.deliver(group.says("一"), thinks=[ModelUnavailableError("503")] * 3) == 204
        worker.deliver(group.says("二"))

        assert worker.line.calls == 0

    def test_a_message_that_comes_twice_is_thought_about_once(self, worker: PushedWorker, group: Chat) -> None:
        event = group.says("一")
        worker.deliver(event, thinks=[HELLO])
        worker.clock.move(31)

        assert worker.deliver(event) == 204
        assert len(worker.model.requests) == 1

    def test_who_asks_is_answered_at_once_all_the_same(self, worker: PushedWorker, group: Chat) -> None:
        worker.deliver(group.says("一"), thinks=[SKIP])
        worker.deliver(group.says("@Aizuchi 二"), thinks=[HELLO])

        assert worker.said == ["こんにちは！"]

    def test_what_is_withdrawn_while_it_thinks_is_not_talked_about(self, worker: PushedWorker, group: Chat) -> None:
        def taken_back(_: object) -> ModelResponse:
            worker.memory.withdrawal.withdraw(recorded.GROUP, "m1", timestamp_ms=2)
            return calling(("reply", {"message": "4711です"}))

        worker.deliver(group.says("暗証番号は4711"), thinks=[taken_back])

        assert worker.line.calls == 0
        assert "4711" not in everything_in(worker.store)


def test_people_go_by_their_names_and_times(worker: PushedWorker, group: Chat) -> None:
    worker.profiles.names = {YUKI: "ゆき [note]\n", KENJI: "健二"}
    worker.deliver(group.says("十時に駅で"))
    worker.deliver(group.says("@Aizuchi どこ？", by=KENJI), thinks=[HELLO])

    assert "[ゆき note | 2025-11-21 04:40] 十時に駅で" in worker.prompt()
    assert "[健二 | 2025-11-21 04:40] どこ？" in worker.prompt()


def test_people_without_a_name_stay_apart_and_names_are_asked_for_once(worker: PushedWorker, group: Chat) -> None:
    worker.deliver(group.says("十時に駅で"))
    worker.deliver(group.says("@Aizuchi どこ？", by=KENJI), thinks=[HELLO])
    worker.deliver(group.says("@Aizuchi いつ？", by=KENJI), thinks=[HELLO])

    assert "[someone …1111 |" in worker.prompt()
    assert "[someone …2222 |" in worker.prompt()
    assert worker.profiles.asked == 2


def test_no_id_reaches_the_model_and_none_is_said(pool: ThreadPoolExecutor, friend: Chat) -> None:
    telling = Tool(
        name="tell",
        description="Tells.",
        parameters=load_schema("skip.parameters"),
        response={"type": "object"},
        run=lambda arguments, _: {"who": [KENJI], "asked": arguments["reason"]},
    )
    worker = PushedWorker(pool, [telling])
    tells = calling(("tell", {"reason": f"who is {recorded.GROUP}"}))
    answers = calling(("reply", {"message": f"**{KENJI}** です"}))

    worker.deliver(friend.says(f"{KENJI} って誰？"), thinks=[tells, answers])

    assert "[ID] って誰？" in worker.prompt()
    told = [one for one in worker.model.requests[-1].contents if isinstance(one, FunctionResponses)]
    assert told[0].responses[0].response == {"output": {"who": ["[ID]"], "asked": "who is [ID]"}}
    assert worker.said == ["[ID] です"]


def test_an_answer_is_plain_text_in_short_bubbles_and_remembered_as_it_was_seen(
    worker: PushedWorker, friend: Chat
) -> None:
    markdown = "**結論**です。" + "これは文です。" * 40

    worker.deliver(friend.says("教えて"), thinks=[calling(("reply", {"message": markdown}))])

    assert worker.said[0].startswith("結論です。")
    assert len(worker.said) == 2
    assert max(map(len, worker.said)) <= 160
    assert "".join(worker.said) == worker.outcome(friend.event("", webhookEventId="event1"))["text"]


def test_an_answer_that_is_nothing_but_markup_is_apologised_for(worker: PushedWorker, friend: Chat) -> None:
    worker.deliver(friend.says("教えて"), thinks=[calling(("reply", {"message": "\u3000\n\u3000"}))])

    assert worker.said == [says(Phrase.APOLOGY_BUSY)]


def test_an_edit_is_kept_without_the_bots_name_too(worker: PushedWorker, group: Chat) -> None:
    event = group.says("@Aizuchi 元気？")
    worker.deliver(event, thinks=[HELLO])

    edited = {**event["message"], "text": "@Aizuchi 本当に元気？"}
    worker.deliver({**group.event("messageEdited"), "message": edited})
    worker.deliver(group.says("@Aizuchi ねえ"), thinks=[HELLO])

    assert "] 本当に元気？" in worker.prompt()


def test_a_new_member_is_met_with_silence(worker: PushedWorker) -> None:
    worker.deliver(recorded.event("member-joined"))

    assert worker.line.calls == 0


def test_no_id_is_in_any_prompt_of_any_recorded_delivery(worker: PushedWorker) -> None:
    for name in recorded.NAMES:
        if name.startswith("message-"):
            worker.deliver(recorded.event(name), thinks=[HELLO])

    whole = "".join(worker.prompt(number) for number in range(len(worker.model.requests)))
    assert recorded.USER not in whole
    assert recorded.GROUP not in whole
