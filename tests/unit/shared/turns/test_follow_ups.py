"""Follow-ups: messages that the same people add while the model thinks get the same answer."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi
from shared.clock import Deadline
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.errors import FollowUpError, ModelUnavailableError
from shared.line.messaging import OutgoingMessage, ReplyFate, ReplyToken
from shared.metering import Metering, Purpose, Usage
from shared.turns.deferral import LateReply
from shared.turns.follow_ups import LEAST_TO_ASK_ANEW_S, MOST_ASKED_ANEW, FollowUpWatch
from shared.turns.question import Question
from shared.turns.waiting_room import Place
from tests.support.turns import RepliedChat

ANNA, BEN = ("U" + letter * 32 for letter in "ab")


class AskedChat(RepliedChat):
    """A chat whose responder asks the model by the question's follow-ups; `meanwhile` happens during each request."""

    def from_(self, author: str, number: int) -> MessageRecord:
        return replace(self.message(number), user_id=author)

    def respond(self, question: Question) -> OutcomeRecord:
        return question.follow_ups.ask(lambda: super(AskedChat, self).respond(question))


class CutOffChat(AskedChat):
    """A chat in which the answer to the first message alone comes only after the answer to more messages."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        super().__init__(pool)
        self.may_answer.clear()

    def respond(self, question: Question) -> OutcomeRecord:
        if len(question.asked) > 1:
            self.may_answer.set()
        return super().respond(question)


def test_a_follow_up_of_the_same_person_ends_the_request_and_gets_the_same_answer(pool: ThreadPoolExecutor) -> None:
    chat = CutOffChat(pool)

    with ThreadPoolExecutor(2) as workers:
        first = workers.submit(chat.deliver, chat.from_(ANNA, 1))
        assert chat.is_thinking.wait(30)
        second = workers.submit(chat.deliver, chat.from_(ANNA, 2))

        assert (first.result(60), second.result(60)) == ("replied", "already_answered")

    assert chat.questions == [("m1",), ("m1", "m2")]
    assert chat.line.replies == {"t2": ("re m1 m2",)}
    assert chat.conversation.turn.read().record.tries == 0


class NotedLine(MemoryLineApi):
    """LINE, which tells when it was called."""

    def __init__(self) -> None:
        super().__init__()
        self.was_called = threading.Event()

    def reply(self, token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        self.was_called.set()
        return super().reply(token, messages)


class MeteredChat(AskedChat):
    """A chat with a model whose requests cost 100 tokens; the request about the first message alone is answered after the reply."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._line = NotedLine()
        super().__init__(pool, line=self._line)

    def respond(self, question: Question) -> OutcomeRecord:
        return question.follow_ups.ask(partial(self._request, question))

    def _request(self, question: Question) -> OutcomeRecord:
        estimate = Usage(prompt_tokens=90)
        with Metering(clock=self.clock).request(Purpose.TURN, "model", estimate=lambda: estimate) as request:
            outcome = RepliedChat.respond(self, question)
            if len(question.asked) == 1:
                assert self._line.was_called.wait(30)
            request.usage = Usage(prompt_tokens=100)
        return outcome


def test_the_outcome_counts_requests_that_were_ended_and_are_not_answered_yet(pool: ThreadPoolExecutor) -> None:
    chat = MeteredChat(pool)

    with ThreadPoolExecutor(2) as workers:
        deliveries = [workers.submit(chat.deliver, chat.from_(ANNA, 1))]
        assert chat.is_thinking.wait(30)
        deliveries.append(workers.submit(chat.deliver, chat.from_(ANNA, 2)))
        assert [one.result(60) for one in deliveries] == ["replied", "already_answered"]

    [usage] = chat.outcome("e2").audit.usage
    assert (usage.requests, usage.prompt_tokens) == (2, 100 + 90)


def record(chat: AskedChat, message: MessageRecord) -> Callable[[], None]:
    """Return the work of another instance that records the message, once."""
    return lambda: chat.conversation.journal.keep(message)


@pytest.fixture
def chat(pool: ThreadPoolExecutor) -> AskedChat:
    return AskedChat(pool, clock=FixedClock())


def test_a_follow_up_that_another_instance_recorded_gets_the_same_answer(chat: AskedChat) -> None:
    chat.meanwhile = record(chat, chat.from_(ANNA, 2))

    assert chat.deliver(chat.from_(ANNA, 1)) == "replied"

    assert chat.questions == [("m1",), ("m1", "m2")]
    assert chat.line.replies == {"t2": ("re m1 m2",)}


@pytest.mark.parametrize(
    "differs",
    [
        {"user_id": BEN},
        {"user_id": None},
        {"addressed": False},
        {"presses": "e0", "type": "postback"},
        {"type": "image", "image_set_id": "set", "image_set_size": 2},
    ],
)
def test_what_is_no_follow_up_does_not_delay_the_answer(chat: AskedChat, differs: dict[str, object]) -> None:
    chat.meanwhile = record(chat, replace(chat.from_(ANNA, 2), **differs))  # type: ignore[arg-type]

    chat.deliver(chat.from_(ANNA, 1))

    assert chat.questions == [("m1",)]
    assert chat.line.replies == {"t1": ("re m1",)}


def test_the_model_is_asked_anew_four_times_at_most(chat: AskedChat) -> None:
    chat.meanwhile = lambda: chat.conversation.journal.keep(chat.from_(ANNA, len(chat.questions) + 1))

    chat.deliver(chat.from_(ANNA, 1))

    assert [len(asked) for asked in chat.questions] == [*range(1, 2 + MOST_ASKED_ANEW)]
    assert chat.line.replies == {"t5": ("re m1 m2 m3 m4 m5",)}


@pytest.mark.parametrize(("thought_s", "may"), [(8.0, True), (8.1, False)])
def test_the_model_is_asked_anew_only_in_the_first_eight_seconds(
    chat: AskedChat, thought_s: float, *, may: bool
) -> None:
    watch = watch_of(chat, seconds=40)

    chat.clock.sleep(thought_s)

    assert watch.may_ask_anew == may


def test_the_time_to_think_does_not_begin_anew(chat: AskedChat) -> None:
    def meanwhile() -> None:
        chat.clock.sleep(3)
        chat.conversation.journal.keep(chat.from_(ANNA, len(chat.questions) + 1))

    chat.meanwhile = meanwhile

    chat.deliver(chat.from_(ANNA, 1))

    assert chat.seconds == [40, 37, 34]


@pytest.mark.parametrize(
    ("token_age_ms", "questions"), [(15_000, [("m1",), ("m1", "m2")]), (17_000, [("m1",)]), (40_000, [("m1",)])]
)
def test_without_late_replies_an_answer_is_not_withheld_on_an_old_token(
    pool: ThreadPoolExecutor, token_age_ms: int, questions: list[tuple[str, ...]]
) -> None:
    chat = AskedChat(pool, clock=FixedClock(), late_reply=LateReply.DROP)
    first, second = (replace(chat.message(number, token_age_ms=token_age_ms), user_id=ANNA) for number in range(1, 3))
    chat.meanwhile = record(chat, second)

    assert chat.deliver(first) == "replied"

    assert chat.questions == questions


class ActingChat(AskedChat):
    """A chat whose responder acts outside before it asks the model."""

    def respond(self, question: Question) -> OutcomeRecord:
        question.follow_ups.begin_act()
        return super().respond(question)


def test_what_acted_outside_is_not_asked_anew(pool: ThreadPoolExecutor) -> None:
    chat = ActingChat(pool, clock=FixedClock())
    chat.meanwhile = record(chat, chat.from_(ANNA, 2))

    chat.deliver(chat.from_(ANNA, 1))

    assert chat.questions == [("m1",)]
    assert chat.line.replies == {"t1": ("re m1",)}


def test_a_message_that_is_withdrawn_meanwhile_is_in_no_further_prompt(chat: AskedChat) -> None:
    def meanwhile() -> None:
        chat.meanwhile = lambda: None
        chat.conversation.journal.keep(chat.from_(ANNA, 2))
        chat.withdraw("m1")

    chat.meanwhile = meanwhile

    assert chat.deliver(chat.from_(ANNA, 1)) == "withdrawn"

    assert chat.questions == [("m1",)]
    assert chat.line.replies == {}


# The watch alone


def watch_of(chat: RepliedChat, *, seconds: float = 40, known: str = "m1") -> FollowUpWatch:
    return FollowUpWatch(
        conversation=chat.conversation,
        authors={ANNA},
        known_ids={known},
        deadline=Deadline.after(chat.clock, seconds),
        requests=chat.conversation.objects.reads,
        new_event=threading.Event,
        abandoned=[],
        is_over=lambda: False,
    )


@pytest.mark.parametrize(
    ("place", "ends"),
    [
        (Place(event="m2", author=ANNA), True),
        (Place(event="m2", author=BEN), False),
        (Place(event="m2"), False),
        (Place(event="m1", author=ANNA), False),
    ],
)
def test_only_new_messages_of_the_same_people_end_a_request(chat: AskedChat, place: Place, *, ends: bool) -> None:
    watch = watch_of(chat)
    watch.see(place)

    if ends:
        with pytest.raises(FollowUpError):
            watch.ask(lambda: "answer")
    else:
        assert watch.ask(lambda: "answer") == "answer"


def test_a_follow_up_that_comes_too_late_waits_for_the_answer(chat: AskedChat) -> None:
    watch = watch_of(chat, seconds=LEAST_TO_ASK_ANEW_S)

    def thinks() -> str:
        chat.clock.sleep(1)
        watch.see(Place(event="m2", author=ANNA))
        return "answer"

    assert watch.ask(thinks) == "answer"
    assert watch.abandoned == []


def test_an_abandoned_request_goes_on_and_is_awaited_later(chat: AskedChat) -> None:
    watch, may_answer = watch_of(chat), threading.Event()

    def thinks() -> str:
        watch.see(Place(event="m2", author=ANNA))
        assert may_answer.wait(30)
        return "answer"

    with pytest.raises(FollowUpError):
        watch.ask(thinks)
    may_answer.set()

    assert [request.result(30) for request in watch.abandoned] == ["answer"]


def test_an_error_of_the_request_is_raised(chat: AskedChat) -> None:
    def fails() -> str:
        raise ModelUnavailableError("down")

    with pytest.raises(ModelUnavailableError):
        watch_of(chat).ask(fails)
