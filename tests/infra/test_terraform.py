"""The configuration itself: its form, its types, its own tests, and the plan that is kept."""

import pytest

from tests.infra.offline import PLANS, Terraform, Told, fixture_of

pytestmark = pytest.mark.terraform


def test_it_is_formatted(terraform: Terraform) -> None:
    formatted = terraform("fmt", "-check", "-recursive", "-diff")

    assert formatted.returncode == 0, formatted.stdout


def test_the_examples_are_formatted_too(terraform: Terraform) -> None:
    for example in terraform.folder.glob("*.example"):
        as_it_is_used = example.with_suffix("")
        as_it_is_used.write_bytes(example.read_bytes())

        formatted = terraform("fmt", "-check", "-diff", as_it_is_used.name)

        as_it_is_used.unlink()
        assert formatted.returncode == 0, formatted.stdout


def test_it_is_valid(terraform: Terraform) -> None:
    validated = terraform("validate", "-no-color")

    assert validated.returncode == 0, validated.stdout + validated.stderr


def test_its_own_tests_pass(told: Told) -> None:
    assert told.status == 0, told.words
    assert set(told.states.values()) == {"pass"}


def test_the_plan_is_the_one_that_is_kept(told: Told) -> None:
    assert fixture_of(told.plans) == PLANS.read_text(encoding="utf-8"), "run `make tf-plan` and look at what changed"


def test_a_misspelt_argument_is_noticed(terraform: Terraform) -> None:
    odd = terraform.folder / "odd.tf"
    odd.write_text('resource "google_pubsub_topic" "odd" {\n  name = "odd"\n  labells = {}\n}\n', encoding="utf-8")

    validated = terraform("validate", "-no-color")

    odd.unlink()
    assert validated.returncode == 1
    assert "labells" in validated.stdout + validated.stderr
