"""The start and stop of this project's Pub/Sub."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import grpc
import pytest
from google.api_core import exceptions
from google.pubsub_v1 import SubscriberAsyncClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcAsyncIOTransport

from simulator.pubsub import Message, PortTakenError, PubSubServer, SubscriptionSettings

if TYPE_CHECKING:
    from tests.contract.simulator.pubsub.conftest import Cloud, Endpoint, Loop, Server


def test_topics_and_subscriptions_can_be_created_without_a_client(
    server: Server, endpoint: Endpoint, loop: Loop
) -> None:
    pubsub, _ = server
    topic = "projects/local/topics/events"
    loop.call(lambda: pubsub.create_topic(topic))
    settings = SubscriptionSettings(name="projects/local/subscriptions/worker", topic=topic, push_endpoint=endpoint.url)
    loop.call(lambda: pubsub.create_subscription(settings))
    loop.call(lambda: pubsub.publish(topic, [Message(data=b"x")]))
    loop.run(pubsub.wait_until_idle())

    assert len(endpoint.envelopes) == 1


def test_an_occupied_port_is_a_clear_error(server: Server, loop: Loop) -> None:
    _, port = server

    with pytest.raises(PortTakenError, match=f"port {port} of 127.0.0.1 is taken"):
        loop.run(PubSubServer().start(port=port))


def test_stopping_ends_pushes_in_flight_and_frees_the_port(endpoint: Endpoint, loop: Loop) -> None:
    pubsub, topic = PubSubServer(), "projects/local/topics/events"
    endpoint.answer_after_s = 5.0
    port = loop.run(pubsub.start())
    loop.call(lambda: pubsub.create_topic(topic))
    settings = SubscriptionSettings(name="projects/local/subscriptions/worker", topic=topic, push_endpoint=endpoint.url)
    loop.call(lambda: pubsub.create_subscription(settings))
    loop.call(lambda: pubsub.publish(topic, [Message(data=b"x")]))
    endpoint.wait_for(1)

    loop.run(asyncio.wait_for(pubsub.stop(), timeout=4.0))
    loop.run(pubsub.stop())
    again = PubSubServer()

    assert loop.run(again.start(port=port)) == port
    loop.run(again.stop())


def test_a_waiting_pull_does_not_delay_the_stop(loop: Loop) -> None:
    pubsub, topic = PubSubServer(), "projects/local/topics/events"
    settings = SubscriptionSettings(name="projects/local/subscriptions/reader", topic=topic)

    async def stop_while_pulling() -> float:
        port = await pubsub.start()
        pubsub.create_topic(topic)
        pubsub.create_subscription(settings)
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            client = SubscriberAsyncClient(transport=SubscriberGrpcAsyncIOTransport(channel=channel))
            request = {"subscription": settings.name, "max_messages": 1}
            pulling = asyncio.create_task(client.pull(request=request, retry=None, timeout=30.0))
            await asyncio.sleep(0.05)
            started_s = time.monotonic()
            await pubsub.stop()
            took_s = time.monotonic() - started_s
            with pytest.raises(exceptions.GoogleAPICallError):
                await pulling
        return took_s

    assert loop.run(stop_while_pulling()) < 10.0


def test_a_restarted_server_keeps_its_topics_and_messages(
    own: Cloud, server: Server, endpoint: Endpoint, loop: Loop
) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url})

    loop.run(server[0].stop())
    loop.run(server[0].start())
    loop.call(lambda: server[0].publish(topic, [Message(data=b"x")]))

    assert endpoint.wait_for(1)[0]["message"]["data"] == "eA=="
