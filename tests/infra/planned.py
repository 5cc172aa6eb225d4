"""The parts of a plan that several tests read."""

from tests.infra.offline import Plan

FUNCTIONS = ("webhook", "agent_worker", "unsend")


def function_of(plan: Plan, function: str) -> Plan:
    """Return a function's `service_config`."""
    config: Plan = plan[f"module.{function}.google_cloudfunctions2_function.this"]["service_config"][0]
    return config


def environment_of(plan: Plan, function: str) -> dict[str, str]:
    """Return a function's environment, in which the value of a secret is the name of its reference."""
    config = function_of(plan, function)
    secrets = {one["key"]: one["secret"] for one in config.get("secret_environment_variables", ())}
    return {**config["environment_variables"], **secrets}
