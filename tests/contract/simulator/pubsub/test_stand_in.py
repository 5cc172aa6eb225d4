"""Behaviour of this project's Pub/Sub only: rules of the real service that Google's emulator lacks, and faults on demand."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from google.api_core import exceptions

from simulator.pubsub import Chaos

if TYPE_CHECKING:
    from tests.contract.simulator.pubsub.conftest import Cloud, Endpoint, Loop, Server


def test_only_matching_messages_are_pushed(own: Cloud, endpoint: Endpoint) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url}, filter='attributes.type != "unsend"')
    unsends = own.subscription(topic, "unsends", filter='attributes.type = "unsend"')

    own.publish(topic, {"attributes": {"type": "unsend"}}, {"attributes": {"type": "message"}}, {"data": b"bare"})

    assert [each["message"].get("attributes") for each in endpoint.wait_for(2)] == [{"type": "message"}, None]
    assert [dict(each.message.attributes) for each in own.pull(unsends)] == [{"type": "unsend"}]


def test_a_wrong_filter_is_refused_with_the_position(own: Cloud) -> None:
    topic = own.topic()

    with pytest.raises(exceptions.InvalidArgument, match="character 19"):
        own.subscription(topic, filter="attributes.type = unsend")


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_a_success_status_acknowledges(own: Cloud, server: Server, endpoint: Endpoint, loop: Loop, status: int) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url})
    endpoint.statuses = [status, 500, 500, 500]

    own.publish(topic, {"data": b"x"})
    endpoint.wait_for(1)
    loop.run(server[0].wait_until_idle())

    assert len(endpoint.envelopes) == 1


@pytest.mark.parametrize("status", [203, 206, 301, 307, 400, 404, 429, 500])
def test_any_other_status_does_not_acknowledge(own: Cloud, endpoint: Endpoint, status: int) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url})
    endpoint.statuses = [status]

    own.publish(topic, {"data": b"x"})

    endpoint.wait_for(2)


def test_a_dead_letter_policy_adds_the_attempt(own: Cloud, endpoint: Endpoint) -> None:
    topic, dead = own.topic(), own.topic("dead")
    policy = {"dead_letter_topic": dead, "max_delivery_attempts": 5}
    own.subscription(topic, push_config={"push_endpoint": endpoint.url}, dead_letter_policy=policy)
    graves = own.subscription(dead, "graves")
    endpoint.statuses = [500] * 5

    own.publish(topic, {"data": b"poison"})
    (grave,) = own.pull(graves)

    assert [each["deliveryAttempt"] for each in endpoint.envelopes] == [1, 2, 3, 4, 5]
    assert grave.message.attributes["CloudPubSubDeadLetterSourceDeliveryCount"] == "5"


def test_a_push_ends_at_the_deadline(own: Cloud, endpoint: Endpoint) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url}, ack_deadline_seconds=1)
    endpoint.answer_after_s = 4.0

    started_s = time.monotonic()
    own.publish(topic, {"data": b"x"})
    endpoint.wait_for(2)

    assert time.monotonic() - started_s >= 1.0
    assert endpoint.most_at_once == 2  # the second push came while the endpoint was still answering the first


def test_pushes_run_concurrently(own: Cloud, server: Server, endpoint: Endpoint, loop: Loop) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url})
    endpoint.answer_after_s = 0.5

    own.publish(topic, *({"data": str(number).encode()} for number in range(60)))
    loop.run(server[0].wait_until_idle())

    assert endpoint.most_at_once == 60


def test_an_unreachable_endpoint_gets_the_message_later(own: Cloud, endpoint: Endpoint) -> None:
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


def test_at_most_ten_megabytes_are_accepted(own: Cloud) -> None:
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
def test_features_that_are_not_modelled_are_unimplemented(own: Cloud, settings: dict[str, Any]) -> None:
    topic = own.topic()

    with pytest.raises(exceptions.MethodNotImplemented, match="does not model"):
        own.subscription(topic, **settings)


def test_methods_that_are_not_modelled_are_unimplemented(own: Cloud) -> None:
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


def test_chaos_duplicates_and_redelivers_pushes(own: Cloud, server: Server, endpoint: Endpoint, loop: Loop) -> None:
    topic = own.topic()
    own.subscription(topic, push_config={"push_endpoint": endpoint.url})
    server[0].chaos = Chaos(
        seed=3, duplicate_probability=0.5, lost_acknowledgement_probability=0.5, delay_s=(0.0, 0.05)
    )

    ids = own.publish(topic, *({"data": str(number).encode()} for number in range(20)))
    loop.run(server[0].wait_until_idle())

    seen = [each["message"]["messageId"] for each in endpoint.envelopes]
    assert set(seen) == set(ids)
    assert len(seen) > 30
