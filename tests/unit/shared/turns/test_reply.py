"""Replies: which messages are answered together, what a takeover finishes, and amendments in between."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock
from shared.conversation.records import ANSWERABLE_MS, OutcomeKind, outcome_covering
from shared.conversation.turn import Route
from shared.errors import TurnBusyError
from shared.handlers.unsend import withdrawal_of
from shared.line.phrases import Phrase
from shared.turns.lease import open_turn
from tests.support.chats import everything_in
from tests.support.turns import RepliedChat, WorkerKilledError


def test_message_delivered_twenty_times_at_once_is_answered_once(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    message = chat.message(1)

    with ThreadPoolExecutor(20) as workers:
        results = list(workers.map(lambda _: chat.deliver(message), range(20)))

    assert sorted(set(results)) == ["already_answered", "replied"]
    assert chat.questions == [("m1",)]
    assert chat.line.replies == {"t1": ("re m1",)}
    assert chat.line.calls == 1


def test_messages_during_a_turn_are_answered_together_on_the_newest_token(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    messages = [chat.message(number) for number in range(1, 6)]
    chat.may_answer.clear()

    with ThreadPoolExecutor(5) as workers:
        first = workers.submit(chat.deliver, messages[0])
        assert chat.is_thinking.wait(5)
        rest = [workers.submit(chat.deliver, message) for message in messages[1:]]
        while len(chat.store.list(f"journal/{chat.conversation.id}/")) < 5:
            chat.clock.sleep(0.01)
        chat.may_answer.set()
        results = [first.result(20), *(one.result(20) for one in rest)]

    assert results.count("replied") == 2
    assert chat.questions == [("m1",), ("m2", "m3", "m4", "m5")]
    assert chat.line.replies == {"t1": ("re m1",), "t5": ("re m2 m3 m4 m5",)}


def test_message_of_a_dead_holder_is_answered_after_its_lease(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, lease_s=0.5)
    message = chat.message(1)
    chat.conversation.journal.record(message)
    chat.open_turn()  # and its holder dies

    assert chat.deliver(message) == "replied"
    assert chat.line.replies == {"t1": ("re m1",)}


def test_takeover_sends_the_committed_answer_unchanged(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, lease_s=0.5)
    message = chat.message(1)
    chat.conversation.journal.record(message)
    dead = chat.open_turn()
    committed = replace(outcome_covering([message], OutcomeKind.REPLIED), text="decided before")
    dead.commit(committed, Route.on(message.token))

    assert chat.deliver(message) == "replied"
    assert chat.line.replies == {"t1": ("decided before",)}
    assert chat.questions == []


def test_message_that_kills_its_worker_three_times_gets_an_apology(pool: ThreadPoolExecutor) -> None:
    clock = FixedClock()
    chat = RepliedChat(pool, clock=clock)
    chat.poison = {"m1"}
    message = chat.message(1)
    for _ in range(3):
        with pytest.raises(WorkerKilledError):
            chat.deliver(message)
        clock.move(26)
        message = replace(message, received_ms=clock.now_ms())  # each redelivery refreshes the token

    assert chat.deliver(message) == "apologised"
    assert chat.line.replies == {"t1": (Phrase.APOLOGY_BUSY.value,)}


def test_withdrawal_while_the_model_thinks_leaves_other_messages_answered(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    secret, other = chat.message(1), chat.message(2)
    chat.conversation.journal.record(other)
    chat.may_answer.clear()

    with ThreadPoolExecutor(2) as workers:
        withdrawn = workers.submit(chat.deliver, secret)
        assert chat.is_thinking.wait(5)
        chat.withdraw("m1")
        answered = workers.submit(chat.deliver, other)
        chat.may_answer.set()

        assert withdrawn.result(20) == "withdrawn"
        answered.result(20)

    assert chat.line.replies == {"t2": ("re m2",)}


def test_message_older_than_twenty_minutes_opens_no_turn(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)

    chat.deliver(chat.message(1, age_ms=ANSWERABLE_MS + 10))

    assert chat.questions == []
    assert chat.line.calls == 0


def test_message_whose_tokens_are_dead_is_undelivered_without_the_model(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    message = replace(chat.message(1), received_ms=chat.clock.now_ms() - 65_000)

    assert chat.deliver(message) == "undelivered"
    assert chat.questions == []


def test_delivery_that_waits_too_long_for_the_turn_is_redelivered(pool: ThreadPoolExecutor) -> None:
    clock = FixedClock()
    chat = RepliedChat(pool, clock=clock)
    renew = chat.open_turn().renew

    class Renewing(FixedClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            renew()

    clock.__class__ = Renewing

    with pytest.raises(TurnBusyError, match="not free in time"):
        chat.deliver(chat.message(1))


def test_reply_does_not_wait_for_the_turn_of_another_chat(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    other = chat.conversations.of("U" + "2" * 32)
    assert open_turn(other, other.turn.read()) is not None

    assert chat.deliver(chat.message(1)) == "replied"


def test_message_that_arrives_after_its_withdrawal_leaves_no_text(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    chat.withdraw("m1")

    assert chat.deliver(chat.message(1)) == "withdrawn"

    assert chat.questions == []
    assert "text 1" not in everything_in(chat.store)


def test_edit_while_the_model_thinks_starts_the_answer_again(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)

    def edit() -> None:
        chat.meanwhile = lambda: None
        withdrawal_of(chat.clock).edit(chat.conversation, "m1", text="new words", timestamp_ms=chat.clock.now_ms() + 10)

    chat.meanwhile = edit

    assert chat.deliver(chat.message(1)) == "replied"
    assert chat.questions == [("m1",), ("m1",)]
    assert chat.line.calls == 1


def test_erasure_while_the_model_thinks_withholds_the_answer(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    chat.meanwhile = lambda: withdrawal_of(chat.clock).erase(chat.conversation, until_ms=chat.clock.now_ms() + 5)

    assert chat.deliver(chat.message(1)) == "withdrawn"
    assert chat.line.calls == 0
    assert "text 1" not in everything_in(chat.store)


def test_answer_that_line_cannot_take_is_tried_until_the_fence_only(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock(), lease_s=5.0)
    chat.line.fates = ["not_sent"] * 20

    assert chat.deliver(chat.message(1)) == "undelivered"
    assert chat.line.calls == 4  # after 0, 0.5, 1.5 and 3 seconds; the fence is at 3.4
