from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from shared.adapters.memory.scripted_model import calling
from shared.conversation.history_reader import OUTCOMES_READ
from shared.conversation.records import Offer, OutcomeKind
from shared.conversation.snapshot import MemoryLimits
from shared.line.phrases import Phrase
from shared.line.postback_data import AnswerButton, AnswerPress
from shared.turns.deferral import stored_id
from tests.support import recorded
from tests.support.chats import answer, message
from tests.support.people import START_MS, Person
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker

HELLO = calling(("reply", {"message": "こんにちは！"}))
BUTTON = AnswerPress(button=AnswerButton.SHOW, answer_id="e1").data


def with_stored_answer(worker: PushedWorker) -> Person:
    """Return a person whose first question was deferred, and its answer stored for a press of the button."""
    friend = Person(worker, is_in_group=False)
    friend.events.skip(1)
    journal = worker.conversations.of(friend.events.chat_id).journal
    journal.keep(message(1, "how high is it?", timestamp_ms=START_MS))
    deferral = replace(answer(1, "still thinking"), kind=OutcomeKind.DEFERRED, answers=("e1",))
    journal.record_outcome(replace(deferral, offer=Offer(is_deferral=True)))
    stored = replace(deferral, webhook_event_id=stored_id("e1"), kind=OutcomeKind.STORED, text="3,776 m")
    journal.record_outcome(stored)
    return friend


def test_press_of_an_unknown_deferral_finds_nothing(worker: PushedWorker) -> None:
    worker.deliver(recorded.event("message-text"), thinks=[HELLO])

    assert worker.deliver(recorded.event("postback", postback={"data": "late:01FZ74A0TDDPYRVKNK77XK9999"})) == 204

    assert worker.said == ["こんにちは！", japanese(Phrase.NOTHING_TO_SHOW)]
    assert len(worker.model.requests) == 1


def test_a_stored_answer_is_found_however_many_commands_follow_it(worker: PushedWorker) -> None:
    friend = with_stored_answer(worker)
    for _ in range(OUTCOMES_READ):
        friend.says("/help")

    friend.presses(BUTTON)

    assert worker.said[-1] == "3,776 m"


def test_a_stored_answer_is_sent_once_however_many_commands_follow_it(pool: ThreadPoolExecutor) -> None:
    worker = PushedWorker(pool, memory=MemoryLimits(journalled=1))  # the turn of the press is followed by a compaction
    friend = with_stored_answer(worker)
    friend.presses(BUTTON)
    for _ in range(OUTCOMES_READ):
        friend.says("/help")

    friend.presses(BUTTON)

    assert worker.said.count("3,776 m") == 1
