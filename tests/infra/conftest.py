"""Terraform, its tests' outcome, and the plan that is kept as a fixture."""

import json
import os
from typing import Any

import pytest

from tests.infra.offline import PLANS, Plan, Terraform, Told, make_terraform, missing_tools, run_tests


@pytest.fixture(scope="session")
def terraform(tmp_path_factory: pytest.TempPathFactory) -> Terraform:
    """Terraform on a copy of the repository; a machine without it skips at a desk and fails in CI."""
    missing = missing_tools()
    if missing:
        reason = f"missing: {' and '.join(missing)}"
        if os.environ.get("CI"):  # noqa: TID251 - CI has to notice
            pytest.fail(reason)
        pytest.skip(reason)
    return make_terraform(tmp_path_factory.mktemp("terraform"))


@pytest.fixture(scope="session")
def told(terraform: Terraform) -> Told:
    """What the configuration's own tests came to."""
    return run_tests(terraform)


@pytest.fixture(scope="session")
def full() -> Plan:
    """The plan of a full configuration, as it is kept."""
    plan: Plan = _kept()["full"]
    return plan


@pytest.fixture(scope="session")
def on_vertex() -> Plan:
    """The same on Vertex AI."""
    kept = _kept()
    return {address: made for address, made in {**kept["full"], **kept["on_vertex"]}.items() if made is not None}


def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(PLANS.read_text(encoding="utf-8"))
    return kept
