"""A deployment stays where its first apply put it: another name or region is refused with a message that says what to do."""

import re
from collections.abc import Mapping
from subprocess import CompletedProcess

import pytest

from tests.infra.offline import Terraform

pytestmark = pytest.mark.terraform
FIRST = {
    "project_id": "aizuchi-test",
    "secrets": '{"line_channel_secret":"s","line_channel_access_token":"t","gemini_api_key":"k"}',
}


def run_on_placement(terraform: Terraform, command: str, changed: Mapping[str, str]) -> CompletedProcess[str]:
    """Run a command on the recorded placement alone, which needs no provider."""
    settings = [f"-var={name}={value}" for name, value in {**FIRST, **changed}.items()]
    approved = ["-auto-approve"] if command != "plan" else []
    return terraform(command, "-no-color", "-input=false", "-target=terraform_data.placement", *approved, *settings)


@pytest.fixture(scope="module")
def applied(terraform: Terraform) -> Terraform:
    """Terraform whose state records the placement of a first apply."""
    first = run_on_placement(terraform, "apply", {})
    assert first.returncode == 0, first.stdout + first.stderr
    return terraform


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "other"},
        {"region": "europe-west1"},
        {"project_id": "another-project"},
        {"history_bucket": "another-bucket"},
        {"history_location": "ASIA1"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_deployment_cannot_be_moved_and_the_message_says_what_to_do(
    applied: Terraform, changed: dict[str, str]
) -> None:
    planned = run_on_placement(applied, "plan", changed)

    message = re.sub(r"[\s│]+", " ", planned.stdout + planned.stderr)
    assert planned.returncode == 1, message
    assert '"name":"aizuchi"' in message
    assert "apply a second deployment with another name and a state of its own" in message


def test_the_same_deployment_is_planned_again(applied: Terraform) -> None:
    planned = run_on_placement(applied, "plan", {"bot": '{"name":"Another name in chats"}'})

    assert planned.returncode == 0, planned.stdout + planned.stderr
    assert "No changes" in planned.stdout


def test_a_deployment_of_another_place_can_be_removed(applied: Terraform) -> None:
    planned = applied(
        "plan",
        "-destroy",
        "-no-color",
        "-target=terraform_data.placement",
        *(f"-var={name}={value}" for name, value in {**FIRST, "name": "other"}.items()),
    )

    assert planned.returncode == 0, planned.stdout + planned.stderr
