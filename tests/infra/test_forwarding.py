"""Forwarding: a topic and a push subscription without a wrapper, for as short as Pub/Sub allows, and only where it is asked for."""

from tests.infra.offline import Plan
from tests.infra.planned import environment_of

REGION = "asia-northeast1"


def test_the_subscription_posts_the_body_and_the_signature_as_line_sent_them(full: Plan) -> None:
    subscription = full["google_pubsub_subscription.forward[0]"]

    (push,) = subscription["push_config"]
    assert push["push_endpoint"] == "https://shop.example.com/line"
    assert push["no_wrapper"] == [{"write_metadata": True}]
    assert not push.get("oidc_token")  # the other system checks LINE's signature


def test_what_is_forwarded_is_kept_for_ten_minutes_in_the_region(full: Plan) -> None:
    subscription, topic = full["google_pubsub_subscription.forward[0]"], full["google_pubsub_topic.forward[0]"]

    assert subscription["message_retention_duration"] == "600s"
    assert subscription["retain_acked_messages"] is False
    assert topic["message_storage_policy"] == [{"allowed_persistence_regions": [REGION]}]


def test_the_functions_know_the_topic_and_what_the_other_system_owns(full: Plan) -> None:
    assert environment_of(full, "webhook")["FORWARD_TOPIC"] == full["google_pubsub_topic.forward[0]"]["name"]
    assert environment_of(full, "agent_worker")["FORWARD_OWNS"] == "postback:shop=,word:予約"


def test_without_the_variable_nothing_is_forwarded(options: Plan) -> None:
    assert not [address for address in options if ".forward" in address]
    assert "FORWARD_TOPIC" not in environment_of(options, "webhook")
    assert "FORWARD_OWNS" not in environment_of(options, "agent_worker")
