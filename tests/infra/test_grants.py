"""Every grant of a full configuration, so that a new one fails a test."""

import json
import re

from shared.calendars.feed import FEED_PREFIX
from tests.infra.offline import PLANS, ROOT, Plan
from tests.infra.planned import address_of, environment_of

# The role of each grant, by address.
GRANTS = {
    "google_artifact_registry_repository_iam_member.build_writes_images": "roles/artifactregistry.writer",
    "google_project_iam_member.build_logs": "roles/logging.logWriter",
    "google_project_iam_member.build_reads_copies": "roles/storage.objectViewer",
    "google_project_iam_member.agent_worker_writes_traces": "roles/telemetry.tracesWriter",
    "google_pubsub_subscription_iam_member.agent_takes_dead_letters": "roles/pubsub.subscriber",
    "google_pubsub_topic_iam_member.agent_publishes_dead_letters": "roles/pubsub.publisher",
    "google_pubsub_topic_iam_member.scheduler_publishes_ticks": "roles/pubsub.publisher",
    "google_pubsub_topic_iam_member.webhook_forwards": "roles/pubsub.publisher",
    "google_pubsub_topic_iam_member.webhook_publishes": "roles/pubsub.publisher",
    "google_service_account_iam_member.agent_signs_push_tokens": "roles/iam.serviceAccountTokenCreator",
    "google_storage_bucket_iam_member.agent_worker_uses_history": "roles/storage.objectUser",
    "google_storage_bucket_iam_member.build_reads_sources": "roles/storage.objectViewer",
    "google_storage_bucket_iam_member.feeds_reads_feeds": "roles/storage.objectViewer",
    "google_storage_bucket_iam_member.unsend_uses_history": "roles/storage.objectUser",
    "module.agent_worker.google_cloud_run_service_iam_member.invokes": "roles/run.invoker",
    "module.agent_worker.google_secret_manager_secret_iam_member.reads": "roles/secretmanager.secretAccessor",
    "module.feeds[0].google_cloud_run_service_iam_member.invokes": "roles/run.invoker",
    "module.unsend.google_cloud_run_service_iam_member.invokes": "roles/run.invoker",
    "module.webhook.google_cloud_run_service_iam_member.invokes": "roles/run.invoker",
    "module.webhook.google_secret_manager_secret_iam_member.reads": "roles/secretmanager.secretAccessor",
}


def grants_of(plan: Plan) -> dict[str, Plan]:
    return {address: made for address, made in plan.items() if "_iam_member" in address}


def test_the_grants_are_the_listed_ones(full: Plan) -> None:
    granted = {re.sub(r"\[[^\]]*\]$", "", address): made["role"] for address, made in grants_of(full).items()}

    assert granted == GRANTS


def test_vertex_adds_one_grant_of_one_permission(on_vertex: Plan, full: Plan) -> None:
    added = grants_of(on_vertex).keys() - grants_of(full).keys()

    assert {on_vertex[address]["role"] for address in added} == {"projects/aizuchi-test/roles/aizuchi_asks_models"}
    role = on_vertex["google_project_iam_custom_role.asks_models[0]"]
    assert (role["role_id"], role["permissions"]) == ("aizuchi_asks_models", ["aiplatform.endpoints.predict"])


def test_pubsubs_agent_signs_as_the_push_account_alone(full: Plan) -> None:
    grant = full["google_service_account_iam_member.agent_signs_push_tokens"]

    assert grant["member"] == "serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com"
    assert [address for address, made in grants_of(full).items() if "TokenCreator" in made["role"]] == [
        "google_service_account_iam_member.agent_signs_push_tokens"
    ]


def test_only_the_webhook_and_the_feeds_have_a_public_grant(full: Plan) -> None:
    public = [address for address, made in grants_of(full).items() if str(made.get("member", "")).startswith("all")]

    assert public == [
        'module.feeds[0].google_cloud_run_service_iam_member.invokes["anybody"]',
        'module.webhook.google_cloud_run_service_iam_member.invokes["anybody"]',
    ]


def test_only_the_webhook_and_the_feeds_are_reachable_from_the_internet(full: Plan) -> None:
    ingress = {
        address: made["service_config"][0]["ingress_settings"]
        for address, made in full.items()
        if "google_cloudfunctions2_function" in address
    }

    assert [address for address, value in ingress.items() if value != "ALLOW_INTERNAL_ONLY"] == [
        "module.feeds[0].google_cloudfunctions2_function.this",
        "module.webhook.google_cloudfunctions2_function.this",
    ]


def test_the_feeds_function_reads_one_prefix_of_one_bucket_and_writes_nothing(full: Plan) -> None:
    grant = full["google_storage_bucket_iam_member.feeds_reads_feeds[0]"]
    (condition,) = grant["condition"]

    reached = re.fullmatch(
        r'resource\.name\.startsWith\("projects/_/buckets/([^"/]+)/objects/([^"]*)"\)', condition["expression"]
    )

    assert reached is not None
    assert reached.groups() == (full["google_storage_bucket.history"]["name"], FEED_PREFIX)
    assert grant["bucket"] == full["google_storage_bucket.history"]["name"]
    others = [address for address in grants_of(full) if "feeds" in address and "storage" in address]
    assert others == ["google_storage_bucket_iam_member.feeds_reads_feeds[0]"]


def test_no_request_log_holds_the_address_of_a_calendar(full: Plan) -> None:
    exclusion = full["google_logging_project_exclusion.feeds[0]"]
    service = full[address_of("feeds")]["name"]

    assert not exclusion.get("disabled")
    assert exclusion["filter"] == (
        f'resource.type="cloud_run_revision" AND resource.labels.service_name="{service}" '
        'AND log_id("run.googleapis.com/requests")'
    )


def test_the_worker_knows_where_the_feeds_are(full: Plan) -> None:
    service = full[address_of("feeds")]["name"]

    assert (
        environment_of(full, "agent_worker")["FEEDS_URL"] == f"https://{service}-123456789012.asia-northeast1.run.app"
    )


def test_the_project_wide_grant_reads_none_of_the_projects_buckets(full: Plan) -> None:
    (condition,) = full["google_project_iam_member.build_reads_copies"]["condition"]
    buckets = [made["name"] for address, made in full.items() if address.startswith("google_storage_bucket.")]

    reached = re.search(r'startsWith\("projects/_/buckets/([^"]+)"\)', condition["expression"])

    assert reached is not None
    assert not [name for name in buckets if name.startswith(reached[1])]


def test_no_secret_is_in_the_plan(full: Plan) -> None:
    tests = (ROOT / "infra" / "terraform" / "tests" / "full.tftest.hcl").read_text(encoding="utf-8")

    assert tests.count('"hush-') == 6
    assert "hush" not in json.dumps(full) + PLANS.read_text(encoding="utf-8")


def test_the_example_sets_variables_that_exist() -> None:
    folder = ROOT / "infra" / "terraform"
    known = set(re.findall(r'^variable "(\w+)"', (folder / "variables.tf").read_text(encoding="utf-8"), re.MULTILINE))
    example = (folder / "terraform.tfvars.example").read_text(encoding="utf-8")

    assert set(re.findall(r"^(\w+) =", example, re.MULTILINE)) <= known
