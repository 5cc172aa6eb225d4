"""The configuration: its format, its validity, its own tests, and its plan against the fixture."""

import pytest

from tests.infra.offline import PLANS, Terraform, TerraformOutcome, fixture_of

pytestmark = pytest.mark.terraform


def test_the_configuration_is_formatted(terraform: Terraform) -> None:
    formatted = terraform("fmt", "-check", "-recursive", "-diff")

    assert formatted.returncode == 0, formatted.stdout


def test_the_examples_are_formatted(terraform: Terraform) -> None:
    for example in terraform.folder.glob("*.example"):
        as_it_is_used = example.with_suffix("")
        as_it_is_used.write_bytes(example.read_bytes())

        formatted = terraform("fmt", "-check", "-diff", as_it_is_used.name)

        as_it_is_used.unlink()
        assert formatted.returncode == 0, formatted.stdout


def test_the_configuration_is_valid(terraform: Terraform) -> None:
    validated = terraform("validate", "-no-color")

    assert validated.returncode == 0, validated.stdout + validated.stderr


def test_the_tests_of_the_configuration_pass(outcome: TerraformOutcome) -> None:
    assert outcome.status == 0, outcome.output
    assert set(outcome.states.values()) == {"pass"}


def test_the_plan_equals_the_fixture(outcome: TerraformOutcome) -> None:
    assert fixture_of(outcome.plans) == PLANS.read_text(encoding="utf-8"), (
        "run `make tf-plan` and review the difference"
    )


@pytest.mark.parametrize("example", ["minimal", "full"])
def test_an_example_is_valid_and_can_be_planned(terraform: Terraform, example: str) -> None:
    called = terraform.within(f"examples/{example}")

    got, validated = called("get"), called("validate", "-no-color")
    tested = called("test", "-no-color")

    assert (got.returncode, validated.returncode) == (0, 0), got.stderr + validated.stdout + validated.stderr
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "1 passed, 0 failed" in tested.stdout


def test_a_misspelt_argument_is_invalid(terraform: Terraform) -> None:
    odd = terraform.folder / "odd.tf"
    odd.write_text('resource "google_pubsub_topic" "odd" {\n  name = "odd"\n  labells = {}\n}\n', encoding="utf-8")

    validated = terraform("validate", "-no-color")

    odd.unlink()
    assert validated.returncode == 1
    assert "labells" in validated.stdout + validated.stderr
