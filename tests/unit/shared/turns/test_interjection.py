"""Interjections: when a message that nobody addressed to the bot is thought about."""

import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi
from shared.bus.endpoint import REQUEST_S
from shared.clock import Deadline
from shared.conversation.records import ANSWERABLE_MS, MessageRecord, OutcomeKind, OutcomeRecord, outcome_of
from shared.conversation.store import Conversation
from shared.conversation.turn import Route
from shared.errors import PromptAmendedError
from shared.line.messaging import ReplyToken
from shared.metering import Metering, ModelUsage, Purpose, Usage
from shared.turns.interjection import EVERY_MS, Interjection
from shared.turns.lease import open_turn
from shared.turns.question import Question
from tests.support.chats import answer, conversations_on, message
from tests.support.phrases import NamedPhrases
from tests.support.races import SharedStore
from tests.support.turns import outbox_on, runner_on, unlimited


@dataclass
class Interjecting:
    """A chat of a group in which the model may interject; it answers with `kind`."""

    conversation: Conversation
    clock: FixedClock
    kind: OutcomeKind = OutcomeKind.REPLIED
    is_amended: bool = False
    line: MemoryLineApi = field(default_factory=MemoryLineApi)
    questions: list[Question] = field(default_factory=list)
    turns_a_day: int = 0

    def respond(self, question: Question) -> OutcomeRecord:
        self.questions.append(question)
        if self.is_amended:
            raise PromptAmendedError("edited")
        return replace(question.draft, kind=self.kind, text="by the way")

    def message(self, number: int, *, age_ms: int = 0) -> MessageRecord:
        """Return a message of the group, which came now with a token of its own."""
        now_ms = self.clock.now_ms()
        said = message(number, addressed=False, timestamp_ms=now_ms - age_ms)
        return replace(said, reply_token=ReplyToken(value=f"t{number}", received_ms=now_ms))

    def deliver(self, said: MessageRecord) -> str:
        self.conversation.journal.keep(said)
        outbox = outbox_on(self.line, self.clock)
        interject = Interjection(
            runner=runner_on(outbox),
            responder=self,
            outbox=outbox,
            phrases=NamedPhrases(),
            budgets=unlimited(self.conversation.objects, self.clock, turns_a_day=self.turns_a_day),
            clock=self.clock,
        )
        return interject(self.conversation, said, Deadline.after(self.clock, REQUEST_S))


@pytest.fixture
def store() -> SharedStore:
    return SharedStore()


@pytest.fixture
def group(store: SharedStore, reads: ThreadPoolExecutor, clock: FixedClock) -> Interjecting:
    return Interjecting(conversations_on(store, reads, clock).of("C" + "1" * 32), clock)


def test_an_interjection_covers_its_message(group: Interjecting) -> None:
    assert group.deliver(group.message(1)) == "replied"

    [question] = group.questions
    assert (question.is_overheard, question.sequence, question.asked[0].line_message_id) == (True, 1, "m1")
    assert question.deadline.left_s == pytest.approx(8.5)  # half of what the lease lets its holder write in
    assert group.line.replies == {"t1": ("by the way",)}
    recorded = group.conversation.journal.outcome_of("e1")
    assert recorded is not None
    assert (recorded.kind, recorded.answered_ids, recorded.sequence) == (OutcomeKind.REPLIED, ("m1",), 1)


@pytest.mark.parametrize("kind", [OutcomeKind.SKIPPED, OutcomeKind.APOLOGISED])
def test_what_is_no_reply_is_not_said(group: Interjecting, kind: OutcomeKind) -> None:
    group.kind = kind

    assert group.deliver(group.message(1)) == "skipped"

    recorded = group.conversation.journal.outcome_of("e1")
    assert recorded is not None
    assert (recorded.kind, recorded.text, group.line.calls) == (OutcomeKind.SKIPPED, None, 0)


@pytest.mark.parametrize(("age_ms", "asked"), [(ANSWERABLE_MS - 1, 1), (ANSWERABLE_MS, 0)])
def test_a_message_that_can_no_longer_be_answered_is_context(group: Interjecting, age_ms: int, asked: int) -> None:
    group.deliver(group.message(1, age_ms=age_ms))

    assert len(group.questions) == asked


@pytest.mark.parametrize(("pause_ms", "asked"), [(EVERY_MS - 1, 1), (EVERY_MS, 2)])
def test_a_chat_is_thought_about_at_most_once_in_thirty_seconds(group: Interjecting, pause_ms: int, asked: int) -> None:
    group.deliver(group.message(1))
    group.clock.move(pause_ms / 1_000)

    group.deliver(group.message(2))

    assert len(group.questions) == asked


_RESTED_S = 40 + ANSWERABLE_MS / 1_000


@pytest.mark.parametrize("is_unasked", [False, True])
@pytest.mark.parametrize(("seconds", "asked"), [(39.999, 0), (40, 0), (_RESTED_S - 0.001, 0), (_RESTED_S, 1)])
def test_nobody_interjects_for_twenty_minutes_after_a_worker_died(
    reads: ThreadPoolExecutor, clock: FixedClock, store: SharedStore, seconds: float, asked: int, *, is_unasked: bool
) -> None:
    group = Interjecting(conversations_on(store, reads, clock, lease_s=40).of("C" + "1" * 32), clock)
    assert open_turn(group.conversation, group.conversation.turn.read(), is_unasked=is_unasked) is not None
    clock.move(seconds)

    group.deliver(group.message(1))

    assert len(group.questions) == asked


@pytest.mark.parametrize(("answers", "asked"), [(False, 0), (True, 1)])
def test_an_answer_ends_the_rest_after_a_death_and_no_other_turn_does(
    group: Interjecting, *, answers: bool, asked: int
) -> None:
    assert open_turn(group.conversation, group.conversation.turn.read(), is_unasked=True) is not None
    group.clock.move(60)
    lease = open_turn(group.conversation, group.conversation.turn.read())
    assert lease is not None
    if answers:
        committed = lease.commit(answer(7), Route())
        assert committed is not None
        group.conversation.journal.record_outcome(committed)
    else:
        lease.release()
    group.clock.move(60)

    group.deliver(group.message(1))

    assert len(group.questions) == asked


def test_an_idle_turn_frees_the_chat_after_thirty_seconds_whatever_its_lease(
    reads: ThreadPoolExecutor, clock: FixedClock, store: SharedStore
) -> None:
    group = Interjecting(conversations_on(store, reads, clock, lease_s=40).of("C" + "1" * 32), clock)
    lease = open_turn(group.conversation, group.conversation.turn.read())
    assert lease is not None
    lease.release()
    clock.move(30)

    assert group.deliver(group.message(1)) == "replied"
    assert group.questions[0].deadline.left_s == 10


def test_a_person_who_waits_comes_first(group: Interjecting) -> None:
    waiting = replace(group.message(1), addressed=True)
    group.conversation.journal.keep(waiting)

    assert group.deliver(group.message(2)) == "kept_as_context"
    assert group.questions == []


def test_a_committed_answer_comes_first(group: Interjecting) -> None:
    asked = group.message(1)
    lease = open_turn(group.conversation, group.conversation.turn.read())
    assert lease is not None
    outcome = replace(outcome_of([asked], OutcomeKind.REPLIED), text="hello")
    assert lease.commit(outcome, lease.record.route) is not None
    group.clock.move(60)

    assert group.deliver(group.message(2)) == "kept_as_context"
    assert group.questions == []


def test_a_message_without_a_live_token_is_context(group: Interjecting) -> None:
    said = group.message(1)
    group.clock.move(65)

    assert group.deliver(said) == "kept_as_context"
    assert group.questions == []


def test_a_message_whose_token_ends_while_the_turn_is_opened_is_context(
    group: Interjecting, store: SharedStore
) -> None:
    store.others = [lambda: group.clock.move(65)]

    assert group.deliver(group.message(1)) == "kept_as_context"

    assert not group.questions


def test_a_message_that_is_covered_or_withdrawn_is_not_thought_about(group: Interjecting) -> None:
    covered, withdrawn = group.message(1), group.message(2)
    group.conversation.journal.record_outcome(answer(1))
    group.conversation.amendments.erase(withdrawn.timestamp_ms)

    assert [group.deliver(covered), group.deliver(withdrawn)] == ["kept_as_context", "kept_as_context"]
    assert group.questions == []


def test_a_prompt_that_is_amended_leaves_the_turn_free(group: Interjecting) -> None:
    group.is_amended = True

    assert group.deliver(group.message(1)) == "kept_as_context"

    assert group.conversation.turn.read().record.state == "idle"
    assert group.line.calls == 0


def test_an_interjection_that_loses_its_turn_sends_nothing(group: Interjecting, store: SharedStore) -> None:
    def lose_the_turn() -> None:
        store.others = [lambda: None, lambda: open_turn(group.conversation, group.conversation.turn.read())]

    lose_the_turn()

    assert group.deliver(group.message(1)) == "kept_as_context"
    assert (len(group.questions), group.line.calls) == (1, 0)


def test_an_interjection_that_another_worker_overtakes_asks_no_model(group: Interjecting, store: SharedStore) -> None:
    store.others = [lambda: open_turn(group.conversation, group.conversation.turn.read())]

    assert group.deliver(group.message(1)) == "kept_as_context"
    assert group.questions == []


class MeteredInterjecting(Interjecting):
    """A chat in which an interjection makes one request of ten tokens."""

    def respond(self, question: Question) -> OutcomeRecord:
        with Metering(clock=self.clock).request(Purpose.TURN, "model-1") as made:
            made.usage = Usage(prompt_tokens=10)
        return super().respond(question)


def test_an_interjection_carries_what_it_asked_of_models(group: Interjecting, lines: io.StringIO) -> None:
    metered = MeteredInterjecting(conversation=group.conversation, clock=group.clock)

    metered.deliver(metered.message(1))

    outcome = group.conversation.journal.outcome_of("e1")
    assert outcome is not None
    assert outcome.audit.usage == (ModelUsage(purpose=Purpose.TURN, model_name="model-1", prompt_tokens=10),)
    assert '"turn_metered"' in lines.getvalue()


def test_a_chat_over_its_limit_gets_no_interjection(group: Interjecting) -> None:
    metered = MeteredInterjecting(conversation=group.conversation, clock=group.clock, turns_a_day=1)
    first = metered.deliver(metered.message(1))
    group.clock.move(EVERY_MS / 1_000)

    assert (first, metered.deliver(metered.message(2))) == ("replied", "kept_as_context")
    assert len(metered.questions) == 1
    assert group.conversation.turn.read().record.state == "idle"
