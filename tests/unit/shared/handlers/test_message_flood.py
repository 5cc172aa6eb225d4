"""A flood of messages is recorded, folded, and answered together."""

from concurrent.futures import ThreadPoolExecutor

from shared.adapters.memory.scripted_model import calling
from shared.turns.flood import A_MINUTE
from tests.support.chats import everything_in
from tests.support.people import Person
from tests.support.pushed import PushedWorker

HELLO = calling(("reply", {"message": "やあ"}))


def test_a_flood_is_recorded_and_its_newest_message_is_answered(pool: ThreadPoolExecutor) -> None:
    friend = Person(PushedWorker(pool), is_in_group=False)
    for _ in range(A_MINUTE):
        friend.worker.deliver(friend.events.text("hi"), thinks=[HELLO])
    waiting = [friend.events.text(f"word {number}") for number in reversed(range(20))]
    sleep = friend.worker.clock.sleep

    def deliver_the_next(seconds: float) -> None:
        sleep(seconds)
        if waiting:
            friend.worker.deliver(waiting.pop(), thinks=[HELLO])

    friend.worker.clock.sleep = deliver_the_next  # type: ignore[method-assign]
    asked = len(friend.worker.model.requests)
    friend.worker.deliver(waiting.pop(), thinks=[HELLO])

    assert waiting == []
    assert len(friend.worker.model.requests) == asked + 1
    assert "word 19" in friend.worker.prompt()
    kept = everything_in(friend.worker.store)
    assert all(f"word {number}" in kept for number in range(20))


def test_a_folded_message_that_quotes_the_bot_waits_for_no_answer_of_its_own(pool: ThreadPoolExecutor) -> None:
    member = Person(PushedWorker(pool), is_in_group=True)
    for _ in range(A_MINUTE):
        member.says("@Aizuchi hi", HELLO)
    bubble = f"{A_MINUTE}-1"
    quoting, newest = member.events.text("and this?", quotedMessageId=bubble), member.events.text("@Aizuchi well?")
    sleep = member.worker.clock.sleep

    def deliver_the_newest(seconds: float) -> None:
        sleep(seconds)
        member.worker.clock.sleep = sleep  # type: ignore[method-assign]
        member.sends(newest, HELLO)

    member.worker.clock.sleep = deliver_the_newest  # type: ignore[method-assign]
    member.sends(quoting)

    record = member.worker.conversations.of(member.events.chat_id).journal.message_of(quoting["message"]["id"])
    assert record is not None
    assert not record.addressed
