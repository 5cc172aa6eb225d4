"""What a chat, and the deployment, may spend on a day."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from shared.access.budgets import Limits
from shared.access.usage import REWRITTEN_S
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import ModelRequest, ModelResponse
from shared.conversation.snapshot import MemoryLimits
from shared.conversation.spending import Spending
from shared.conversation.turn import TurnRecord
from shared.line.addressing import GroupPolicy
from shared.line.phrases import Phrase
from shared.metering import Usage
from shared.storage.codec import decode
from tests.support import push, recorded
from tests.support.chats import everything_in, message, received_at
from tests.support.people import START_MS, Person
from tests.support.phrases import english, japanese
from tests.support.pushed import PushedWorker, nothing

A_DAY_S = 86_400.0
MIDNIGHT = "midnight"
HELLO = replace(calling(("reply", {"message": "やあ"})), usage=Usage(prompt_tokens=100, output_tokens=12))
COST = 200


def limits(*, turns: int = 0, tokens: int = 0, all_tokens: int = 0) -> Limits:
    return Limits(turns_per_chat_day=turns, tokens_per_chat_day=tokens, tokens_per_day=all_tokens)


def spending(worker: PushedWorker, chat: str = recorded.USER) -> Spending:
    stored = worker.store.read(f"turns/{chat}.json")
    assert stored is not None
    return decode(TurnRecord, stored.data).spending


def friend_of(pool: ThreadPoolExecutor, allowed: Limits, **more: Any) -> Person:  # noqa: ANN401 - fields of PushedWorker
    return Person(PushedWorker(pool, limits=allowed, **more), is_in_group=False)


def test_a_chat_that_spent_its_turns_is_told_once_and_then_met_with_silence(pool: ThreadPoolExecutor) -> None:
    friend = friend_of(pool, limits(turns=2))
    for _ in range(2):
        friend.says("hello", HELLO)

    for _ in range(3):
        friend.says("hello")

    assert friend.worker.said == ["やあ", "やあ", english(Phrase.LIMIT_REACHED, hour=MIDNIGHT)]
    assert spending(friend.worker).turns == 2


def test_a_chat_that_could_not_be_told_is_told_when_it_asks_again(pool: ThreadPoolExecutor) -> None:
    friend = friend_of(pool, limits(turns=1))
    friend.says("hello", HELLO)
    friend.worker.line.fates = ["refused"]

    for _ in range(3):
        friend.says("hello")

    assert friend.worker.said == ["やあ", english(Phrase.LIMIT_REACHED, hour=MIDNIGHT)]


def test_a_chat_is_told_although_a_message_is_withdrawn_before_that_is_sent(pool: ThreadPoolExecutor) -> None:
    worker = PushedWorker(pool, limits=limits(turns=1))
    member = Person(worker, is_in_group=True)
    member.asks("hello", HELLO)
    withdrawn, asked = member.events.text("@Aizuchi hello"), member.events.text("@Aizuchi hello")
    chat = worker.conversations.of(member.events.chat_id)
    chat.journal.keep(received_at(message(2, timestamp_ms=withdrawn["timestamp"]), worker.clock.now_ms()))

    def withdraw(call: str, name: str) -> None:
        if (call, name) == ("replace", chat.names.turn) and chat.turn.read().record.committed is not None:
            worker.store.after = nothing
            worker.withdraw(chat.id, "m2")

    worker.store.after = withdraw
    member.sends(asked)

    assert worker.said == ["やあ", english(Phrase.LIMIT_REACHED, hour=MIDNIGHT)]


def test_a_chat_overshoots_its_tokens_by_one_request_at_most(pool: ThreadPoolExecutor) -> None:
    friend = friend_of(pool, limits(tokens=COST + 1))
    for _ in range(2):
        friend.says("hello", HELLO)

    friend.says("hello")

    assert friend.worker.said == ["やあ", "やあ", english(Phrase.LIMIT_REACHED, hour=MIDNIGHT)]
    assert spending(friend.worker).tokens == 2 * COST


def test_the_next_day_begins_anew(pool: ThreadPoolExecutor) -> None:
    friend = friend_of(pool, limits(turns=1))
    friend.says("hello", HELLO)
    friend.says("hello")

    friend.worker.clock.move(A_DAY_S)
    now = dt.datetime.fromtimestamp(friend.worker.clock.now_ms() / 1_000, dt.UTC)
    event = friend.events.event("message", message={"type": "text", "text": "hello"})
    event["timestamp"] = friend.worker.clock.now_ms()
    friend.worker.deliver(event, thinks=[HELLO], published=now.isoformat())

    assert friend.worker.said[-1] == "やあ"
    assert spending(friend.worker).turns == 1


def test_a_redelivery_costs_nothing(pool: ThreadPoolExecutor) -> None:
    friend = friend_of(pool, limits(turns=5))
    event = friend.says("hello", HELLO)

    friend.worker.deliver(event)

    assert (spending(friend.worker).turns, spending(friend.worker).tokens) == (1, COST)


def test_a_turn_that_is_taken_over_from_a_dead_holder_counts_once(pool: ThreadPoolExecutor) -> None:
    friend = friend_of(pool, limits(turns=5))

    class Killed(BaseException):
        pass

    def die(_: ModelRequest) -> ModelResponse:
        raise Killed

    event = friend.events.text("hello")
    with pytest.raises(Killed):
        friend.worker.deliver(event, thinks=[die])
    assert spending(friend.worker).is_reserved
    friend.worker.clock.move(40)

    friend.worker.deliver(event, thinks=[HELLO])

    assert (spending(friend.worker).turns, spending(friend.worker).tokens) == (1, COST)


def test_what_is_spent_on_an_amended_prompt_is_charged_and_the_turn_counts_once(pool: ThreadPoolExecutor) -> None:
    friend = friend_of(pool, limits(turns=5))
    friend.says("earlier", HELLO)

    def unsend_then_answer(_: ModelRequest) -> ModelResponse:
        friend.worker.withdraw(recorded.USER, "m1", timestamp_ms=START_MS)
        return HELLO

    friend.says("hello", unsend_then_answer, HELLO)

    assert (spending(friend.worker).turns, spending(friend.worker).tokens) == (2, 3 * COST)


def test_recaps_are_charged_to_their_chat(pool: ThreadPoolExecutor) -> None:
    small = MemoryLimits(journalled=2, verbatim=1, summed_up=1, recaps_at_once=1)
    friend = friend_of(pool, limits(turns=50), memory=small)
    recap = replace(calling(("write_recap", {"text": "they greet"})), usage=Usage(prompt_tokens=7))

    for _ in range(4):
        friend.says("hello", HELLO, recap, recap)

    recaps = len(friend.worker.model.requests) - 4
    assert recaps > 0
    assert spending(friend.worker).tokens == 4 * COST + recaps * 7


def test_an_interjection_that_loses_its_turn_is_charged_to_its_chat(pool: ThreadPoolExecutor) -> None:
    worker = PushedWorker(pool, limits=limits(turns=9), group_policy=GroupPolicy.MODEL)
    turn = worker.conversations.of(recorded.GROUP).turn

    def lose_the_turn_and_answer(_: ModelRequest) -> ModelResponse:
        seen = turn.read()
        turn.swap(seen, replace(seen.record, holder="another worker"))
        return HELLO

    Person(worker, is_in_group=True).says("hello", lose_the_turn_and_answer)

    assert worker.said == []
    assert spending(worker, recorded.GROUP).tokens == COST


def test_forgetting_commands_and_greetings_are_never_limited(pool: ThreadPoolExecutor) -> None:
    friend = friend_of(pool, limits(turns=1))
    friend.says("my word is swordfish", HELLO)
    friend.says("hello")

    friend.says("/help")
    friend.sends(friend.events.event("follow"))
    friend.confirms("/forget")

    assert friend.worker.said[-1] == english(Phrase.FORGET_DONE)
    assert len(friend.worker.said) == 6
    assert "swordfish" not in everything_in(friend.worker.store)


@pytest.mark.parametrize(
    ("allowed", "told", "details"),
    [
        (limits(turns=3, tokens=1_000), "今日はあと2回お答えできます。0時にリセットされます。", ["2", "800", "0時"]),
        (limits(turns=1), "今日はあと0回お答えできます。0時にリセットされます。", ["0", "上限なし", "0時"]),
        (limits(turns=3, tokens=COST), "今日はあと0回お答えできます。0時にリセットされます。", ["0", "0", "0時"]),
        (
            limits(tokens=2_000),
            "今日はあと1,800トークン分お答えできます。0時にリセットされます。",
            ["上限なし", "1,800", "0時"],
        ),
        (limits(), "お答えできる回数に上限はありません。", ["上限なし", "上限なし", "0時"]),
    ],
)
def test_usage_says_what_is_left(pool: ThreadPoolExecutor, allowed: Limits, told: str, details: list[str]) -> None:
    friend = friend_of(pool, allowed)
    friend.says("おはよう", HELLO)

    asked = friend.says("/usage")

    (message,) = friend.worker.line.replied[asked["replyToken"]]
    assert message.text == told
    assert message.card is not None
    assert [row.detail for row in message.card.rows] == details


def test_the_deployments_limit_counts_what_all_instances_spend(pool: ThreadPoolExecutor) -> None:
    first = friend_of(pool, limits(all_tokens=2 * COST))
    first.says("hello", HELLO)
    first.worker.clock.move(REWRITTEN_S)
    first.says("hello", HELLO)
    second = Person(PushedWorker(pool, limits=limits(all_tokens=2 * COST), store=first.worker.store), is_in_group=True)
    second.worker.clock.move(REWRITTEN_S)
    second.says("@Aizuchi hello", HELLO)
    second.worker.clock.move(REWRITTEN_S)

    second.says("@Aizuchi hello")
    first.worker.clock.move(REWRITTEN_S)
    first.says("hello")

    assert second.worker.said[-1] == english(Phrase.LIMIT_REACHED, hour=MIDNIGHT)
    assert first.worker.said[-1] == english(Phrase.LIMIT_REACHED, hour=MIDNIGHT)


def test_usage_says_that_nothing_is_left_where_other_chats_spent_the_deployments_limit(
    pool: ThreadPoolExecutor,
) -> None:
    friend = friend_of(pool, limits(turns=500, all_tokens=COST))
    friend.says("hello", HELLO)

    other = Person(friend.worker, is_in_group=True)
    other.events.skip(50)
    other.says("/usage")

    assert other.worker.said[-1] == japanese(Phrase.USAGE, turns="0", hour="0時")


def test_an_instance_writes_its_sum_at_most_every_half_minute(pool: ThreadPoolExecutor) -> None:
    friend = friend_of(pool, limits(all_tokens=10**9))
    for _ in range(3):
        friend.says("hello", HELLO)
    assert friend.worker.store.list("usage/") == ()

    friend.worker.clock.move(REWRITTEN_S)
    friend.says("hello", HELLO)

    (written,) = friend.worker.store.list("usage/")
    stored = friend.worker.store.read(written.name)
    assert stored is not None
    assert stored.data == b'{"version":1,"tokens":%d}' % (3 * COST)


def test_an_instance_that_handles_ticks_alone_writes_its_sum_and_knows_that_of_the_others(
    pool: ThreadPoolExecutor,
) -> None:
    friend = friend_of(pool, limits(all_tokens=COST))
    friend.says("hello", HELLO)
    friend.worker.clock.move(REWRITTEN_S)
    friend.worker.push(push.tick())
    asked, other = (
        friend.events.text("hello"),
        PushedWorker(pool, limits=limits(all_tokens=COST), store=friend.worker.store),
    )
    other.clock.move(REWRITTEN_S)
    other.conversations.of(recorded.USER).journal.keep(
        received_at(message(2, timestamp_ms=asked["timestamp"]), other.clock.now_ms())
    )
    other.store.create(f"due/20251121T0000/reply.{recorded.USER}.m2", b"")

    other.push(push.tick())

    assert other.said == [english(Phrase.LIMIT_REACHED, hour=MIDNIGHT)]


def test_what_an_interjection_spends_counts_for_the_deployment(pool: ThreadPoolExecutor) -> None:
    worker = PushedWorker(pool, limits=limits(all_tokens=10**9), group_policy=GroupPolicy.MODEL)
    member = Person(worker, is_in_group=True)
    member.says("hello", HELLO)
    worker.clock.move(REWRITTEN_S)

    member.says("hello", HELLO)

    assert len(worker.store.list("usage/")) == 1


def test_without_a_limit_for_the_deployment_nothing_is_written(pool: ThreadPoolExecutor) -> None:
    friend = friend_of(pool, limits(turns=9))
    friend.says("hello", HELLO)
    friend.worker.clock.move(REWRITTEN_S)

    friend.says("hello", HELLO)

    assert friend.worker.store.list("usage/") == ()


def test_usage_that_cannot_be_exchanged_stops_no_answer(pool: ThreadPoolExecutor) -> None:
    friend = friend_of(pool, limits(all_tokens=10**9))
    friend.worker.store.create("usage/2026-11-21/other.json", b'{"version": 99, "tokens": 1}')

    friend.says("hello", HELLO)

    assert friend.worker.said == ["やあ"]


def test_a_message_that_waits_for_a_tick_is_met_as_the_budget_says(pool: ThreadPoolExecutor) -> None:
    friend = friend_of(pool, limits(turns=1))
    friend.says("hello", HELLO)
    late = friend.events.text("hello")
    conversation = friend.worker.conversations.of(recorded.USER)
    friend.worker.deliver(late)
    friend.worker.store.delete(conversation.names.outcome(late["webhookEventId"]))

    friend.worker.push(push.tick())

    assert len(friend.worker.model.requests) == 1
