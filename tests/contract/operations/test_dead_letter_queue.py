"""Dead letters through the real client, on the wire to a Pub/Sub with dead-letter subscriptions."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from operations.adapters.dead_letter_queue import PubSubDeadLetterQueue, QueueUnavailableError
from operations.dead_letters import DeadLetter
from simulator.pubsub import Message, PubSubServer, SubscriptionSettings
from tests.support.loop import LoopThread

PROJECT = "projects/aizuchi-test"
TOPIC = f"{PROJECT}/topics/dead-letters"
FILTERS = {"letters": 'attributes.type != "unsend"', "unsends": 'attributes.type = "unsend"'}


@dataclass(frozen=True, slots=True, kw_only=True)
class PubSub:
    server: PubSubServer
    loop: LoopThread
    port: int

    def queue(self, *subscriptions: str) -> PubSubDeadLetterQueue:
        return PubSubDeadLetterQueue(
            project_id="aizuchi-test",
            subscriptions=subscriptions or tuple(FILTERS),
            emulator_host=f"127.0.0.1:{self.port}",
            wait_s=1.0,
        )

    def publish_letters(self, *kinds: str) -> None:
        async def publish() -> None:
            self.server.publish(TOPIC, [Message(data=kind.encode(), attributes={"type": kind}) for kind in kinds])

        self.loop.run(publish())


@pytest.fixture
def pubsub() -> Iterator[PubSub]:
    server = PubSubServer()
    server.create_topic(TOPIC)
    for name, filter_ in FILTERS.items():
        server.create_subscription(
            SubscriptionSettings(name=f"{PROJECT}/subscriptions/{name}", topic=TOPIC, filter=filter_)
        )
    with LoopThread() as loop:
        yield PubSub(server=server, loop=loop, port=loop.run(server.start()))
        loop.run(server.stop())


def kinds(letters: tuple[DeadLetter, ...]) -> list[str]:
    return sorted(one.data.decode() for one in letters)


def test_letters_of_every_subscription_are_pulled_unchanged(pubsub: PubSub) -> None:
    pubsub.publish_letters("message", "unsend")

    letters = pubsub.queue().pull(10)

    assert kinds(letters) == ["message", "unsend"]
    assert all(one.attributes == {"type": one.data.decode()} for one in letters)
    assert all(one.published_ms > 0 and one.pubsub_message_id for one in letters)


def test_an_empty_queue_returns_no_letters(pubsub: PubSub) -> None:
    assert pubsub.queue().pull(10) == ()


def test_a_pull_returns_at_most_the_requested_number(pubsub: PubSub) -> None:
    pubsub.publish_letters("message", "message", "message")

    assert len(pubsub.queue().pull(2)) == 2


def test_a_pulled_letter_is_hidden_until_it_is_released(pubsub: PubSub) -> None:
    pubsub.publish_letters("message")
    (letter,) = pubsub.queue().pull(10)
    assert pubsub.queue().pull(10) == ()

    pubsub.queue().release(letter)

    assert kinds(pubsub.queue().pull(10)) == ["message"]


def test_an_acknowledged_letter_is_not_pulled_again(pubsub: PubSub) -> None:
    pubsub.publish_letters("message")
    (letter,) = pubsub.queue().pull(10)

    pubsub.queue().acknowledge(letter)
    pubsub.queue().release(letter)

    assert pubsub.queue().pull(10) == ()


def test_a_missing_subscription_is_one_clear_error(pubsub: PubSub) -> None:
    with pytest.raises(QueueUnavailableError, match="check the names"):
        pubsub.queue("another").pull(1)
