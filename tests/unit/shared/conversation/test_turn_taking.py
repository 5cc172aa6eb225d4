"""Turns under real threads: the waiting, the taking over, and who is answered together."""

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore
from shared.background import ThreadBackground
from shared.clock import SystemClock
from shared.conversation.journal import ANSWERABLE_MS, History
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, outcome_covering
from shared.conversation.speaking import Speaker
from shared.conversation.turn import TurnRecord
from shared.conversation.turn_taking import TurnTaking
from shared.errors import TurnBusyError
from tests.support.chats import journal_on, turns_on

CHAT = "U" + "1" * 32


class KilledError(BaseException):
    """The worker is gone."""


class Chat:
    """One chat on in-memory ports, served by as many workers as deliver to it."""

    def __init__(self, pool: ThreadPoolExecutor, *, clock: FixedClock | None = None, lease_s: float = 25.0) -> None:
        self.clock = clock or SystemClock()
        self.store = MemoryObjectStore()
        self.line = MemoryLineApi()
        self.turns = turns_on(self.store, self.clock, lease_s=lease_s)
        self.journal = journal_on(self.store, pool, self.turns)
        self.thoughts: list[tuple[str, ...]] = []
        self.thinking = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.poison: set[str] = set()
        self._taking = TurnTaking(
            journal=self.journal,
            turns=self.turns,
            speaker=Speaker(journal=self.journal, line=self.line, clock=self.clock),
            background=ThreadBackground(threads=pool),
            clock=self.clock,
            chance=random.Random(1),
        )

    def message(self, number: int, *, age_ms: int = 0) -> MessageRecord:
        now_ms = self.clock.now_ms()
        return MessageRecord(
            line_message_id=f"m{number}",
            webhook_event_id=f"e{number}",
            timestamp_ms=now_ms - age_ms + number,
            type="text",
            addressed=True,
            text=f"text {number}",
            reply_token=f"t{number}",
            received_ms=now_ms + number,
        )

    def deliver(self, message: MessageRecord) -> str:
        self.journal.keep(CHAT, message)
        return self._taking.see_through(CHAT, message, think=self._think, apologise=self._apologise)

    def _think(self, _: History, pending: tuple[MessageRecord, ...]) -> OutcomeRecord:
        covered = tuple(one.line_message_id for one in pending)
        self.thoughts.append(covered)
        self.thinking.set()
        if self.poison & set(covered):
            raise KilledError
        assert self.may_answer.wait(10)
        return replace(outcome_covering(pending, OutcomeKind.REPLIED), saw=covered, text=f"re {' '.join(covered)}")

    def _apologise(self, _: History, pending: tuple[MessageRecord, ...]) -> OutcomeRecord:
        return replace(outcome_covering(pending, OutcomeKind.APOLOGISED), text="sorry")


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(40) as threads:
        yield threads


def test_a_message_delivered_twenty_times_at_once_is_thought_about_and_answered_once(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool)
    message = chat.message(1)

    with ThreadPoolExecutor(20) as workers:
        said = list(workers.map(lambda _: chat.deliver(message), range(20)))

    assert sorted(set(said)) == ["already_answered", "replied"]
    assert chat.thoughts == [("m1",)]
    assert chat.line.replies == {"t1": ("re m1",)}
    assert chat.line.calls == 1


def test_what_arrives_while_a_turn_runs_is_answered_together_on_the_newest_token(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool)
    messages = [chat.message(number) for number in range(1, 6)]
    chat.may_answer.clear()

    with ThreadPoolExecutor(5) as workers:
        first = workers.submit(chat.deliver, messages[0])
        assert chat.thinking.wait(5)
        rest = [workers.submit(chat.deliver, message) for message in messages[1:]]
        while len(chat.store.list(f"journal/{CHAT}/")) < 5:
            chat.clock.sleep(0.01)
        chat.may_answer.set()
        said = [first.result(20), *(one.result(20) for one in rest)]

    assert said.count("replied") == 2
    assert chat.thoughts == [("m1",), ("m2", "m3", "m4", "m5")]
    assert chat.line.replies == {"t1": ("re m1",), "t5": ("re m2 m3 m4 m5",)}


def test_a_dead_thinkers_message_is_answered_after_its_lease(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool, lease_s=0.5)
    message = chat.message(1)
    chat.journal.record(CHAT, message)
    assert chat.turns.open(CHAT, chat.turns.read(CHAT)) is not None  # and its holder dies

    assert chat.deliver(message) == "replied"
    assert chat.line.replies == {"t1": ("re m1",)}


def test_a_dead_holders_committed_answer_is_said_as_it_was_committed(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool, lease_s=0.5)
    message = chat.message(1)
    chat.journal.record(CHAT, message)
    dead = chat.turns.open(CHAT, chat.turns.read(CHAT))
    assert dead is not None
    committed = replace(outcome_covering([message], OutcomeKind.REPLIED), text="decided before")
    dead.commit(TurnRecord(outcome=committed, reply_token="t1", token_received_ms=message.received_ms), prompt=set())

    assert chat.deliver(message) == "replied"
    assert chat.line.replies == {"t1": ("decided before",)}
    assert chat.thoughts == []


def test_a_message_that_kills_its_worker_three_times_is_apologised_for(pool: ThreadPoolExecutor) -> None:
    clock = FixedClock()
    chat = Chat(pool, clock=clock)
    chat.poison = {"m1"}
    message = chat.message(1)
    for _ in range(3):
        with pytest.raises(KilledError):
            chat.deliver(message)
        clock.move(26)
        message = replace(message, received_ms=clock.now_ms())  # each redelivery refreshes the token

    assert chat.deliver(message) == "apologised"
    assert chat.line.replies == {"t1": ("sorry",)}


def test_a_withdrawal_while_the_model_thinks_leaves_the_others_answered(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool)
    secret, other = chat.message(1), chat.message(2)
    chat.journal.record(CHAT, other)
    chat.may_answer.clear()

    with ThreadPoolExecutor(2) as workers:
        withdrawn = workers.submit(chat.deliver, secret)
        assert chat.thinking.wait(5)
        chat.journal.withdraw(CHAT, "m1", timestamp_ms=chat.clock.now_ms())
        answered = workers.submit(chat.deliver, other)
        chat.may_answer.set()

        assert withdrawn.result(20) == "withdrawn"
        answered.result(20)

    assert chat.line.replies == {"t2": ("re m2",)}


def test_a_message_of_more_than_twenty_minutes_opens_no_turn(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool)

    chat.deliver(chat.message(1, age_ms=ANSWERABLE_MS + 10))

    assert chat.thoughts == []
    assert chat.line.calls == 0


def test_where_every_token_is_dead_nobody_thinks_and_history_says_so(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool, clock=FixedClock())
    message = replace(chat.message(1), received_ms=chat.clock.now_ms() - 65_000)

    assert chat.deliver(message) == "undelivered"
    assert chat.thoughts == []


def test_the_lease_is_renewed_while_the_model_thinks(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool, lease_s=0.6)
    chat.may_answer.clear()

    with ThreadPoolExecutor(1) as workers:
        slow = workers.submit(chat.deliver, chat.message(1))
        assert chat.thinking.wait(5)
        chat.clock.sleep(1.5)  # two and a half leases
        chat.may_answer.set()
        assert slow.result(20) == "replied"

    assert chat.thoughts == [("m1",)]


def test_who_waits_in_vain_is_delivered_again(pool: ThreadPoolExecutor) -> None:
    clock = FixedClock()
    chat = Chat(pool, clock=clock)
    held = chat.turns.open(CHAT, chat.turns.read(CHAT))
    assert held is not None
    renew = held.renew

    class Renewing(FixedClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            renew()

    clock.__class__ = Renewing

    with pytest.raises(TurnBusyError, match="not free in time"):
        chat.deliver(chat.message(1))


def test_chats_never_wait_for_each_other(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool)
    other_chat = "U" + "2" * 32
    assert chat.turns.open(other_chat, chat.turns.read(other_chat)) is not None

    assert chat.deliver(chat.message(1)) == "replied"


def test_a_message_that_comes_after_its_withdrawal_leaves_no_word(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool)
    chat.journal.withdraw(CHAT, "m1", timestamp_ms=1)

    assert chat.deliver(chat.message(1)) == "withdrawn"

    assert chat.thoughts == []
    stored = [chat.store.read(listed.name) for listed in chat.store.list("")]
    assert not any(one and b"text 1" in one.data for one in stored)
