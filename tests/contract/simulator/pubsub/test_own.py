"""What only this project's Pub/Sub does: the real service's rules that Google's emulator leaves out, and faults on demand."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.api_core import exceptions
from google.pubsub_v1 import SubscriberAsyncClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcAsyncIOTransport

from simulator.pubsub import Chaos, Message, PortTakenError, PubSubServer, SubscriptionSettings

if TYPE_CHECKING:
    from tests.contract.simulator.pubsub.conftest import Cloud, Endpoint, Loop

Server = tuple[PubSubServer, int]


def test_a_filter_decides_what_is_pushed(own: Cloud, endpoint: Endpoint) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url}, filter='attributes.type != "unsend"')
    unsends = own.subscription(topic, "unsends", filter='attributes.type = "unsend"')

    own.publish(topic, {"attributes": {"type": "unsend"}}, {"attributes": {"type": "message"}}, {"data": b"bare"})

    assert [each["message"].get("attributes") for each in endpoint.wait_for(2)] == [{"type": "message"}, None]
    assert [dict(each.message.attributes) for each in own.pull(unsends)] == [{"type": "unsend"}]


def test_a_wrong_filter_is_refused_with_its_place(own: Cloud) -> None:
    topic = own.topic()

    with pytest.raises(exceptions.InvalidArgument, match="character 19"):
        own.subscription(topic, filter="attributes.type = unsend")


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_these_statuses_acknowledge(own: Cloud, server: Server, endpoint: Endpoint, loop: Loop, status: int) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url})
    endpoint.statuses = [status, 500, 500, 500]

    own.publish(topic, {"data": b"x"})
    endpoint.wait_for(1)
    loop.run(server[0].idle())

    assert len(endpoint.envelopes) == 1


@pytest.mark.parametrize("status", [203, 206, 301, 307, 400, 404, 429, 500])
def test_all_other_statuses_do_not(own: Cloud, endpoint: Endpoint, status: int) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url})
    endpoint.statuses = [status]

    own.publish(topic, {"data": b"x"})

    endpoint.wait_for(2)


def test_the_attempt_is_told_with_a_dead_letter_policy(own: Cloud, endpoint: Endpoint) -> None:
    topic, dead = own.topic(), own.topic("dead")
    policy = {"dead_letter_topic": dead, "max_delivery_attempts": 5}
    own.subscription(topic, push_config={"push_endpoint": endpoint.url}, dead_letter_policy=policy)
    graves = own.subscription(dead, "graves")
    endpoint.statuses = [500] * 5

    own.publish(topic, {"data": b"poison"})
    (grave,) = own.pull(graves)

    assert [each["deliveryAttempt"] for each in endpoint.envelopes] == [1, 2, 3, 4, 5]
    assert grave.message.attributes["CloudPubSubDeadLetterSourceDeliveryCount"] == "5"


def test_a_push_ends_at_the_deadline_while_the_endpoint_goes_on(own: Cloud, endpoint: Endpoint) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url}, ack_deadline_seconds=1)
    endpoint.answer_after_s = 1.3

    started_s = time.monotonic()
    own.publish(topic, {"data": b"x"})
    endpoint.wait_for(2)

    assert 1.0 <= time.monotonic() - started_s < 1.3
    assert endpoint.most_at_once == 2


def test_pushes_run_at_once(own: Cloud, server: Server, endpoint: Endpoint, loop: Loop) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url})
    endpoint.answer_after_s = 0.5

    own.publish(topic, *({"data": str(number).encode()} for number in range(60)))
    loop.run(server[0].idle())

    assert endpoint.most_at_once == 60


def test_an_endpoint_that_is_down_gets_the_message_when_it_is_up(own: Cloud, endpoint: Endpoint) -> None:
    topic = own.topic()
    subscription = own.subscription(topic, push_config={"push_endpoint": "http://127.0.0.1:9/nobody"})

    own.publish(topic, {"data": b"x"})
    own.push_to(subscription, endpoint.url)

    assert endpoint.wait_for(1)[0]["message"]["data"] == "eA=="


@pytest.mark.parametrize(
    "attributes",
    [{"": "v"}, {"googlike": "v"}, {"k" * 257: "v"}, {"k": "v" * 1025}, {f"k{n}": "v" for n in range(101)}],
)
def test_attributes_that_break_a_rule_are_refused(own: Cloud, attributes: dict[str, str]) -> None:
    topic = own.topic()

    with pytest.raises(exceptions.InvalidArgument):
        own.publish(topic, {"data": b"x", "attributes": attributes})


def test_ten_megabytes_are_taken_and_no_more(own: Cloud) -> None:
    topic = own.topic()

    own.publish(topic, {"data": b"x" * 10_000_000})

    with pytest.raises(exceptions.InvalidArgument, match="10000000"):
        own.publish(topic, {"data": b"x" * 10_000_001})


@pytest.mark.parametrize(
    "settings",
    [
        {"enable_message_ordering": True},
        {"enable_exactly_once_delivery": True},
        {"bigquery_config": {"table": "p.d.t"}},
        {"push_config": {"push_endpoint": "http://127.0.0.1/", "oidc_token": {"service_account_email": "a@b"}}},
        {"push_config": {"push_endpoint": "http://127.0.0.1/", "no_wrapper": {"write_metadata": True}}},
    ],
)
def test_what_is_not_built_is_refused_as_such(own: Cloud, settings: dict[str, Any]) -> None:
    topic = own.topic()

    with pytest.raises(exceptions.MethodNotImplemented, match="does not model"):
        own.subscription(topic, **settings)


def test_a_method_that_is_not_built_is_refused_as_such(own: Cloud) -> None:
    with pytest.raises(exceptions.MethodNotImplemented):
        own.subscriber.seek(request={"subscription": "projects/p/subscriptions/worker"}, retry=None, timeout=5.0)


def test_a_push_subscription_cannot_be_pulled(own: Cloud, endpoint: Endpoint) -> None:
    subscription = own.subscription(own.topic(), push_config={"push_endpoint": endpoint.url})

    with pytest.raises(exceptions.FailedPrecondition):
        own.pull(subscription)


def test_an_unavailable_publish_may_have_had_its_effect(own: Cloud, server: Server) -> None:
    topic = own.topic()
    subscription = own.subscription(topic)

    server[0].chaos = Chaos(unavailable_before_probability=1.0)
    with pytest.raises(exceptions.ServiceUnavailable, match="before"):
        own.publish(topic, {"data": b"lost"})
    server[0].chaos = Chaos(unavailable_after_probability=1.0)
    with pytest.raises(exceptions.ServiceUnavailable, match="after"):
        own.publish(topic, {"data": b"stored"})

    assert [each.message.data for each in own.pull(subscription)] == [b"stored"]


def test_chaos_doubles_and_redelivers_pushes(own: Cloud, server: Server, endpoint: Endpoint, loop: Loop) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url})
    server[0].chaos = Chaos(
        seed=3, duplicate_probability=0.5, lost_acknowledgement_probability=0.5, delay_s=(0.0, 0.05)
    )

    ids = own.publish(topic, *({"data": str(number).encode()} for number in range(20)))
    loop.run(server[0].idle())

    seen = [each["message"]["messageId"] for each in endpoint.envelopes]
    assert set(seen) == set(ids)
    assert len(seen) > 30


def test_a_launcher_needs_no_client(server: Server, endpoint: Endpoint, loop: Loop) -> None:
    pubsub, _ = server
    topic = "projects/local/topics/events"
    loop.call(lambda: pubsub.create_topic(topic))
    settings = SubscriptionSettings(name="projects/local/subscriptions/worker", topic=topic, push_endpoint=endpoint.url)
    loop.call(lambda: pubsub.create_subscription(settings))
    loop.call(lambda: pubsub.publish(topic, [Message(data=b"x")]))
    loop.run(pubsub.idle())

    assert len(endpoint.envelopes) == 1


def test_an_occupied_port_is_one_clear_error(server: Server, loop: Loop) -> None:
    _, port = server

    with pytest.raises(PortTakenError, match=f"port {port} of 127.0.0.1 is taken"):
        loop.run(PubSubServer().start(port=port))


def test_stopping_ends_pushes_in_flight_and_frees_the_port(endpoint: Endpoint, loop: Loop) -> None:
    pubsub, topic = PubSubServer(), "projects/local/topics/events"
    endpoint.answer_after_s = 0.5
    port = loop.run(pubsub.start())
    loop.call(lambda: pubsub.create_topic(topic))
    settings = SubscriptionSettings(name="projects/local/subscriptions/worker", topic=topic, push_endpoint=endpoint.url)
    loop.call(lambda: pubsub.create_subscription(settings))
    loop.call(lambda: pubsub.publish(topic, [Message(data=b"x")]))
    endpoint.wait_for(1)

    loop.run(asyncio.wait_for(pubsub.stop(), timeout=0.4))
    loop.run(pubsub.stop())
    again = PubSubServer()

    assert loop.run(again.start(port=port)) == port
    loop.run(again.stop())


def test_a_waiting_pull_does_not_hold_up_the_stop(loop: Loop) -> None:
    pubsub, topic = PubSubServer(), "projects/local/topics/events"
    settings = SubscriptionSettings(name="projects/local/subscriptions/reader", topic=topic)

    async def stop_while_pulling() -> float:
        port = await pubsub.start()
        pubsub.create_topic(topic)
        pubsub.create_subscription(settings)
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            client = SubscriberAsyncClient(transport=SubscriberGrpcAsyncIOTransport(channel=channel))
            request = {"subscription": settings.name, "max_messages": 1}
            pulling = asyncio.create_task(client.pull(request=request, retry=None, timeout=5.0))
            await asyncio.sleep(0.05)
            started_s = time.monotonic()
            await pubsub.stop()
            took_s = time.monotonic() - started_s
            with pytest.raises(exceptions.GoogleAPICallError):
                await pulling
        return took_s

    assert loop.run(stop_while_pulling()) < 1.0


def test_a_stopped_server_starts_again_with_what_it_had(
    own: Cloud, server: Server, endpoint: Endpoint, loop: Loop
) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url})

    loop.run(server[0].stop())
    loop.run(server[0].start())
    loop.call(lambda: server[0].publish(topic, [Message(data=b"x")]))

    assert endpoint.wait_for(1)[0]["message"]["data"] == "eA=="
