"""Turns under real threads: the waiting, the taking over, who is answered together, and the late way."""

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore
from shared.clock import SystemClock
from shared.conversation.history import ANSWERABLE_MS
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, outcome_covering
from shared.conversation.turn import Route
from shared.errors import TurnBusyError
from shared.handlers.assembly import Talk
from shared.line.phrases import Phrase
from shared.turns.background import ThreadBackground
from shared.turns.deferral import DEFER_AT_MS
from shared.turns.late_reply import LateReply
from shared.turns.reply import MODEL_S, Question
from tests.support.chats import everything_in, memory_on

CHAT = "U" + "1" * 32


class KilledError(BaseException):
    """The worker is gone."""


class Chat:
    """One chat on in-memory ports, served by as many workers as deliver to it."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        *,
        clock: FixedClock | None = None,
        lease_s: float = 25.0,
        late_reply: LateReply = LateReply.BUTTON,
    ) -> None:
        self.clock = clock or SystemClock()
        self.store = MemoryObjectStore()
        self.line = MemoryLineApi()
        self.memory = memory_on(self.store, pool, self.clock, lease_s=lease_s)
        self.turns, self.journal = self.memory.turns, self.memory.journal
        self.thoughts: list[tuple[str, ...]] = []
        self.seconds: list[float] = []
        self.thinking = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.poison: set[str] = set()
        self.meanwhile: Callable[[], object] = lambda: None
        self.says_sorry = False
        self._answering = Talk.on(
            self.memory,
            line=self.line,
            clock=self.clock,
            chance=random.Random(1),
            background=ThreadBackground(threads=pool),
            phrase=lambda which: which.value[:20],
            late_reply=late_reply,
        ).answering

    def message(self, number: int, *, age_ms: int = 0, token_age_ms: int = 0) -> MessageRecord:
        now_ms = self.clock.now_ms()
        return MessageRecord(
            line_message_id=f"m{number}",
            webhook_event_id=f"e{number}",
            timestamp_ms=now_ms - age_ms + number,
            type="text",
            addressed=True,
            text=f"text {number}",
            reply_token=f"t{number}",
            received_ms=now_ms - token_age_ms + number,
        )

    def press(self, number: int, deferral: str) -> MessageRecord:
        press = self.message(number)
        return replace(press, line_message_id=press.webhook_event_id, type="postback", text="", presses=deferral)

    def deliver(self, message: MessageRecord) -> str:
        return self._answering(CHAT, message, settle=lambda: None, think=self._think).came_of

    def withdraw(self, line_message_id: str) -> None:
        """What an unsend does before its second pass."""
        withdrawal = replace(self.memory.withdrawal, clock=FixedClock())
        withdrawal.withdraw(CHAT, line_message_id, timestamp_ms=self.clock.now_ms())

    def outcome(self, event_id: str) -> OutcomeRecord:
        found = self.journal.outcome_of(CHAT, event_id)
        assert found is not None
        return found

    def _think(self, question: Question) -> OutcomeRecord:
        question.look(frozenset())
        asked = tuple(one.line_message_id for one in question.asked)
        self.thoughts.append(asked)
        self.seconds.append(question.seconds)
        self.thinking.set()
        if self.poison & set(asked):
            raise KilledError
        self.meanwhile()
        assert self.may_answer.wait(10)
        if self.says_sorry:
            return replace(question.draft, kind=OutcomeKind.APOLOGISED, text="sorry", saw=(), answers=())
        return replace(question.draft, kind=OutcomeKind.REPLIED, text=f"re {' '.join(asked)}")


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
    token = Route(kind="token", reply_token="t1", received_ms=message.received_ms)
    dead.commit(committed, token, prompt=set(), since_ms=committed.since_ms)

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
    assert chat.line.replies == {"t1": (Phrase.APOLOGY_BUSY.value,)}


def test_a_withdrawal_while_the_model_thinks_leaves_the_others_answered(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool)
    secret, other = chat.message(1), chat.message(2)
    chat.journal.record(CHAT, other)
    chat.may_answer.clear()

    with ThreadPoolExecutor(2) as workers:
        withdrawn = workers.submit(chat.deliver, secret)
        assert chat.thinking.wait(5)
        chat.withdraw("m1")
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
    chat.withdraw("m1")

    assert chat.deliver(chat.message(1)) == "withdrawn"

    assert chat.thoughts == []
    assert "text 1" not in everything_in(chat.store)


def test_an_edit_while_the_model_thinks_changes_what_is_answered(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool)

    def edited() -> None:
        chat.meanwhile = lambda: None
        chat.memory.withdrawal.edit(CHAT, "m1", text="new words", timestamp_ms=chat.clock.now_ms() + 10)

    chat.meanwhile = edited

    assert chat.deliver(chat.message(1)) == "replied"
    assert chat.thoughts == [("m1",), ("m1",)]
    assert chat.line.calls == 1


def test_an_erasure_while_the_model_thinks_leaves_nothing_said(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool, clock=FixedClock())
    chat.meanwhile = lambda: chat.memory.withdrawal.erase(CHAT, until_ms=chat.clock.now_ms() + 5)

    assert chat.deliver(chat.message(1)) == "withdrawn"
    assert chat.line.calls == 0
    assert "text 1" not in everything_in(chat.store)


class Deferring(Chat):
    """A chat whose model needs longer than the token lives."""

    def __init__(self, pool: ThreadPoolExecutor, late_reply: LateReply = LateReply.BUTTON) -> None:
        super().__init__(pool, late_reply=late_reply)
        self.meanwhile = self._until_deferred

    def _until_deferred(self) -> None:
        for _ in range(1_000):
            if self.line.replied:
                return
            self.clock.sleep(0.01)
        raise AssertionError("nothing was deferred")

    def asked_late(self) -> str:
        """A message whose token has just enough life left to say "still thinking"."""
        return self.deliver(self.message(1, token_age_ms=DEFER_AT_MS - 100))


def test_before_the_token_dies_still_thinking_is_said_and_the_answer_waits(pool: ThreadPoolExecutor) -> None:
    chat = Deferring(pool)

    assert chat.asked_late() == "deferred"

    assert chat.line.replies == {"t1": (Phrase.STILL_THINKING.value,)}
    assert (chat.outcome("e1").kind, chat.outcome("e1").covers) == (OutcomeKind.DEFERRED, ("m1",))
    assert (chat.outcome("e1-late").kind, chat.outcome("e1-late").text) == (OutcomeKind.STORED, "re m1")


def test_a_press_gets_the_answer_on_its_own_token_and_the_next_press_nothing(pool: ThreadPoolExecutor) -> None:
    chat = Deferring(pool)
    chat.asked_late()

    assert chat.deliver(chat.press(5, "e1")) == "replied"
    assert chat.deliver(chat.press(6, "e1")) == "skipped"

    assert chat.line.replies == {"t1": (Phrase.STILL_THINKING.value,), "t5": ("re m1",)}
    assert chat.thoughts == [("m1",)]


def test_a_press_that_is_delivered_twice_gets_one_answer(pool: ThreadPoolExecutor) -> None:
    chat = Deferring(pool)
    chat.asked_late()
    press = chat.press(5, "e1")

    assert [chat.deliver(press), chat.deliver(press)] == ["replied", "already_answered"]
    assert chat.line.calls == 2


def test_a_press_of_a_button_that_nobody_knows_is_told_so(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool)

    assert chat.deliver(chat.press(5, "e1")) == "apologised"
    assert chat.line.replies == {"t5": (Phrase.NOTHING_TO_SHOW.value,)}


def test_where_thinking_failed_a_press_thinks_again(pool: ThreadPoolExecutor) -> None:
    chat = Deferring(pool)
    chat.says_sorry = True
    chat.asked_late()
    chat.says_sorry = False

    assert chat.deliver(chat.press(5, "e1")) == "replied"
    assert chat.thoughts == [("m1",), ("m1",)]
    assert chat.line.replies["t5"] == ("re m1",)


def test_a_late_answer_to_what_was_taken_back_is_not_kept(pool: ThreadPoolExecutor) -> None:
    chat = Deferring(pool)

    def withdrawn() -> None:
        chat._until_deferred()  # noqa: SLF001 - its own double
        chat.withdraw("m1")

    chat.meanwhile = withdrawn
    chat.asked_late()

    assert chat.journal.outcome_of(CHAT, "e1-late") is None
    assert chat.deliver(chat.press(5, "e1")) == "skipped"


def test_others_are_answered_while_a_late_answer_is_thought(pool: ThreadPoolExecutor) -> None:
    chat = Deferring(pool)

    def another() -> None:
        chat._until_deferred()  # noqa: SLF001 - its own double
        chat.meanwhile = lambda: None
        assert chat.deliver(chat.message(2)) == "replied"

    chat.meanwhile = another
    chat.asked_late()

    assert chat.line.replies["t2"] == ("re m2",)


def test_a_late_answer_is_pushed_where_that_is_wanted(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool, clock=FixedClock(), late_reply=LateReply.PUSH)

    assert chat.deliver(chat.message(1, token_age_ms=70_000)) == "replied"
    assert chat.line.pushes == [(CHAT, ("re m1",))]


@pytest.mark.parametrize(
    ("late_reply", "token_age_ms", "seconds"),
    [(LateReply.DROP, 30_000, 18.0), (LateReply.DROP, 1_000, MODEL_S), (LateReply.PUSH, 30_000, MODEL_S)],
)
def test_without_a_late_way_the_token_has_to_live_long_enough_to_say_sorry(
    pool: ThreadPoolExecutor, late_reply: LateReply, token_age_ms: int, seconds: float
) -> None:
    chat = Chat(pool, clock=FixedClock(), late_reply=late_reply)

    chat.deliver(chat.message(1, token_age_ms=token_age_ms))

    assert chat.seconds == [pytest.approx(seconds, abs=0.01)]
