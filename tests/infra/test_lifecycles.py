"""What no plan shows: meta-arguments without which a secret is stored, a grant is lost, or nothing serves for a while."""

import re

import pytest

from functions.agent_worker import compose
from tests.infra.offline import ROOT
from tests.infra.planned import FUNCTIONS

FOLDER = ROOT / "infra" / "terraform"
RESOURCES = {  # by file, type and name
    ("agent_worker.tf", "google_project_iam_member", "agent_worker_uses_vertex"): "create_before_destroy = true",
    ("build.tf", "time_sleep", "grants_settled"): 'create_duration = "${var.grants_settle_s}s"',
    ("forward.tf", "google_pubsub_topic", "forward"): (
        "depends_on = [google_kms_crypto_key_iam_member.uses, time_sleep.apis_usable]"
    ),
    ("history.tf", "google_storage_bucket", "history"): (
        "depends_on = [google_kms_crypto_key_iam_member.uses, time_sleep.apis_usable]"
    ),
    ("modules/function/main.tf", "google_cloud_run_service_iam_member", "invokes"): (
        "replace_triggered_by = [google_cloudfunctions2_function.this.id]"
    ),
    ("modules/function/main.tf", "google_cloudfunctions2_function", "this"): "depends_on = [time_sleep.grants_settled]",
    ("modules/function/main.tf", "time_sleep", "grants_settled"): 'create_duration = "${var.grants_settle_s}s"',
    ("modules/load_balancer/main.tf", "google_compute_backend_service", "webhook"): (
        "security_policy = google_compute_security_policy.webhook.id"
    ),
    ("packages.tf", "google_storage_bucket_object", "package"): "create_before_destroy = true",
    ("pubsub.tf", "google_pubsub_topic", "dead_letters"): (
        "depends_on = [google_kms_crypto_key_iam_member.uses, time_sleep.apis_usable]"
    ),
    ("pubsub.tf", "google_pubsub_topic", "events"): (
        "depends_on = [google_kms_crypto_key_iam_member.uses, time_sleep.apis_usable]"
    ),
    ("pubsub.tf", "google_pubsub_subscription_iam_member", "agent_takes_dead_letters"): (
        "replace_triggered_by = [google_pubsub_subscription.worker[each.key].id]"
    ),
    ("pubsub.tf", "google_service_account_iam_member", "agent_signs_push_tokens"): (
        "service_account_id = google_service_account.push.name"
    ),
    ("placement.tf", "terraform_data", "placement"): "ignore_changes = [input]",
    ("scheduler.tf", "google_cloud_scheduler_job", "tick"): (
        "depends_on = [google_pubsub_topic_iam_member.scheduler_publishes_ticks]"
    ),
    ("secrets.tf", "google_secret_manager_secret_version", "this"): "create_before_destroy = true",
}
AFTER_SECRETS = "google_secret_manager_secret_version.this"
AFTER_GRANTS = "time_sleep.apis_usable, time_sleep.grants_settled"
DEPLOYED_AFTER = {
    "agent_worker": "module.feeds, module.unsend, ",
    "feeds": "",
    "unsend": "",
    "webhook": "module.agent_worker, ",
}
META_ARGUMENTS = [
    *((path, f'resource "{kind}" "{name}"', argument) for (path, kind, name), argument in RESOURCES.items()),
    *(
        (
            f"{function}.tf",
            f'module "{function}"',
            f"depends_on = [{AFTER_SECRETS}, {DEPLOYED_AFTER[function]}{AFTER_GRANTS}]",
        )
        for function in FUNCTIONS
    ),
    ("variables.tf", 'variable "secrets"', "ephemeral = true"),
]
# Either it names the wait itself, or it refers to a resource that does.
WAITS_FOR_APIS = re.compile(r"time_sleep\.apis_usable|google_\w+\.\w+|module\.\w+\.")
WITHOUT_A_PROJECT = {  # their arguments name it otherwise
    "google_billing_budget",
    "google_kms_crypto_key_iam_member",
    "google_secret_manager_secret_version",
    "google_service_account_iam_member",
    "google_storage_bucket_iam_member",
    "google_storage_bucket_object",
}


def block(path: str, head: str) -> str:
    text = (FOLDER / path).read_text(encoding="utf-8")
    found = re.search(rf"^{re.escape(head)} \{{\n.*?^\}}$", text, re.MULTILINE | re.DOTALL)
    assert found is not None, f"{path} has no {head}"
    return re.sub(r" +", " ", found[0])


@pytest.mark.parametrize(
    ("path", "head", "argument"), META_ARGUMENTS, ids=[f"{one[1]}: {one[2]}" for one in META_ARGUMENTS]
)
def test_a_meta_argument_that_no_plan_shows_is_there(path: str, head: str, argument: str) -> None:
    assert argument in block(path, head)


def test_every_resource_comes_after_the_apis_are_usable() -> None:
    for path in FOLDER.glob("*.tf"):
        for head in re.findall(r'^(resource "google_\w+" "\w+") \{$', path.read_text(encoding="utf-8"), re.MULTILINE):
            if "google_project_service" not in head:
                assert WAITS_FOR_APIS.search(block(path.name, head).split("{", 1)[1]), f"{path.name}: {head}"


def test_every_resource_names_its_project() -> None:
    """Whatever provider a caller of the module passes."""
    for path in (*FOLDER.glob("*.tf"), *FOLDER.glob("modules/*/*.tf")):
        name = str(path.relative_to(FOLDER))
        for head in re.findall(r'^(resource "google_\w+" "\w+") \{$', path.read_text(encoding="utf-8"), re.MULTILINE):
            if head.split('"')[1] not in WITHOUT_A_PROJECT:
                assert " project = var.project_id" in block(name, head), f"{name}: {head}"


def test_the_module_has_no_provider_block() -> None:
    for path in (*FOLDER.glob("*.tf"), *FOLDER.glob("modules/*/*.tf")):
        assert not re.search(r"^provider ", path.read_text(encoding="utf-8"), re.MULTILINE), path


def test_concurrency_stays_below_the_threads_that_renew_leases() -> None:
    found = re.search(r"var\.agent_worker\.concurrency <= (\d+)", (FOLDER / "variables.tf").read_text(encoding="utf-8"))

    assert found is not None
    assert int(found[1]) == compose._TURN_THREADS  # noqa: SLF001


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_package_links_to_every_file_of_its_function_and_to_the_common_folders(function: str) -> None:
    folder, own = ROOT / "infra" / "terraform" / "packages" / function, ROOT / "functions" / function
    files = {path.resolve() for path in own.iterdir() if path.is_file() and path.name != "requirements.in"}

    common = {(ROOT / name).resolve() for name in ("schemas", "shared")}
    assert {link.resolve() for link in folder.iterdir()} == files | common
