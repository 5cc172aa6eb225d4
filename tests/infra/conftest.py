"""Terraform, the outcome of its tests, and the plans of the fixture."""

import json
import os
from typing import Any

import pytest

from tests.infra.offline import PLANS, Plan, Terraform, TerraformOutcome, make_terraform, missing_tools, run_tests


@pytest.fixture(scope="session")
def terraform(tmp_path_factory: pytest.TempPathFactory) -> Terraform:
    """Terraform on a copy of the repository.  Without it the tests are skipped, or fail in CI."""
    missing = missing_tools()
    if missing:
        reason = f"missing: {' and '.join(missing)}"
        if os.environ.get("CI"):  # noqa: TID251 - a skip in CI would go unnoticed
            pytest.fail(reason)
        pytest.skip(reason)
    return make_terraform(tmp_path_factory.mktemp("terraform"))


@pytest.fixture(scope="session")
def outcome(terraform: Terraform) -> TerraformOutcome:
    """The outcome of the configuration's own tests."""
    return run_tests(terraform)


@pytest.fixture(scope="session")
def full() -> Plan:
    """The plan of a full configuration, from the fixture."""
    plan: Plan = _read_plans()["full"]
    return plan


@pytest.fixture(scope="session")
def essential() -> Plan:
    """The plan of a full configuration with the essential alerts only, from the fixture."""
    kept = _read_plans()
    return {address: made for address, made in {**kept["full"], **kept["essential"]}.items() if made is not None}


@pytest.fixture(scope="session")
def options() -> Plan:
    """The plan of a full configuration with everything that is optional: key, load balancer, network, audit log, private webhook."""
    kept = _read_plans()
    return {address: made for address, made in {**kept["full"], **kept["options"]}.items() if made is not None}


@pytest.fixture(scope="session")
def on_vertex() -> Plan:
    """The plan of a full configuration on Vertex AI, from the fixture."""
    kept = _read_plans()
    return {address: made for address, made in {**kept["full"], **kept["on_vertex"]}.items() if made is not None}


def _read_plans() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(PLANS.read_text(encoding="utf-8"))
    return kept
