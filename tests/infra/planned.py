"""The parts of a plan that several tests read."""

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from tests.infra.offline import Plan

FUNCTIONS = ("webhook", "agent_worker", "unsend", "feeds")
OPTIONAL = frozenset({"feeds"})
"""The functions that are deployed only if an option asks for them."""


def address_of(function: str) -> str:
    """Return the address of a function's resource."""
    return f"module.{function}{'[0]' if function in OPTIONAL else ''}.google_cloudfunctions2_function.this"


def function_of(plan: Plan, function: str) -> Plan:
    """Return a function's `service_config`."""
    config: Plan = plan[address_of(function)]["service_config"][0]
    return config


_VALUES: Final = {
    "aizuchi-hook-key": "aizuchi-hook-key" * 2,
    "aizuchi-mcp-headers": json.dumps({"weather": {"Authorization": "aizuchi-mcp-headers"}}),
}
"""Of secrets that have a form: the least length of a key, or JSON."""


def environment_of(plan: Plan, function: str) -> dict[str, str]:
    """Return a function's environment, with the files of its secrets in a temporary folder.

    A secret's value is its id, or what `_VALUES` has for it.
    """
    config = function_of(plan, function)
    environment = dict[str, str](config["environment_variables"])
    for volume in config.get("secret_volumes", ()):
        ((name, path),) = [one for one in environment.items() if one[1].startswith(f"{volume['mount_path']}/")]
        assert Path(path).name == volume["versions"][0]["path"]
        environment[name] = str(_file_of(volume["secret"]))
    return environment


@cache
def _file_of(secret: str) -> Path:
    path = Path(_folder().name) / secret
    path.write_text(_VALUES.get(secret, secret), encoding="utf-8")
    return path


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()
