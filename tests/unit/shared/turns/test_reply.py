"""Replies: which messages are answered together, what a takeover finishes, and amendments in between."""

import io
import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.adapters.memory.line_people import HeldContent
from shared.conversation import history_reader
from shared.conversation.amendment_records import Amendment
from shared.conversation.due import DueMarkers
from shared.conversation.records import (
    ANSWERABLE_MS,
    MessageRecord,
    Offer,
    OutcomeKind,
    OutcomeRecord,
    ProposedCall,
    outcome_of,
)
from shared.conversation.silences import handover
from shared.conversation.turn import Route
from shared.errors import TurnBusyError
from shared.handlers.unsend import withdrawal_of
from shared.line.phrases import Phrase
from shared.metering import Metering, ModelUsage, Purpose, Usage
from shared.storage.object_store import StoredObject
from shared.turns.deferral import LateReply
from shared.turns.image_sets import IMAGE_SET_S
from shared.turns.lease import open_turn
from shared.turns.question import Question
from shared.turns.waiting_room import PLACES
from tests.support.chats import everything_in, fold_amendments, made_of, made_with, received_at, withdraw_from_turn
from tests.support.phrases import NamedPhrases
from tests.support.races import StoreThatReadsLast
from tests.support.turns import ActingClock, RepliedChat, WorkerKilledError

_ANNA = "U" + "a" * 32


def test_message_delivered_twenty_times_at_once_is_answered_once(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    message = chat.message(1)

    with ThreadPoolExecutor(20) as workers:
        results = list(workers.map(lambda _: chat.deliver(message), range(20)))

    assert {"replied"} <= set(results) <= {"already_answered", "handed_over", "replied"}
    assert chat.questions == [("m1",)]
    assert chat.line.replies == {"t1": ("re m1",)}
    assert chat.line.calls == 1


def test_messages_during_a_turn_are_answered_together_on_the_newest_token(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    messages = [chat.message(number) for number in range(1, 6)]
    chat.may_answer.clear()

    with ThreadPoolExecutor(5) as workers:
        first = workers.submit(chat.deliver, messages[0])
        assert chat.is_thinking.wait(30)
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
    committed = replace(outcome_of([message], OutcomeKind.REPLIED), text="decided before")
    dead.commit(committed, Route.on(message.reply_token))

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
        message = received_at(message, clock.now_ms())  # each redelivery refreshes the token

    assert chat.deliver(message) == "apologised"
    assert chat.line.replies == {"t1": (Phrase.APOLOGY_BUSY.value,)}


def test_withdrawal_while_the_model_thinks_leaves_other_messages_answered(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    secret, other = chat.message(1), chat.message(2)
    chat.conversation.journal.record(other)
    chat.may_answer.clear()

    with ThreadPoolExecutor(2) as workers:
        withdrawn = workers.submit(chat.deliver, secret)
        assert chat.is_thinking.wait(30)
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
    message = received_at(chat.message(1), chat.clock.now_ms() - 65_000)

    assert chat.deliver(message) == "undelivered"
    assert chat.questions == []


def crowd(chat: RepliedChat, workers: ThreadPoolExecutor) -> list[Future[str]]:
    """Deliver ten messages while the turn is held, and wait until all but those with a place have left."""
    others = [workers.submit(chat.deliver, chat.message(number)) for number in range(2, 12)]
    for _ in islice(as_completed(others, timeout=30), len(others) - PLACES):
        pass
    return others


def test_of_many_that_wait_for_one_turn_the_older_ones_leave_and_all_are_answered_together(
    pool: ThreadPoolExecutor,
) -> None:
    chat = RepliedChat(pool)
    chat.may_answer.clear()
    with ThreadPoolExecutor(20) as workers:
        first = workers.submit(chat.deliver, chat.message(1))
        assert chat.is_thinking.wait(30)
        others = crowd(chat, workers)
        assert {one.result() for one in others if one.done()} == {"handed_over"}
        chat.may_answer.set()
        first.result(20)
        results = [one.result(20) for one in others]

    assert "replied" in results
    assert len(chat.questions) == 2
    markers = [one.name for one in chat.store.list("due/")]
    assert len(markers) == results.count("handed_over")


def test_where_more_wait_than_a_turn_reads_each_is_answered_without_a_tick(
    pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_reader, "MESSAGES_READ", 3)
    chat = RepliedChat(pool, late_reply=LateReply.DROP)
    chat.may_answer.clear()
    with ThreadPoolExecutor(20) as workers:
        first = workers.submit(chat.deliver, chat.message(1))
        assert chat.is_thinking.wait(30)
        others = crowd(chat, workers)
        chat.may_answer.set()
        for delivery in (first, *others):
            delivery.result(20)

    answered = [line_message_id for question in chat.questions for line_message_id in question]
    assert sorted(answered) == sorted(f"m{number}" for number in range(1, 12))


def test_a_message_that_was_handed_over_to_workers_that_died_is_answered_by_a_tick(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    message = chat.message(1)
    chat.conversation.journal.record(message)

    chat.resume("m1")
    chat.resume("m1")
    chat.resume("m2")

    assert chat.line.replies == {"t1": ("re m1",)}


def test_a_tick_waits_for_no_turn(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    chat.conversation.journal.record(chat.message(1))
    chat.open_turn()
    before_s = chat.clock.monotonic_s()

    with pytest.raises(TurnBusyError):
        chat.resume("m1")

    assert chat.clock.monotonic_s() - before_s < 1


def test_edits_of_another_message_do_not_starve_a_question(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    chat.conversation.journal.record(replace(chat.message(1), addressed=False))
    edits = iter(range(2, 99))
    chat.meanwhile = lambda: chat.edit("m1", f"words {next(edits)}")

    assert chat.deliver(chat.message(5)) == "replied"
    assert len(chat.questions) == 3


def test_edits_of_the_question_itself_end_in_an_apology(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    edits = iter(range(2, 99))
    chat.meanwhile = lambda: chat.edit("m1", f"words {next(edits)}")

    assert chat.deliver(chat.message(1)) == "apologised"
    assert len(chat.questions) == 4


def test_a_question_behind_context_that_kills_workers_is_answered_without_it(pool: ThreadPoolExecutor) -> None:
    clock = FixedClock()
    chat = RepliedChat(pool, clock=clock)
    chat.conversation.journal.record(replace(chat.message(1), addressed=False))
    chat.kills_by = lambda question: any(one.line_message_id == "m1" for one in question.history.messages)
    message = chat.message(2)
    for _ in range(2):
        with pytest.raises(WorkerKilledError):
            chat.deliver(message)
        clock.move(26)
        message = received_at(message, clock.now_ms())

    assert chat.deliver(message) == "replied"
    assert chat.deliver(chat.message(3)) == "replied"
    assert chat.outcome("e2").audit.isolates


def test_a_message_that_killed_its_workers_is_in_no_later_prompt(pool: ThreadPoolExecutor) -> None:
    clock = FixedClock()
    chat = RepliedChat(pool, clock=clock)
    chat.kills_by = lambda question: any(one.line_message_id == "m1" for one in question.history.messages)
    message = chat.message(1)
    for _ in range(3):
        with pytest.raises(WorkerKilledError):
            chat.deliver(message)
        clock.move(26)
        message = received_at(message, clock.now_ms())
    assert chat.deliver(message) == "apologised"

    assert chat.deliver(chat.message(2)) == "replied"


def test_delivery_that_waits_too_long_for_the_turn_is_left_to_a_tick(pool: ThreadPoolExecutor) -> None:
    clock = FixedClock()
    chat = RepliedChat(pool, clock=clock)
    renew = chat.open_turn().renew

    class Renewing(FixedClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            renew()

    clock.__class__ = Renewing

    assert chat.deliver(chat.message(1)) == "handed_over"
    assert len(chat.store.list("due/")) == 1


def test_reply_does_not_wait_for_the_turn_of_another_chat(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    other = chat.conversations.of("U" + "2" * 32)
    assert open_turn(other, other.turn.read()) is not None

    assert chat.deliver(chat.message(1)) == "replied"


def test_a_message_that_is_withdrawn_while_it_is_answered_is_left_to_its_withdrawal(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    chat.meanwhile = lambda: withdraw_from_turn(chat.conversation, "m1")

    assert chat.deliver(chat.message(1)) == "withdrawn"

    assert withdrawal_of(chat.clock).withdraw(chat.conversation, "m1", timestamp_ms=chat.clock.now_ms())
    assert "text 1" not in everything_in(chat.store)


def test_message_that_arrives_after_its_withdrawal_leaves_no_text(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    chat.withdraw("m1")

    assert chat.deliver(chat.message(1)) == "withdrawn"

    assert chat.questions == []
    assert "text 1" not in everything_in(chat.store)


@pytest.mark.parametrize("comes_by", ["delivery", "tick"])
def test_a_message_whose_author_took_back_everything_is_withdrawn_as_by_an_unsend(
    pool: ThreadPoolExecutor, comes_by: str
) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    message = replace(chat.message(1), user_id=_ANNA)
    chat.conversation.amendments.forget_member(_ANNA, until_ms=message.timestamp_ms)

    if comes_by == "tick":
        chat.conversation.journal.keep(message)
        chat.resume("m1")
    else:
        chat.deliver(message)

    assert "m1" in chat.conversation.amendments.look().withdrawn
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


def test_answer_that_line_cannot_take_is_tried_beyond_the_first_lease(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock(), lease_s=5.0)
    chat.line.fates = ["not_sent"] * 20

    assert chat.deliver(chat.message(1)) == "replied"
    assert chat.line.calls == 21


def test_a_message_waits_for_its_settle_window(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())

    assert chat.deliver(replace(chat.message(1), image_set_id="set-1", image_set_size=2)) == "replied"

    assert chat.clock.monotonic_s() == pytest.approx(IMAGE_SET_S)


def test_a_turn_that_ends_in_the_settle_window_is_not_waited_for(pool: ThreadPoolExecutor) -> None:
    clock = FixedClock()
    chat = RepliedChat(pool, clock=clock)
    lease = chat.open_turn()

    class Releasing(FixedClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            lease.release()

    clock.__class__ = Releasing

    assert chat.deliver(replace(chat.message(1), image_set_id="set-1", image_set_size=2)) == "replied"

    assert clock.monotonic_s() == pytest.approx(IMAGE_SET_S)


def test_a_message_that_is_handed_over_is_due_after_one_lease(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock(), lease_s=600)
    chat.open_turn()

    assert chat.deliver(chat.message(1)) == "handed_over"

    due = DueMarkers(store=chat.store)
    assert due.until(chat.clock.now_ms() + 599_000) == ()
    [marker] = due.until(chat.clock.now_ms() + 660_000)
    assert (marker.kind, marker.id) == ("reply", "m1")


@pytest.mark.parametrize("before", ["answered", "withdrawn", "taken back by its author", "erased"])
def test_a_message_that_wants_no_answer_opens_no_turn(pool: ThreadPoolExecutor, before: str) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    message = replace(chat.message(1), user_id=_ANNA)
    match before:
        case "answered":
            chat.deliver(message)
        case "withdrawn":
            chat.withdraw("m1")
        case "taken back by its author":
            chat.conversation.amendments.forget_member(_ANNA, until_ms=message.timestamp_ms)
        case _:
            withdrawal_of(chat.clock).erase(chat.conversation, until_ms=message.timestamp_ms)
    seen = chat.conversation.turn.read()

    assert chat.deliver(message) == ("already_answered" if before == "answered" else "withdrawn")

    assert chat.conversation.turn.read() == seen
    assert before == "answered" or "text 1" not in everything_in(chat.store)


def test_a_turn_is_opened_early_whatever_else_was_said_and_withdrawn(pool: ThreadPoolExecutor) -> None:
    store = StoreThatReadsLast()
    store.is_open.set()
    chat = RepliedChat(pool, clock=FixedClock(), store=store)
    withdrawal_of(chat.clock).erase(chat.conversation, until_ms=chat.clock.now_ms())
    chat.conversation.journal.record(replace(chat.message(2), addressed=False))
    chat.withdraw("m9")
    store.is_open.clear()
    store.were_open.clear()

    assert chat.deliver(chat.message(3)) == "replied"

    assert store.were_open[0]


def test_a_message_that_was_edited_before_it_came_is_kept_with_its_newest_words(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    chat.edit("m1", "newest words")

    assert chat.deliver(chat.message(1)) == "replied"

    kept = chat.conversation.journal.message_of("m1")
    assert kept is not None
    assert kept.text == "newest words"


def test_questions_are_numbered_as_their_outcomes_will_be(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    numbers: list[int] = []

    def number(question: Question) -> bool:
        numbers.append(question.sequence)
        return False

    chat.kills_by = number
    for which in (1, 2):
        chat.deliver(chat.message(which))

    assert numbers == [chat.outcome("e1").sequence, chat.outcome("e2").sequence] == [1, 2]


@pytest.mark.parametrize(("entries_since_ms", "reaches_back_to"), [(4, 4), (9, 4)])
def test_a_repeated_answer_reaches_back_to_what_it_was_made_of(
    pool: ThreadPoolExecutor, entries_since_ms: int, reaches_back_to: int
) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    asked = chat.message(1)
    deferral = replace(outcome_of([asked], OutcomeKind.DEFERRED), answers=("e1",), offer=Offer(is_deferral=True))
    late = replace(outcome_of([asked], OutcomeKind.STORED), webhook_event_id="e1-late", answers=("e1",), text="3,776 m")
    stored = made_with(late, "m0", since_ms=5, entries_since_ms=entries_since_ms)
    chat.conversation.amendments.erase(3, spares_entries=False)
    chat.conversation.journal.record(asked)
    for outcome in (deferral, stored):
        chat.conversation.journal.record_outcome(outcome)
    press = chat.press(7, "e1")

    assert chat.deliver(press) == "replied"

    sent = chat.outcome("e7")
    assert (sent.text, sent.answered_ids, sent.answers) == ("3,776 m", ("e7",), ("e1",))
    assert (sent.provenance.ids, sent.provenance.since_ms, sent.provenance.until_ms) == (
        frozenset({"m0", "m1", "e7"}),
        5,
        press.timestamp_ms,
    )
    assert sent.provenance.entries_since_ms == reaches_back_to


def test_a_withdrawn_question_whose_answer_is_committed_ends_with_that(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    message = chat.message(1)
    chat.conversation.journal.record(message)
    committed = replace(outcome_of([message], OutcomeKind.REPLIED), text="decided before")
    assert chat.open_turn().commit(committed, Route.on(message.reply_token)) is not None
    chat.withdraw("m1")

    assert chat.deliver(message) == "withdrawn"

    assert (chat.outcome("e1").kind, chat.line.calls) == (OutcomeKind.WITHDRAWN, 0)
    assert chat.clock.monotonic_s() >= 25


class CheckingChat(RepliedChat):
    """A chat whose responder asks the model twice."""

    def respond(self, question: Question) -> OutcomeRecord:
        outcome = super().respond(question)
        question.check_amendments(made_of())
        return outcome


def test_a_prompt_that_is_amended_between_two_requests_to_the_model_is_made_again(pool: ThreadPoolExecutor) -> None:
    chat = CheckingChat(pool, clock=FixedClock())

    def edit() -> None:
        chat.meanwhile = lambda: None
        chat.edit("m1", "newer words")

    chat.meanwhile = edit

    assert chat.deliver(chat.message(1)) == "replied"
    assert chat.questions == [("m1",), ("m1",)]
    assert chat.conversation.turn.read().record.sequence == 1
    assert chat.clock.monotonic_s() < 1


def test_a_message_gives_way_to_a_newer_one_before_what_nobody_else_can_do(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    chat.open_turn()

    with ExitStack() as waiting:
        room, chat_id = chat.runner.room, chat.conversation.id
        others = [waiting.enter_context(room.place(chat_id, gives_way=False)) for _ in range(PLACES)]
        newer = waiting.enter_context(room.place(chat_id, event="m2", sent_ms=chat.clock.now_ms() + 60_000))
        result = chat.deliver(chat.message(1))

    assert result == "handed_over"
    assert not any(one.is_evicted for one in (*others, newer))
    assert chat.clock.monotonic_s() < 1


def test_a_message_takes_the_place_of_its_older_delivery(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    chat.open_turn()

    with ExitStack() as waiting:
        room, events = chat.runner.room, ("m0", "m1", "m2", "m3")
        others = [waiting.enter_context(room.place(chat.conversation.id, event=one, gives_way=False)) for one in events]
        result = chat.deliver(chat.message(1))

    assert result == "replied"
    assert [one.is_evicted for one in others] == [False, True, False, False]


class HeirChat(RepliedChat):
    """A chat whose turn is taken until the newest of its messages, which took the places of all others, has waited a moment."""

    def __init__(self, pool: ThreadPoolExecutor, *, store: MemoryObjectStore | None = None) -> None:
        self.acting = ActingClock()
        super().__init__(pool, clock=self.acting, store=store)

    def deliver_last(self, *messages: MessageRecord, meanwhile: Callable[[], object]) -> str:
        """Deliver the last one while those before it wait; `meanwhile` happens before the turn is free."""
        *others, newest = messages
        lease, room = self.open_turn(), self.runner.room
        with ExitStack() as waiting:
            for _ in range(PLACES - 1):
                waiting.enter_context(room.place(self.conversation.id, gives_way=False))
            for message in others:
                self.conversation.journal.keep(message)
                waiting.enter_context(
                    room.place(self.conversation.id, event=message.line_message_id, sent_ms=message.timestamp_ms)
                )

            def happen() -> None:
                meanwhile()
                lease.release()

            self.acting.meanwhile = happen
            result = self.deliver(newest)
        assert self.clock.monotonic_s() < 2
        return result


def test_a_message_is_answered_although_as_many_commands_wait_as_may(pool: ThreadPoolExecutor) -> None:
    chat = HeirChat(pool)
    lease = chat.open_turn()

    with ExitStack() as waiting:
        for _ in range(PLACES):
            waiting.enter_context(chat.runner.room.place(chat.conversation.id, gives_way=False))
        chat.acting.meanwhile = lease.release
        result = chat.deliver(chat.message(1))

    assert result == "replied"
    assert chat.line.replies == {"t1": ("re m1",)}


def test_a_withdrawn_message_waits_for_those_whose_place_it_took(pool: ThreadPoolExecutor) -> None:
    chat = HeirChat(pool)
    older, old, newer = chat.message(1), chat.message(2), chat.message(3)

    assert chat.deliver_last(older, old, newer, meanwhile=lambda: chat.withdraw("m3")) == "withdrawn"

    assert chat.questions == [("m1", "m2")]


@pytest.mark.parametrize(
    ("answered", "asked"), [(("m3",), [("m1", "m2")]), (("m2", "m3"), [("m1",)]), (("m1", "m2", "m3"), [])]
)
def test_a_message_that_another_worker_answers_goes_on_with_those_whose_places_it_took(
    pool: ThreadPoolExecutor, answered: tuple[str, ...], asked: list[tuple[str, ...]]
) -> None:
    chat = HeirChat(pool)
    messages = [chat.message(number) for number in (1, 2, 3)]
    outcome = outcome_of([one for one in messages if one.line_message_id in answered], OutcomeKind.REPLIED)

    def answer_elsewhere() -> None:
        chat.conversation.journal.record_outcome(outcome)

    assert chat.deliver_last(*messages, meanwhile=answer_elsewhere) == "already_answered"

    assert chat.questions == asked


def test_a_withdrawn_message_waits_for_those_of_its_heritage_that_are_left(pool: ThreadPoolExecutor) -> None:
    chat = HeirChat(pool)
    older, old, newer = chat.message(1), chat.message(2), chat.message(3)

    def withdraw() -> None:
        chat.withdraw("m2")
        chat.withdraw("m3")

    assert chat.deliver_last(older, old, newer, meanwhile=withdraw) == "withdrawn"

    assert chat.questions == [("m1",)]


def test_a_withdrawn_message_goes_on_behind_one_that_was_taken_back_too(pool: ThreadPoolExecutor) -> None:
    chat = HeirChat(pool)
    older, old, newer = chat.message(1), replace(chat.message(2), user_id=_ANNA), chat.message(3)

    def take_back() -> None:
        chat.conversation.amendments.forget_member(_ANNA, until_ms=old.timestamp_ms)
        chat.withdraw("m3")

    assert chat.deliver_last(older, old, newer, meanwhile=take_back) == "withdrawn"

    assert chat.questions == [("m1",)]


def test_a_withdrawn_message_waits_for_the_newest_first_because_older_ones_may_be_too_old(
    pool: ThreadPoolExecutor,
) -> None:
    chat = HeirChat(pool)
    older, old, newer = chat.message(1, age_ms=ANSWERABLE_MS), chat.message(2), chat.message(3)

    assert chat.deliver_last(older, old, newer, meanwhile=lambda: chat.withdraw("m3")) == "withdrawn"

    assert chat.questions == [("m2",)]


def test_an_answered_message_asks_nothing_more_of_the_bucket(pool: ThreadPoolExecutor) -> None:
    store = StoreThatTells()
    chat = HeirChat(pool, store=store)
    old, newer = chat.message(1), replace(chat.message(2), user_id=_ANNA)

    assert chat.deliver_last(old, newer, meanwhile=store.read_names.clear) == "replied"

    assert not [one for one in store.read_names if one.startswith(("amended/", "edited/", "erased/"))]


class StoreThatTells(MemoryObjectStore):
    """A bucket that tells which objects were read."""

    def __init__(self) -> None:
        super().__init__()
        self.read_names: list[str] = []

    def read(self, name: str) -> StoredObject | None:
        self.read_names.append(name)
        return super().read(name)


class SweptStore(MemoryObjectStore):
    """A bucket in which the second pass of an unsend meets the message as soon as it is in the journal."""

    def create(self, name: str, data: bytes) -> int | None:
        created = super().create(name, data)
        if name.startswith("journal/") and name.endswith("/m1.json"):
            self.delete(name)
        return created


class HastyChat(RepliedChat):
    """A chat whose responder asks the model before it looks at the amendments once more."""

    def respond(self, question: Question) -> OutcomeRecord:
        self.questions.append(tuple(one.line_message_id for one in question.asked))
        return super().respond(question)


def test_no_prompt_holds_a_message_that_was_withdrawn_long_ago_and_swept_meanwhile(pool: ThreadPoolExecutor) -> None:
    chat = HastyChat(pool, clock=FixedClock(), store=SweptStore())
    chat.conversation.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=chat.clock.now_ms()))
    fold_amendments(chat.conversation.amendments)

    assert chat.deliver(chat.message(1)) == "withdrawn"
    assert chat.questions == []


class MeteredChat(RepliedChat):
    """A chat whose responder makes one request of ten tokens."""

    def respond(self, question: Question) -> OutcomeRecord:
        with Metering(clock=self.clock).request(Purpose.TURN, "model-1") as made:
            made.usage = Usage(prompt_tokens=10)
        return super().respond(question)


def test_an_outcome_carries_what_its_turn_asked_of_models(pool: ThreadPoolExecutor, lines: io.StringIO) -> None:
    chat = MeteredChat(pool)

    chat.deliver(chat.message(1))

    assert chat.outcome("e1").audit.usage == (ModelUsage(purpose=Purpose.TURN, model_name="model-1", prompt_tokens=10),)
    assert '"turn_metered"' in lines.getvalue()
    assert '"weighted_tokens": 10' in lines.getvalue()


def test_a_chat_over_its_limit_is_told_once_and_outcomes_say_why(pool: ThreadPoolExecutor, lines: io.StringIO) -> None:
    chat = MeteredChat(pool, turns_a_day=1)

    results = [chat.deliver(chat.message(number)) for number in (1, 2, 3)]

    assert results == ["replied", "apologised", "skipped"]
    assert [chat.outcome(one).audit.is_over_limit for one in ("e1", "e2", "e3")] == [False, True, True]
    logged = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [one["scope"] for one in logged if one["message"] == "budget_spent"] == ["chat"]


class SpendingChat(RepliedChat):
    """A chat whose responder comes to the end of a budget while it thinks, after it has done `done`."""

    done = ""

    def respond(self, question: Question) -> OutcomeRecord:
        self.questions.append(tuple(one.line_message_id for one in question.asked))
        text = NamedPhrases().text(Phrase.LIMIT_REACHED)
        outcome = question.draft.with_fixed_text(f"{text}{self.done}", OutcomeKind.APOLOGISED)
        return replace(outcome, audit=replace(outcome.audit, is_over_limit=True))


def test_a_chat_whose_turns_come_to_the_end_of_a_budget_is_told_once(pool: ThreadPoolExecutor) -> None:
    chat = SpendingChat(pool)

    results = [chat.deliver(chat.message(number)) for number in (1, 2, 3)]

    assert results == ["apologised", "skipped", "skipped"]
    assert len(chat.line.replied) == 1


def test_a_turn_that_did_something_before_its_budget_ended_says_so_again(pool: ThreadPoolExecutor) -> None:
    chat = SpendingChat(pool)
    chat.done = "\n\n✓ done"

    results = [chat.deliver(chat.message(number)) for number in (1, 2)]

    assert results == ["apologised", "apologised"]


@pytest.mark.parametrize(
    ("fates", "results"),
    [
        ([], ["apologised", "skipped", "skipped"]),
        (["unknown"], ["apologised", "skipped", "skipped"]),
        (["refused"], ["undelivered", "apologised", "skipped"]),
        (["refused", "refused"], ["undelivered", "undelivered", "apologised"]),
    ],
)
@pytest.mark.parametrize("between", [OutcomeKind.REPLIED, OutcomeKind.SKIPPED, OutcomeKind.UNDELIVERED])
def test_a_chat_is_told_of_its_spent_budget_until_that_may_have_arrived(
    pool: ThreadPoolExecutor, fates: list[str], results: list[str], between: OutcomeKind
) -> None:
    chat = MeteredChat(pool, turns_a_day=1)
    chat.deliver(chat.message(1))
    chat.line.fates = list(fates)

    told = []
    for number in (2, 4, 6):
        told.append(chat.deliver(chat.message(number)))
        other = replace(outcome_of([chat.message(number + 1)], between), text="a command's")
        chat.conversation.journal.record_outcome(other)

    assert told == results


def test_a_chat_is_told_of_its_spent_budget_once_although_memory_keeps_only_the_notice_that_was_lost(
    pool: ThreadPoolExecutor,
) -> None:
    chat = MeteredChat(pool, turns_a_day=1)
    chat.deliver(chat.message(1))
    chat.line.fates = ["refused"]
    results = [chat.deliver(chat.message(number)) for number in (3, 2, 4)]
    conversation = chat.conversation
    assert conversation.objects.store.delete(conversation.names.outcome("e2"))

    results.append(chat.deliver(chat.message(5)))

    assert results == ["undelivered", "apologised", "skipped", "skipped"]


def begin_handover(chat: RepliedChat) -> None:
    """A person of the operator answers for a minute."""
    now_ms = chat.clock.now_ms()
    chat.conversation.silences.add(lambda _: handover("h1", at_ms=now_ms, minutes=1, is_asked=False))


class HandedOverChat(SpendingChat):
    """A chat in which a handover begins as the first turn comes to the end of a budget."""

    def respond(self, question: Question) -> OutcomeRecord:
        if not self.questions:
            begin_handover(self)
        return super().respond(question)


class HandedOverPressChat(RepliedChat):
    """A chat in which a handover begins as the first confirmed change is carried out."""

    is_handed_over = False

    def carry_out(self, question: Question, proposed: tuple[ProposedCall, ...]) -> OutcomeRecord:
        if not self.is_handed_over:
            self.is_handed_over = True
            begin_handover(self)
        return super().carry_out(question, proposed)


def test_a_notice_of_a_spent_budget_that_a_silence_kept_back_is_told_afterwards(pool: ThreadPoolExecutor) -> None:
    chat = HandedOverChat(pool, clock=FixedClock())
    results = [chat.deliver(chat.message(1))]
    chat.clock.sleep(61)

    results += [chat.deliver(chat.message(number)) for number in (2, 3)]

    assert results == ["skipped", "apologised", "skipped"]


def test_a_press_that_a_silence_kept_back_is_told_so_and_may_be_repeated(pool: ThreadPoolExecutor) -> None:
    chat = HandedOverPressChat(pool, clock=FixedClock())
    asked = chat.message(1)
    chat.conversation.journal.record(asked)
    proposal = replace(
        outcome_of([asked], OutcomeKind.REPLIED),
        text="shall I?",
        offer=Offer(proposes=(ProposedCall(tool="delete_entry", arguments="{}", name="lunch"),)),
    )
    chat.conversation.journal.record_outcome(proposal)
    results = [chat.deliver(chat.press(7, "e1"))]
    chat.clock.sleep(61)

    results.append(chat.deliver(chat.press(8, "e1")))

    assert results == ["replied", "replied"]
    assert (chat.outcome("e7").text, chat.outcome("e7").writes) == (Phrase.PRESS_IN_HANDOVER.value, ())
    assert chat.outcome("e8").text == "did lunch"


def test_a_quoted_picture_that_memory_does_not_know_is_shown(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool)
    chat.media.contents["m0"] = HeldContent(data=b"\x89PNG", content_type="image/png")

    chat.deliver(replace(chat.message(1), quoted_message_id="m0"))

    assert chat.outcome("e1").provenance.ids == {"m0", "m1"}


def test_after_deaths_no_quoted_picture_is_fetched(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    quoting = replace(chat.message(1), quoted_message_id="m0")
    chat.kills_by = lambda _: True
    for _ in range(2):
        with pytest.raises(WorkerKilledError):
            chat.deliver(quoting)
        chat.clock.sleep(26)
    asked = chat.media.asked
    chat.kills_by = lambda _: False

    chat.deliver(quoting)

    assert asked > 0
    assert chat.media.asked == asked
    assert chat.questions == [("m1",)] * 3


@pytest.mark.parametrize(("lease_s", "seconds"), [(25.0, 8.0), (10.0, 3.4)])
def test_a_tap_carries_out_what_was_proposed_within_half_its_time_and_fetches_no_media(
    pool: ThreadPoolExecutor, lease_s: float, seconds: float
) -> None:
    chat = RepliedChat(pool, clock=FixedClock(), lease_s=lease_s)
    asked = replace(chat.message(1), quoted_message_id="m0")
    proposal = replace(
        outcome_of([asked], OutcomeKind.REPLIED),
        text="shall I?",
        offer=Offer(proposes=(ProposedCall(tool="delete_entry", arguments="{}", name="lunch"),)),
    )
    for message in (asked, replace(chat.message(2), addressed=False)):
        chat.conversation.journal.record(message)
    chat.conversation.journal.record_outcome(proposal)

    assert chat.deliver(chat.press(7, "e1")) == "replied"

    assert (chat.outcome("e7").text, chat.outcome("e7").answers) == ("did lunch", ("e1",))
    assert chat.outcome("e7").provenance.ids == {"e1", "e7", "m1"}
    assert chat.seconds == [pytest.approx(seconds)]
    assert (chat.questions, chat.media.asked) == ([], 0)
