"""What is not noticed until it is missed: where words are stored, what keeps a release alive, and whom a mistake would reach."""

import pytest

from tests.infra.offline import Plan
from tests.infra.planned import FUNCTIONS, function_of

REGION = "asia-northeast1"


def test_words_in_flight_and_at_rest_stay_in_the_region(full: Plan) -> None:
    for topic in ("events", "dead_letters", "forward[0]"):
        assert full[f"google_pubsub_topic.{topic}"]["message_storage_policy"] == [
            {"allowed_persistence_regions": [REGION]}
        ]
    assert full["google_storage_bucket.history"]["location"] == REGION
    secrets = [made for address, made in full.items() if address.startswith("google_secret_manager_secret.")]
    assert len(secrets) == 6
    for secret in secrets:
        assert secret["replication"] == [{"user_managed": [{"replicas": [{"location": REGION}]}]}]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_applied_release_gets_all_requests(full: Plan, function: str) -> None:
    assert function_of(full, function)["all_traffic_on_latest_revision"] is True


def test_the_newest_images_stay_whatever_their_age(full: Plan) -> None:
    """An instance starts from its image; a bot that nobody updates for a year still needs it."""
    policies = {one["action"]: one for one in full["google_artifact_registry_repository.images"]["cleanup_policies"]}

    assert policies["KEEP"]["most_recent_versions"] == [{"keep_count": 5}]
    assert policies["DELETE"]["condition"] == [{"older_than": "2592000s"}]


def test_removing_the_deployment_stops_nothing_else_in_the_project(full: Plan) -> None:
    for address, made in full.items():
        if address.startswith("google_project_service."):
            assert made["disable_on_destroy"] is False, address


def test_a_build_reads_copies_of_sources_and_no_chat(full: Plan) -> None:
    (condition,) = full["google_project_iam_member.build_reads_copies"]["condition"]

    assert condition["expression"] == (
        f'resource.name.startsWith("projects/_/buckets/gcf-v2-sources-123456789012-{REGION}")'
    )


def test_instances_wait_where_they_are_asked_to(full: Plan) -> None:
    waiting = {function: function_of(full, function)["min_instance_count"] for function in FUNCTIONS}

    assert waiting == {"agent_worker": 0, "feeds": 0, "unsend": 0, "webhook": 1}


def test_the_budget_tells_before_it_is_spent(full: Plan) -> None:
    rules = full["google_billing_budget.this[0]"]["threshold_rules"]

    assert [rule["threshold_percent"] for rule in rules] == [0.5, 0.9, 1, 1]
    assert [rule.get("spend_basis") for rule in rules] == [None, None, None, "FORECASTED_SPEND"]
