"""The broker with endpoints in memory: redelivery, dead letters, chaos and idleness."""

import asyncio
import datetime as dt
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pytest

from simulator.pubsub.broker import Broker
from simulator.pubsub.chaos import Chaos
from simulator.pubsub.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    UnavailableError,
)
from simulator.pubsub.model import (
    DELETED_TOPIC,
    DeadLetterPolicy,
    Message,
    RetryPolicy,
    SubscriptionSettings,
    Tuning,
)
from simulator.pubsub.push import PushResult

TOPIC, DEAD = "projects/p/topics/events", "projects/p/topics/dead"
PUSH = SubscriptionSettings(
    name="projects/p/subscriptions/worker", topic=TOPIC, push_endpoint="http://worker.test/", ack_deadline_s=10.0
)
PULL = SubscriptionSettings(name="projects/p/subscriptions/reader", topic=TOPIC)
BURIED = SubscriptionSettings(name="projects/p/subscriptions/graves", topic=DEAD)
QUICK = Tuning(redelivery_floor_s=0.001, minimum_ack_deadline_s=0.02, pull_wait_s=0.05)
MOMENT = dt.datetime(2026, 1, 31, 9, 30, 0, 123_456, tzinfo=dt.UTC)
ACKNOWLEDGED = PushResult(status=204, outcome="acknowledged")
REFUSED = PushResult(status=503, outcome="refused")

Result = TypeVar("Result")


@dataclass(slots=True, kw_only=True)
class Endpoint:
    """An endpoint that answers what it is told to; remembers what it got, and how many requests it had at once."""

    answer: Callable[[dict[str, Any]], Awaitable[PushResult]]
    got: list[dict[str, Any]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    async def push(self, endpoint: str, body: bytes, *, timeout_s: float) -> PushResult:
        assert endpoint == PUSH.push_endpoint
        message = json.loads(body)["message"]
        self.got.append(message)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            async with asyncio.timeout(timeout_s):
                return await self.answer(message)
        except TimeoutError:
            return PushResult(status=None, outcome="deadline")
        finally:
            self.at_once -= 1


def says(*results: PushResult) -> Endpoint:
    """An endpoint that gives these answers, one a request, and the last one from then on."""
    ahead = list(results)

    async def answer(_message: dict[str, Any]) -> PushResult:
        return ahead.pop(0) if len(ahead) > 1 else ahead[0]

    return Endpoint(answer=answer)


def run(broker: Broker, endpoint: Endpoint, script: Coroutine[object, object, Result]) -> Result:
    async def whole() -> Result:
        broker.open(endpoint)
        try:
            async with asyncio.timeout(5.0):
                return await script
        finally:
            await broker.close()

    return asyncio.run(whole())


def make_broker(
    *settings: SubscriptionSettings,
    chaos: Chaos | None = None,
    tuning: Tuning = QUICK,
    on_event: Callable[[str, Mapping[str, object]], None] | None = None,
) -> Broker:
    broker = Broker(clock=lambda: MOMENT, chance=random.Random(1), chaos=chaos, tuning=tuning, on_event=on_event)
    broker.create_topic(TOPIC)
    broker.create_topic(DEAD)
    for each in settings:
        broker.create_subscription(each)
    return broker


def texts(*bodies: str) -> list[Message]:
    return [Message(data=body.encode()) for body in bodies]


def test_an_acknowledged_message_comes_once() -> None:
    broker, endpoint = make_broker(PUSH), says(ACKNOWLEDGED)

    async def script() -> tuple[str, ...]:
        ids = broker.publish(TOPIC, texts("one", "two"))
        await broker.idle()
        await asyncio.sleep(0.01)
        return ids

    ids = run(broker, endpoint, script())

    assert [message["messageId"] for message in endpoint.got] == list(ids)
    assert len(set(ids)) == 2
    assert all(each.isdecimal() for each in ids)
    assert endpoint.got[0]["publishTime"] == "2026-01-31T09:30:00.123Z"


def test_a_refused_message_comes_until_it_is_acknowledged() -> None:
    broker, endpoint = make_broker(PUSH), says(REFUSED, REFUSED, ACKNOWLEDGED)

    async def script() -> None:
        broker.publish(TOPIC, texts("one"))
        await broker.idle()

    run(broker, endpoint, script())

    assert len(endpoint.got) == 3


def test_a_push_past_its_deadline_counts_as_refused() -> None:
    impatient = SubscriptionSettings(name=PUSH.name, topic=TOPIC, push_endpoint=PUSH.push_endpoint, ack_deadline_s=0.02)
    broker, seen = make_broker(impatient), []

    async def answer(message: dict[str, Any]) -> PushResult:
        seen.append(message["messageId"])
        if len(seen) == 1:
            await asyncio.sleep(60.0)
        return ACKNOWLEDGED

    async def script() -> None:
        broker.publish(TOPIC, texts("slow"))
        await broker.idle()

    run(broker, Endpoint(answer=answer), script())

    assert len(seen) == 2


def test_pushes_run_at_once_as_far_as_the_window_goes() -> None:
    narrow = make_broker(PUSH, tuning=Tuning(push_window=3))

    async def answer(_message: dict[str, Any]) -> PushResult:
        await asyncio.sleep(0.002)
        return ACKNOWLEDGED

    async def script() -> None:
        narrow.publish(TOPIC, texts(*"abcdefgh"))
        await narrow.idle()

    endpoint = Endpoint(answer=answer)
    run(narrow, endpoint, script())

    assert endpoint.most_at_once == 3
    assert len(endpoint.got) == 8


def test_a_filtered_subscription_gets_what_matches_and_is_idle_about_the_rest() -> None:
    unsend = SubscriptionSettings(
        name=PUSH.name, topic=TOPIC, push_endpoint=PUSH.push_endpoint, filter='attributes.type = "unsend"'
    )
    broker, endpoint = make_broker(unsend), says(ACKNOWLEDGED)

    async def script() -> None:
        broker.publish(TOPIC, [Message(attributes={"type": "message"}), Message(attributes={"type": "unsend"})])
        broker.publish(TOPIC, texts("no type at all"))
        await broker.idle()

    run(broker, endpoint, script())

    assert [message["attributes"] for message in endpoint.got] == [{"type": "unsend"}]


def test_a_message_that_fails_too_often_is_buried_with_its_story() -> None:
    mortal = SubscriptionSettings(
        name=PUSH.name,
        topic=TOPIC,
        push_endpoint=PUSH.push_endpoint,
        dead_letter_policy=DeadLetterPolicy(topic=DEAD, max_delivery_attempts=5),
    )
    broker, endpoint = make_broker(mortal, BURIED), says(REFUSED)

    async def script() -> Message:
        broker.publish(TOPIC, [Message(data=b"poison", attributes={"type": "message"})])
        await broker.idle()
        (grave,) = await broker.subscription(BURIED.name).pull(10, wait=False)
        return grave.message.message

    buried = run(broker, endpoint, script())

    assert len(endpoint.got) == 5
    assert buried.data == b"poison"
    assert buried.attributes == {
        "type": "message",
        "CloudPubSubDeadLetterSourceSubscription": "worker",
        "CloudPubSubDeadLetterSourceSubscriptionProject": "p",
        "CloudPubSubDeadLetterSourceTopicPublishTime": "2026-01-31T09:30:00.123+00:00",
        "CloudPubSubDeadLetterSourceDeliveryCount": "5",
    }


def test_without_a_dead_letter_topic_a_message_is_tried_on() -> None:
    mortal = SubscriptionSettings(
        name=PUSH.name, topic=TOPIC, push_endpoint=PUSH.push_endpoint, dead_letter_policy=DeadLetterPolicy(topic=DEAD)
    )
    broker, endpoint = make_broker(mortal), says(*[REFUSED] * 6, ACKNOWLEDGED)
    broker.delete_topic(DEAD)

    async def script() -> None:
        broker.publish(TOPIC, texts("one"))
        await broker.idle()

    run(broker, endpoint, script())

    assert len(endpoint.got) == 7


def test_a_lost_dead_letter_topic_does_not_stop_other_changes() -> None:
    mortal = SubscriptionSettings(name=PULL.name, topic=TOPIC, dead_letter_policy=DeadLetterPolicy(topic=DEAD))
    broker = make_broker(mortal)
    broker.delete_topic(DEAD)

    changed = broker.update_subscription(replace(mortal, ack_deadline_s=60.0))

    assert changed.ack_deadline_s == 60.0
    with pytest.raises(NotFoundError):
        broker.update_subscription(replace(mortal, dead_letter_policy=DeadLetterPolicy(topic=f"{DEAD}-too")))


def test_every_step_is_told() -> None:
    told: list[tuple[str, Mapping[str, object]]] = []
    broker = make_broker(PUSH, on_event=lambda name, fields: told.append((name, fields)))

    async def script() -> str:
        (message_id,) = broker.publish(TOPIC, texts("one"))
        await broker.idle()
        return message_id

    message_id = run(broker, says(REFUSED, ACKNOWLEDGED), script())

    assert [name for name, _ in told] == [
        "published",
        "push_started",
        "push_ended",
        "push_started",
        "push_ended",
        "acknowledged",
    ]
    assert {fields["pubsub_message_id"] for _, fields in told} == {message_id}
    assert [fields["delivery_attempt"] for name, fields in told if name == "push_started"] == [1, 2]
    assert [(fields["status"], fields["outcome"]) for name, fields in told if name == "push_ended"] == [
        (503, "refused"),
        (204, "acknowledged"),
    ]


def test_a_duplicate_is_a_second_delivery_of_the_same_message() -> None:
    broker, endpoint = make_broker(PUSH, chaos=Chaos(duplicate_probability=1.0)), says(ACKNOWLEDGED)

    async def script() -> tuple[str, ...]:
        ids = broker.publish(TOPIC, texts("one", "two"))
        await broker.idle()
        return ids

    ids = run(broker, endpoint, script())

    assert Counter(message["messageId"] for message in endpoint.got) == dict.fromkeys(ids, 2)


def test_a_lost_acknowledgement_brings_the_message_again() -> None:
    told: list[object] = []

    def note(_name: str, fields: Mapping[str, object]) -> None:
        told.append(fields.get("outcome"))

    broker = make_broker(PUSH, chaos=Chaos(lost_acknowledgement_probability=1.0), on_event=note)

    async def answer(_message: dict[str, Any]) -> PushResult:
        if len(endpoint.got) == 3:
            broker.chaos = Chaos()
        return ACKNOWLEDGED

    async def script() -> None:
        broker.publish(TOPIC, texts("one"))
        await broker.idle()

    endpoint = Endpoint(answer=answer)
    run(broker, endpoint, script())

    assert [outcome for outcome in told if outcome] == ["acknowledgement_lost", "acknowledgement_lost", "acknowledged"]


def test_reordered_messages_change_places() -> None:
    broker, endpoint = make_broker(PUSH, chaos=Chaos(reorder_probability=1.0)), says(ACKNOWLEDGED)

    async def script() -> tuple[str, ...]:
        (first,) = broker.publish(TOPIC, texts("one"))
        broker.chaos = Chaos()
        (second,) = broker.publish(TOPIC, texts("two"))
        await broker.idle()
        return first, second

    first, second = run(broker, endpoint, script())

    assert [message["messageId"] for message in endpoint.got] == [second, first]


def test_a_delay_keeps_a_message_back() -> None:
    broker, endpoint = make_broker(PUSH, chaos=Chaos(delay_s=(0.03, 0.04))), says(ACKNOWLEDGED)

    async def script() -> float:
        loop = asyncio.get_running_loop()
        before_s = loop.time()
        broker.publish(TOPIC, texts("one"))
        await broker.idle()
        return loop.time() - before_s

    assert run(broker, endpoint, script()) >= 0.03


@pytest.mark.parametrize(
    ("chaos", "stored"),
    [(Chaos(unavailable_before_probability=1.0), 0), (Chaos(unavailable_after_probability=1.0), 1)],
)
def test_an_unavailable_publish_stored_all_or_nothing(chaos: Chaos, stored: int) -> None:
    broker, endpoint = make_broker(PUSH, chaos=chaos), says(ACKNOWLEDGED)

    async def script() -> None:
        with pytest.raises(UnavailableError):
            broker.publish(TOPIC, texts("one"))
        await broker.idle()

    run(broker, endpoint, script())

    assert len(endpoint.got) == stored


def test_the_same_seed_leads_to_the_same_deliveries() -> None:
    chaos = Chaos(seed=11, duplicate_probability=0.5, reorder_probability=0.4, lost_acknowledgement_probability=0.3)

    def deliveries() -> Counter[str]:
        broker, endpoint = make_broker(PUSH, chaos=chaos), says(ACKNOWLEDGED)

        async def script() -> None:
            for number in range(20):
                broker.publish(TOPIC, texts(str(number)))
            await broker.idle()

        run(broker, endpoint, script())
        return Counter(message["data"] for message in endpoint.got)

    assert deliveries() == deliveries()
    assert sum(deliveries().values()) > 20


def test_a_pull_waits_for_a_message_and_gives_up_empty() -> None:
    broker = make_broker(PULL)

    async def script() -> tuple[int, int]:
        waiting = asyncio.create_task(broker.subscription(PULL.name).pull(5, wait=True))
        await asyncio.sleep(0)
        broker.publish(TOPIC, texts("one"))
        return len(await waiting), len(await broker.subscription(PULL.name).pull(5, wait=True))

    assert run(broker, says(ACKNOWLEDGED), script()) == (1, 0)


def test_a_pulled_message_comes_again_after_its_deadline_and_after_a_refusal() -> None:
    impatient = SubscriptionSettings(name=PULL.name, topic=TOPIC, ack_deadline_s=0.02)
    broker = make_broker(impatient)

    async def script() -> list[int]:
        subscription = broker.subscription(PULL.name)
        broker.publish(TOPIC, texts("one"))
        (first,) = await subscription.pull(5, wait=True)
        (second,) = await subscription.pull(5, wait=True)
        subscription.modify_ack_deadline([second.ack_id], 0.0)
        (third,) = await subscription.pull(5, wait=True)
        subscription.acknowledge([third.ack_id, first.ack_id])
        await broker.idle(subscriptions=[PULL.name])
        return [each.delivery_attempt for each in (first, second, third)]

    assert run(broker, says(ACKNOWLEDGED), script()) == [1, 2, 3]


def test_one_wrong_id_spoils_the_whole_acknowledgement() -> None:
    broker = make_broker(PULL)

    async def script() -> int:
        subscription = broker.subscription(PULL.name)
        broker.publish(TOPIC, texts("one"))
        (delivery,) = await subscription.pull(1, wait=True)
        with pytest.raises(InvalidArgumentError, match="Invalid ack id"):
            subscription.acknowledge([delivery.ack_id, "garbage"])
        with pytest.raises(InvalidArgumentError, match="No ack ids"):
            subscription.acknowledge([])
        return subscription.outstanding()

    assert run(broker, says(ACKNOWLEDGED), script()) == 1


def test_idle_need_not_wait_for_a_long_backoff() -> None:
    patient = SubscriptionSettings(
        name=PUSH.name, topic=TOPIC, push_endpoint=PUSH.push_endpoint, retry_policy=RetryPolicy()
    )
    broker, endpoint = make_broker(patient), says(REFUSED)

    async def script() -> None:
        broker.publish(TOPIC, texts("one"))
        await broker.idle(ignoring_waits_over_s=5.0)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await broker.idle()

    run(broker, endpoint, script())

    assert len(endpoint.got) == 1


def test_a_subscription_turns_from_pull_to_push_with_its_messages() -> None:
    pulling = SubscriptionSettings(name=PUSH.name, topic=TOPIC, ack_deadline_s=10.0)
    broker, endpoint = make_broker(pulling), says(ACKNOWLEDGED)

    async def script() -> None:
        broker.publish(TOPIC, texts("one"))
        broker.update_subscription(PUSH)
        await broker.idle()
        with pytest.raises(FailedPreconditionError, match="push subscriptions"):
            await broker.subscription(PUSH.name).pull(1, wait=False)

    run(broker, endpoint, script())

    assert len(endpoint.got) == 1


def test_a_deleted_subscription_gets_nothing_more() -> None:
    broker, endpoint = make_broker(PUSH, PULL), says(REFUSED)

    async def script() -> None:
        broker.publish(TOPIC, texts("one"))
        await asyncio.sleep(0)
        broker.delete_subscription(PUSH.name)
        broker.publish(TOPIC, texts("two"))
        await broker.idle()

    run(broker, endpoint, script())

    assert len(endpoint.got) <= 1
    assert [settings.name for settings in broker.subscriptions] == [PULL.name]


def test_a_deleted_topic_leaves_its_subscriptions_behind() -> None:
    broker = make_broker(PULL)

    broker.delete_topic(TOPIC)
    broker.create_topic(TOPIC)

    assert broker.subscription(PULL.name).settings.topic == DELETED_TOPIC
    with pytest.raises(AlreadyExistsError):
        broker.create_subscription(PULL)


def test_names_are_unique_and_must_exist() -> None:
    broker = make_broker(PULL)

    with pytest.raises(AlreadyExistsError):
        broker.create_topic(TOPIC)
    with pytest.raises(NotFoundError):
        broker.publish("projects/p/topics/none", texts("one"))
    with pytest.raises(NotFoundError):
        broker.subscription("projects/p/subscriptions/none")
    with pytest.raises(InvalidArgumentError, match="cannot be updated"):
        broker.update_subscription(SubscriptionSettings(name=PULL.name, topic=DEAD))


def test_another_server_gives_other_message_ids() -> None:
    ids: list[str] = []
    for _ in range(2):
        broker = Broker()
        broker.create_topic(TOPIC)
        ids += broker.publish(TOPIC, texts("one"))

    assert len(set(ids)) == 2
