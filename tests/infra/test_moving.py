"""The runbooks "Another region", "Lost state" and "A second deployment", as plans."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from tests.infra.offline import ROOT, Plan, Terraform, run_tests

IMPORTS = ROOT / "infra" / "terraform" / "import.tf.example"
# Kinds that another apply writes again, or makes anew beside the old ones, without a conflict.
WRITTEN_AGAIN = {
    "google_billing_budget",
    "google_monitoring_alert_policy",
    "google_monitoring_dashboard",
    "google_monitoring_notification_channel",
    "google_project_iam_audit_config",
    "google_project_service",
    "google_secret_manager_secret_version",
    "google_storage_bucket_object",
    "terraform_data",
    "time_sleep",
}
IDENTIFYING = (
    "name",
    "account_id",
    "secret_id",
    "repository_id",
    "role_id",
)  # in the order in which they are looked for


def resource_of(address: str) -> str:
    """Return the address without the keys of instances.  Example: `google_pubsub_subscription.worker["unsend"]` without its brackets."""
    return re.sub(r"\[[^\]]*\]", "", address)


def kind_of(address: str) -> str:
    """Return the type of the resource.  Example: `google_pubsub_topic` of `module.bot.google_pubsub_topic.events`."""
    return re.sub(r"^(module\.\w+\.)*", "", resource_of(address)).split(".")[0]


def conflicting_addresses(plan: Plan) -> set[str]:
    """Return the addresses of what is refused as existing already when a second state makes it."""
    return {
        resource_of(address)
        for address in plan
        if kind_of(address) not in WRITTEN_AGAIN and not kind_of(address).endswith("_iam_member")
    }


def identifiers_of(plan: Plan, module: str) -> set[tuple[str, str]]:
    """Return the kind and name of everything that a second state with the same name would conflict with."""
    own = {address: made for address, made in plan.items() if address.startswith(f"module.{module}.")}
    conflicting = conflicting_addresses(own)
    return {
        (kind_of(address), next(made[key] for key in IDENTIFYING if key in made))
        for address, made in own.items()
        if resource_of(address) in conflicting
    }


def import_targets() -> dict[str, str]:
    """Return the id of each import block, by the resource without keys."""
    text = IMPORTS.read_text(encoding="utf-8")
    targets = re.findall(r"^  to +=\s*(\S+)$", text, re.MULTILINE)
    ids = re.findall(r'^  id +=\s*"(.+)"$', text, re.MULTILINE)
    return {resource_of(target): identifier for target, identifier in zip(targets, ids, strict=True)}


def test_everything_that_would_conflict_is_imported(full: Plan, on_vertex: Plan) -> None:
    assert set(import_targets()) == conflicting_addresses(full) | conflicting_addresses(on_vertex)


@pytest.mark.parametrize("kind", ["full", "on_vertex"])
def test_a_second_name_conflicts_with_nothing_of_the_first(kind: str, request: pytest.FixtureRequest) -> None:
    plan: Plan = request.getfixturevalue(kind)
    for address, made in plan.items():
        if resource_of(address) in conflicting_addresses(plan):
            identifier = next(made[key] for key in IDENTIFYING if key in made)
            assert "aizuchi" in identifier.removeprefix("aizuchi-test-"), address


def test_an_imported_bucket_is_the_one_that_the_plan_names(full: Plan) -> None:
    bucket = import_targets()["google_storage_bucket.sources"]

    project, name = bucket.replace("${var.project_id}", "aizuchi-test").replace("${var.name}", "aizuchi").split("/")
    assert (project, name) == ("aizuchi-test", full["google_storage_bucket.sources"]["name"])


@contextmanager
def imports(terraform: Terraform, blocks: str) -> Iterator[None]:
    """The configuration has an import.tf with these blocks."""
    file = terraform.folder / "import.tf"
    file.write_text(blocks, encoding="utf-8")
    try:
        yield
    finally:
        file.unlink()


def changes_of(terraform: Terraform, settings: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the changes that are planned against an empty state."""
    secrets = json.dumps({"line_channel_secret": "s", "line_channel_access_token": "t", "gemini_api_key": "k"})
    variables = {"project_id": "aizuchi-test", "secrets": secrets, **settings}
    options = ("-no-color", "-input=false", "-state=none.tfstate", "-out=moving.plan")
    made = terraform("plan", *options, *(f"-var={name}={value}" for name, value in variables.items()))
    assert made.returncode == 0, made.stdout + made.stderr
    plan = json.loads(terraform("show", "-json", "moving.plan").stdout)
    return [one for one in plan["resource_changes"] if one["mode"] == "managed"]


@pytest.mark.terraform
def test_a_lost_state_is_planned_without_a_conflict_and_without_a_loss(terraform: Terraform) -> None:
    with imports(terraform, IMPORTS.read_text(encoding="utf-8")):
        changes = changes_of(terraform, {})

    imported = {one["address"]: one["change"]["importing"]["id"] for one in changes if "importing" in one["change"]}
    created: Plan = {one["address"]: {} for one in changes if one["change"]["actions"] == ["create"]}
    assert conflicting_addresses(created) == set()
    assert len(imported) > 50
    assert all("aizuchi" in identifier for identifier in imported.values())
    assert not any("delete" in one["change"]["actions"] for one in changes)


@pytest.mark.terraform
def test_another_region_takes_over_the_bucket_where_it_is_and_nothing_else(terraform: Terraform) -> None:
    first_block = IMPORTS.read_text(encoding="utf-8").split("\n\n")[1]
    moved = {
        "name": "aizuchi-eu",
        "region": "europe-west1",
        "history_bucket": "aizuchi-test-aizuchi-history",
        "history_location": "asia-northeast1",
    }

    with imports(terraform, first_block):
        changes = changes_of(terraform, moved)

    (bucket,) = [one for one in changes if "importing" in one["change"]]
    assert bucket["change"]["importing"] == {"id": "aizuchi-test/aizuchi-test-aizuchi-history"}
    # Another location would replace the bucket. Source: provider google, google_storage_bucket ("location").
    assert bucket["change"]["after"]["location"] == "asia-northeast1"
    assert {tuple(one["change"]["actions"]) for one in changes if one is not bucket} == {("create",)}
    others = {one["address"]: one["change"]["after"] for one in changes if one is not bucket}
    for address, made in others.items():
        if resource_of(address) in conflicting_addresses(others):
            identifier = next(made[key] for key in IDENTIFYING if key in made)
            assert "aizuchi-eu" in identifier.replace("_", "-"), address


@pytest.mark.terraform
def test_two_deployments_of_one_project_have_no_name_in_common(terraform: Terraform) -> None:
    example = terraform.within("examples/full")
    assert example("get").returncode == 0

    (plan,) = run_tests(example).plans.values()

    made = {module: identifiers_of(plan, module) for module in ("bot", "rehearsal")}
    assert all(len(identifiers) > 20 for identifiers in made.values())
    assert made["bot"] & made["rehearsal"] == set()
