"""The role of the account that applies has what each resource of the plan needs, and nothing else.

Source: IAM, "Roles and permissions", by service; Cloud Functions, "Required roles for deploying" (iam.serviceAccounts.actAs); Pub/Sub,
"Access control with IAM" (pubsub.topics.attachSubscription). The list is read from documentation; no project was at hand to try it.
"""

import re

import yaml

from tests.infra.offline import ROOT, Plan

PERMISSIONS = {  # by resource, then by prefix: the verbs
    "google_artifact_registry_repository": "artifactregistry.repositories: create delete get update",
    "google_artifact_registry_repository_iam_member": "artifactregistry.repositories: getIamPolicy setIamPolicy",
    "google_cloud_run_service_iam_member": "run.services: getIamPolicy setIamPolicy",
    "google_cloud_scheduler_job": "cloudscheduler.jobs: create delete get update",
    "google_cloudfunctions2_function": (
        "cloudfunctions.functions: create delete get update; "
        "cloudfunctions.operations: get; "
        "iam.serviceAccounts: actAs; "
        "run.services: get"
    ),
    "google_logging_metric": "logging.logMetrics: create delete get update",
    "google_logging_project_exclusion": "logging.exclusions: create delete get update",
    "google_monitoring_alert_policy": "monitoring.alertPolicies: create delete get update",
    "google_monitoring_dashboard": "monitoring.dashboards: create delete get update",
    "google_monitoring_notification_channel": "monitoring.notificationChannels: create delete get update",
    "google_project_iam_audit_config": "resourcemanager.projects: getIamPolicy setIamPolicy",
    "google_project_iam_custom_role": "iam.roles: create delete get undelete update",
    "google_project_iam_member": "resourcemanager.projects: getIamPolicy setIamPolicy",
    "google_project_service": ("resourcemanager.projects: get; serviceusage.services: enable get list"),
    "google_pubsub_subscription": (
        "pubsub.subscriptions: create delete get update; pubsub.topics: attachSubscription; iam.serviceAccounts: actAs"
    ),
    "google_pubsub_subscription_iam_member": "pubsub.subscriptions: getIamPolicy setIamPolicy",
    "google_pubsub_topic": "pubsub.topics: create delete get update",
    "google_pubsub_topic_iam_member": "pubsub.topics: getIamPolicy setIamPolicy",
    "google_secret_manager_secret": "secretmanager.secrets: create delete get update",
    "google_secret_manager_secret_iam_member": "secretmanager.secrets: getIamPolicy setIamPolicy",
    "google_secret_manager_secret_version": "secretmanager.versions: add get enable disable",
    "google_service_account": "iam.serviceAccounts: create delete get update",
    "google_service_account_iam_member": "iam.serviceAccounts: getIamPolicy setIamPolicy",
    "google_storage_bucket": "storage.buckets: create delete get update",
    "google_storage_bucket_iam_member": "storage.buckets: getIamPolicy setIamPolicy",
    "google_storage_bucket_object": "storage.objects: create delete get",
}
NEEDS = {
    kind: frozenset(
        f"{prefix.strip()}.{verb}"
        for part in text.split(";")
        for prefix, _, verbs in [part.partition(":")]
        for verb in verbs.split()
    )
    for kind, text in PERMISSIONS.items()
}
WITHOUT_PERMISSIONS = {"terraform_data", "time_sleep"}  # no API
OPTIONAL = {"google_billing_budget"}  # a role of its own, on the billing account
NOT_IN_THE_FIXTURE = {"google_project_iam_audit_config"}  # but a plan may have it


def kinds_of(plan: Plan) -> set[str]:
    return {re.sub(r"^(module\.\w+(\[[^]]*\])?\.)*", "", address).split(".")[0] for address in plan}


def test_every_resource_of_a_plan_has_its_permissions_listed(full: Plan, on_vertex: Plan) -> None:
    kinds = kinds_of(full) | kinds_of(on_vertex)

    assert kinds - WITHOUT_PERMISSIONS - OPTIONAL == NEEDS.keys() - NOT_IN_THE_FIXTURE


def test_the_role_has_exactly_the_permissions_that_are_needed() -> None:
    role = yaml.safe_load((ROOT / "infra" / "terraform" / "deployer-role.yaml").read_text(encoding="utf-8"))

    assert role["includedPermissions"] == sorted(frozenset[str]().union(*NEEDS.values()))


def test_every_grant_can_be_made(full: Plan) -> None:
    for kind in kinds_of(full):
        if kind.endswith("_iam_member"):
            assert any(one.endswith(".setIamPolicy") for one in NEEDS[kind]), kind
