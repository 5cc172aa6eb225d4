"""A flood of messages is recorded, folded, and answered together."""

from concurrent.futures import ThreadPoolExecutor

from shared.adapters.memory.scripted_model import calling
from shared.turns.flood import A_MINUTE
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.people import Person
from tests.support.pushed import PushedWorker

HELLO = calling(("reply", {"message": "やあ"}))


def test_a_flood_is_recorded_and_answered_once(pool: ThreadPoolExecutor) -> None:
    friend = Person(PushedWorker(pool), is_in_group=False)
    for _ in range(A_MINUTE):
        friend.worker.deliver(friend.events.text("hi"), thinks=[HELLO])
    flood = [friend.events.text(f"word {number}") for number in range(20)]
    waiting = list(reversed(flood))
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
    assert "word 0" in friend.worker.prompt()
    assert "word 19" in friend.worker.prompt()
    assert everything_in(friend.worker.store).count(f"journal/{recorded.USER}/") > 0
