"""Attempts: the lease that is renewed beside the model, and what becomes of a late answer."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock
from shared.bus.endpoint import REQUEST_S
from shared.clock import Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.history import History
from shared.conversation.records import OutcomeKind, OutcomeRecord, StagedWrite
from shared.errors import PromptAmendedError
from shared.handlers.unsend import withdrawal_of
from shared.line.messaging import ReplyToken
from shared.line.phrases import Phrase
from shared.turns.agenda import agenda_of
from shared.turns.attempt import MODEL_S, Attempt
from shared.turns.deferral import DEFER_AT_MS, LateReply
from shared.turns.question import Question
from tests.support.chats import made_of, made_with, reader
from tests.support.phrases import NamedPhrases
from tests.support.turns import ClockEvent, RepliedChat


class EndOfThought(ClockEvent):
    """The end of a thought: four waits for it pass by the clock, and the model answers after them."""

    def __init__(self, clock: FixedClock, answers: Callable[[], None]) -> None:
        super().__init__(clock)
        self._answers, self._left = answers, 4

    def wait(self, timeout: float | None = None) -> bool:
        if self._left and timeout is not None:
            self._left -= 1
            return super().wait(timeout)
        self._answers()
        return super().wait()


def test_lease_is_renewed_while_the_model_thinks(pool: ThreadPoolExecutor) -> None:
    clock = FixedClock()
    chat = RepliedChat(pool, clock=clock, new_event=lambda: EndOfThought(clock, chat.may_answer.set))
    chat.may_answer.clear()
    begun_s = clock.monotonic_s()

    assert chat.deliver(chat.message(1)) == "replied"

    assert clock.monotonic_s() - begun_s > chat.conversation.turn.lease_s
    assert chat.questions == [("m1",)]


class DeferredChat(RepliedChat):
    """A chat whose responder needs longer than the token lives."""

    def __init__(self, pool: ThreadPoolExecutor, late_reply: LateReply = LateReply.BUTTON) -> None:
        super().__init__(pool, late_reply=late_reply)
        self.meanwhile = self.wait_for_deferral

    def wait_for_deferral(self) -> None:
        self.wait_for(lambda: bool(self.line.replied))

    def wait_for(self, has_happened: Callable[[], bool]) -> None:
        for _ in range(1_000):
            if has_happened():
                return
            self.clock.sleep(0.01)
        raise AssertionError("nothing was deferred")

    def deliver_late(self) -> str:
        """Deliver a message whose token lives just long enough for a deferral."""
        return self.deliver(self.message(1, token_age_ms=DEFER_AT_MS - 100))


def test_late_answer_is_stored_and_a_deferral_sent_before_the_token_dies(pool: ThreadPoolExecutor) -> None:
    chat = DeferredChat(pool)

    assert chat.deliver_late() == "deferred"

    assert chat.line.replies == {"t1": (Phrase.STILL_THINKING.value,)}
    assert (chat.outcome("e1").kind, chat.outcome("e1").answered_ids) == (OutcomeKind.DEFERRED, ("m1",))
    assert (chat.outcome("e1-late").kind, chat.outcome("e1-late").text) == (OutcomeKind.STORED, "re m1")


def test_a_late_answer_whose_button_line_refused_is_undelivered_so_that_the_next_prompt_shows_it(
    pool: ThreadPoolExecutor,
) -> None:
    chat = DeferredChat(pool)
    chat.line.fates = ["refused"]
    chat.meanwhile = lambda: chat.wait_for(lambda: chat.conversation.journal.outcome_of("e1") is not None)

    assert chat.deliver_late() == "undelivered"

    assert chat.line.replies == {}
    late = chat.outcome("e1-late")
    assert (late.kind, late.text) == (OutcomeKind.UNDELIVERED, "re m1")
    assert late in reader().read_newest(chat.conversation).answers


def test_a_press_that_is_deferred_again_keeps_its_button_where_line_refuses_the_second(
    pool: ThreadPoolExecutor,
) -> None:
    chat = DeferredChat(pool)
    chat.apologises = True
    assert chat.deliver_late() == "deferred"
    chat.apologises = False
    chat.line.fates = ["refused"]
    chat.meanwhile = lambda: chat.wait_for(lambda: chat.conversation.journal.outcome_of("e5") is not None)

    press = chat.press(5, "e1")
    token = ReplyToken(value="t5", received_ms=chat.clock.now_ms() - DEFER_AT_MS + 100)
    chat.deliver(replace(press, reply_token=token))
    chat.meanwhile = lambda: None
    asked = len(chat.questions)

    assert chat.deliver(chat.press(6, "e1")) == "replied"
    assert (chat.line.replies["t6"], len(chat.questions)) == (("re m1",), asked)


def test_first_press_gets_the_answer_and_the_next_press_is_told_that_it_is_above(pool: ThreadPoolExecutor) -> None:
    chat = DeferredChat(pool)
    chat.deliver_late()

    assert chat.deliver(chat.press(5, "e1")) == "replied"
    assert chat.deliver(chat.press(6, "e1")) == "replied"

    assert chat.line.replies == {
        "t1": (Phrase.STILL_THINKING.value,),
        "t5": ("re m1",),
        "t6": (Phrase.ANSWER_SHOWN.value,),
    }
    assert chat.questions == [("m1",)]


def test_redelivered_press_gets_one_answer(pool: ThreadPoolExecutor) -> None:
    chat = DeferredChat(pool)
    chat.deliver_late()
    press = chat.press(5, "e1")

    assert [chat.deliver(press), chat.deliver(press)] == ["replied", "already_answered"]
    assert chat.line.calls == 2


def test_press_of_an_unknown_button_is_told_that_there_is_nothing_to_show(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)

    assert chat.deliver(chat.press(5, "e1")) == "replied"
    assert chat.line.replies == {"t5": (Phrase.NOTHING_TO_SHOW.value,)}


def test_press_after_a_failed_thought_asks_the_model_again(pool: ThreadPoolExecutor) -> None:
    chat = DeferredChat(pool)
    chat.apologises = True
    assert chat.deliver_late() == "deferred"
    chat.apologises = False

    assert chat.deliver(chat.press(5, "e1")) == "replied"
    assert chat.questions == [("m1",), ("m1",)]
    assert chat.line.replies["t5"] == ("re m1",)


def test_late_answer_to_a_withdrawn_message_is_not_stored(pool: ThreadPoolExecutor) -> None:
    chat = DeferredChat(pool)

    def withdraw() -> None:
        chat.wait_for_deferral()
        chat.withdraw("m1")

    chat.meanwhile = withdraw

    assert chat.deliver_late() == "deferred"
    assert chat.conversation.journal.outcome_of("e1-late") is None
    assert chat.deliver(chat.press(5, "e1")) == "replied"
    assert chat.line.replies["t5"] == (Phrase.PRESS_VOID.value,)


def test_a_late_answer_whose_prompt_was_amended_leaves_the_button(pool: ThreadPoolExecutor) -> None:
    chat = DeferredChat(pool)

    def amended() -> None:
        chat.wait_for_deferral()
        raise PromptAmendedError("something in the prompt was edited or withdrawn")

    chat.meanwhile = amended

    assert chat.deliver_late() == "deferred"
    assert chat.questions == [("m1",)]
    assert chat.outcome("e1").offer.is_deferral


class ReadingChat(RepliedChat):
    """A chat whose responder reads with a tool what came from message m9."""

    def respond(self, question: Question) -> OutcomeRecord:
        return made_with(super().respond(question), *question.draft.provenance.ids, "m9")


def test_answer_is_thought_again_where_what_a_tool_showed_is_edited_meanwhile(pool: ThreadPoolExecutor) -> None:
    chat = ReadingChat(pool)

    def edit() -> None:
        chat.meanwhile = lambda: None
        now_ms = chat.clock.now_ms()
        withdrawal_of(FixedClock()).edit(chat.conversation, "m9", text="newest", timestamp_ms=now_ms)

    chat.meanwhile = edit

    assert chat.deliver(chat.message(1)) == "replied"
    assert chat.questions == [("m1",), ("m1",)]
    assert chat.line.calls == 1


def test_other_messages_are_answered_while_a_deferred_answer_is_thought(pool: ThreadPoolExecutor) -> None:
    chat = DeferredChat(pool)

    def deliver_another() -> None:
        chat.wait_for_deferral()
        chat.meanwhile = lambda: None
        assert chat.deliver(chat.message(2)) == "replied"

    chat.meanwhile = deliver_another
    chat.deliver_late()

    assert chat.line.replies["t2"] == ("re m2",)


def test_late_answer_is_pushed_where_configured(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock(), late_reply=LateReply.PUSH)

    assert chat.deliver(chat.message(1, token_age_ms=70_000)) == "replied"
    assert chat.line.pushes == [(chat.conversation.id, ("re m1",))]


@pytest.mark.parametrize(("late_reply", "is_deferred"), list(zip(LateReply, (True, False, False), strict=True)))
def test_an_answer_is_deferred_only_where_a_button_shows_it(
    pool: ThreadPoolExecutor, late_reply: LateReply, *, is_deferred: bool
) -> None:
    clock = FixedClock()
    chat = RepliedChat(pool, clock=clock, late_reply=late_reply)
    lease, own = chat.open_turn(), chat.message(1)
    history = History(messages=(own,))
    attempt = Attempt.begin(
        lease,
        history,
        agenda_of(history, [own]),
        outbox=chat.runner.outbox,
        phrases=NamedPhrases(),
        deadline=Deadline.after(chat.clock, REQUEST_S),
    )
    waited_s: list[float] = []

    def pause(seconds: float) -> bool:
        waited_s.append(seconds)
        clock.move(seconds)
        return len(waited_s) == 2 * DEFER_AT_MS // 10_000

    attempt.renew_lease(pause)

    assert (attempt.has_ended, bool(chat.line.replies)) == (is_deferred, is_deferred)
    assert sum(waited_s) >= DEFER_AT_MS / 1_000


@pytest.mark.parametrize(
    ("chat_id", "last_request_at_s", "deferred_at_s"),
    [("C" + "1" * 32, None, 20), ("R" + "1" * 32, None, 20), ("U" + "1" * 32, None, 50), ("C" + "1" * 32, 15, 50)],
    ids=["in a group", "in a room", "in a 1:1 chat", "in a group whose last request has begun"],
)
def test_a_group_is_told_after_20_seconds_that_the_model_is_still_thinking(
    pool: ThreadPoolExecutor, chat_id: str, last_request_at_s: int | None, deferred_at_s: int
) -> None:
    clock = FixedClock()
    chat = RepliedChat(pool, clock=clock)
    chat.conversation = chat.conversations.of(chat_id)
    lease, own, begun_ms = chat.open_turn(), chat.message(1), clock.now_ms()
    history = History(messages=(own,))
    attempt = Attempt.begin(
        lease,
        history,
        agenda_of(history, [own]),
        outbox=chat.runner.outbox,
        phrases=NamedPhrases(),
        deadline=Deadline.after(chat.clock, REQUEST_S),
    )

    def pause(seconds: float) -> bool:
        clock.move(seconds)
        if last_request_at_s is not None and clock.now_ms() - begun_ms >= last_request_at_s * 1_000:
            attempt.begin_last_request()
        return False

    attempt.renew_lease(pause)

    assert round((clock.now_ms() - begun_ms) / 1_000) == deferred_at_s
    assert chat.line.replies == {"t1": (Phrase.STILL_THINKING.value,)}


@pytest.mark.parametrize(
    ("late_reply", "token_age_ms", "seconds"),
    [(LateReply.DROP, 30_000, 18.0), (LateReply.DROP, 1_000, MODEL_S), (LateReply.PUSH, 30_000, MODEL_S)],
)
def test_without_late_replies_the_token_outlives_the_thought_by_an_apology(
    pool: ThreadPoolExecutor, late_reply: LateReply, token_age_ms: int, seconds: float
) -> None:
    chat = RepliedChat(pool, clock=FixedClock(), late_reply=late_reply)

    chat.deliver(chat.message(1, token_age_ms=token_age_ms))

    assert chat.seconds == [pytest.approx(seconds, abs=0.01)]


def test_an_apology_is_sent_whatever_was_edited_while_the_model_thought(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    chat.conversation.journal.record(replace(chat.message(1), addressed=False))
    chat.meanwhile = lambda: chat.edit("m1", "newer words")
    chat.apologises = True

    assert chat.deliver(chat.message(2)) == "apologised"
    assert chat.questions == [("m2",)]


def test_without_late_replies_a_token_that_is_nearly_dead_leaves_no_time(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock(), late_reply=LateReply.DROP)

    chat.deliver(chat.message(1, token_age_ms=60_000))

    assert chat.seconds == [0]


class FilingChat(DeferredChat):
    """A chat whose responder files something."""

    def respond(self, question: Question) -> OutcomeRecord:
        return replace(super().respond(question), writes=(StagedWrite(path="a.md", text="x"),))


def test_late_answer_that_files_something_is_not_stored(pool: ThreadPoolExecutor) -> None:
    chat = FilingChat(pool)

    assert chat.deliver_late() == "deferred"

    assert chat.conversation.journal.outcome_of("e1-late") is None


def test_an_outcome_without_a_route_is_recorded_as_undelivered(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())

    assert chat.deliver(chat.message(1, token_age_ms=70_000)) == "undelivered"

    assert (chat.outcome("e1").kind, chat.questions, chat.line.calls) == (OutcomeKind.UNDELIVERED, [], 0)


class AmendedChat(DeferredChat):
    """A chat whose responder finds, after the deferral, that the question was edited."""

    def respond(self, question: Question) -> OutcomeRecord:
        outcome = super().respond(question)
        self.edit("m1", "newer words")
        question.check_amendments(made_of())
        return outcome


def test_a_deferral_stands_where_the_prompt_is_amended_after_it(pool: ThreadPoolExecutor) -> None:
    chat = AmendedChat(pool)

    assert chat.deliver_late() == "deferred"

    assert chat.conversation.journal.outcome_of("e1-late") is None
    assert chat.line.replies == {"t1": (Phrase.STILL_THINKING.value,)}


class ActingChat(RepliedChat):
    """A chat whose responder apologises, and tells what it did outside with words of the prompt."""

    def respond(self, question: Question) -> OutcomeRecord:
        return replace(super().respond(question), kind=OutcomeKind.APOLOGISED)


@pytest.mark.parametrize("chat_type", [ActingChat, RepliedChat])
def test_words_of_people_are_not_committed_after_their_withdrawal(
    pool: ThreadPoolExecutor, chat_type: type[RepliedChat]
) -> None:
    chat = chat_type(pool, clock=FixedClock())
    chat.conversation.journal.record(replace(chat.message(0), addressed=False))

    def withdraw() -> None:
        chat.meanwhile = lambda: None
        chat.withdraw("m0")

    chat.meanwhile = withdraw
    chat.deliver(chat.message(1))

    assert len(chat.questions) == 2
    assert chat.conversation.turn.read().record.sequence == 1


def test_fixed_words_are_committed_whatever_was_withdrawn(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    chat.apologises = True
    chat.conversation.journal.record(replace(chat.message(0), addressed=False))
    chat.meanwhile = lambda: chat.withdraw("m0")

    assert chat.deliver(chat.message(1)) == "apologised"
    assert len(chat.questions) == 1


def test_what_is_shown_besides_is_named_by_the_outcome_and_looked_at(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    lease, own, quoted = chat.open_turn(), chat.message(1), replace(chat.message(0), type="image")
    history = History(messages=(own,))
    attempt = Attempt.begin(
        lease,
        history,
        agenda_of(history, [own]),
        outbox=chat.runner.outbox,
        phrases=NamedPhrases(),
        deadline=Deadline.after(chat.clock, REQUEST_S),
    )
    begun = attempt.draft
    assert (begun.provenance.ids, begun.provenance.entries_since_ms) == (frozenset({"m1"}), 0)

    attempt.show(history)
    assert attempt.draft is begun

    attempt.show(replace(history, messages=(quoted, own), amendments=Amendments(erased_entries_ms=7)))
    assert (attempt.draft.provenance.ids, attempt.draft.provenance.since_ms) == (
        frozenset({"m0", "m1"}),
        quoted.timestamp_ms,
    )
    assert attempt.draft.provenance.entries_since_ms == 8
    assert attempt.basis.prompt.ids == {"m0", "m1"}
    assert attempt.history.messages == (quoted, own)
