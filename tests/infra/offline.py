"""Terraform without a network: on a copy of the repository, with stand-ins for its providers through `dev_overrides`, and without `init`.

`python -m tests.infra.offline` rewrites the plan fixture, from the plans of `terraform test`.
"""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
STUB: Final = Path(__file__).parent / "stub"
STUB_PYTHON: Final = ROOT / ".terraform-tools" / "stub" / "bin" / "python"
PLANS: Final = Path(__file__).parent / "plans.json"
# The variables that every process of this machine needs.
BASE_ENV: Final = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}  # noqa: TID251
_COPIED_FOLDERS: Final = ("functions", "infra", "requirements", "schemas", "shared")
_TIMEOUT_S: Final = 1_800
_KEPT: Final = frozenset({"essential", "full", "on_vertex", "options"})
"""The runs of full.tftest.hcl whose plans the fixture holds."""
_HASH: Final = re.compile(r"\b[0-9a-f]{64}\b")

Plan = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terraform:
    """`terraform` in the configuration's folder of a copy of the repository."""

    folder: Path
    rc: Path

    def within(self, folder: str) -> "Terraform":
        """Return Terraform in a folder of the configuration's folder."""
        return replace(self, folder=self.folder / folder)

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command and return its result, whatever its status."""
        settings = {
            "CHECKPOINT_DISABLE": "1",
            "TF_CLI_CONFIG_FILE": str(self.rc),
            "TF_DISABLE_PLUGIN_TLS": "1",
            "TF_IN_AUTOMATION": "1",
        }
        return subprocess.run(
            ["terraform", *arguments],  # noqa: S607 - the one on the PATH
            cwd=self.folder,
            env={**BASE_ENV, **settings},
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TerraformOutcome:
    """The outcome of `terraform test`: its status, how each run ended, what each planned, and its output.

    `recorded`: the text of the Terraform state that each run with an apply left.
    """

    status: int
    states: Mapping[str, str]
    plans: Mapping[str, Plan]
    recorded: Mapping[str, str]
    output: str


def missing_tools() -> tuple[str, ...]:
    """Return the tools that this machine lacks."""
    has = {
        "`terraform` 1.11 or newer on the PATH": shutil.which("terraform") is not None,
        "the stand-ins' environment (`make tf-test` makes it)": STUB_PYTHON.exists(),
    }
    return tuple(what for what, is_there in has.items() if not is_there)


def make_terraform(folder: Path) -> Terraform:
    """Return Terraform on a copy of the repository in `folder`, ready for any command that needs no state."""
    copy = folder / "copy"
    ignored = shutil.ignore_patterns(
        "__pycache__", ".terraform*", ".packages", "*.tfvars", "*.tfstate*", "backend.tf", "import.tf"
    )
    for name in _COPIED_FOLDERS:
        shutil.copytree(ROOT / name, copy / name, ignore=ignored, symlinks=True)
    overrides = "\n".join(f'    "hashicorp/{name}" = "{home}"' for name, home in _write_plugins(folder / "plugins"))
    rc = folder / "terraform.rc"
    rc.write_text(f"provider_installation {{\n  dev_overrides {{\n{overrides}\n  }}\n}}\n", encoding="utf-8")
    terraform = Terraform(folder=copy / "infra" / "terraform", rc=rc)
    got = terraform("get")
    assert got.returncode == 0, got.stdout + got.stderr
    return terraform


def run_tests(terraform: Terraform, *, file: str | None = None) -> TerraformOutcome:
    """Run the configuration's own tests, or those of one file."""
    chosen = () if file is None else (f"-filter=tests/{file}",)
    ran = terraform("test", "-json", "-verbose", *chosen)
    states: dict[str, str] = {}
    plans: dict[str, Plan] = {}
    recorded: dict[str, str] = {}
    output: list[str] = []
    for line in ran.stdout.splitlines():
        message = json.loads(line)
        output.append(str(message.get("@message")))
        match message.get("type"):
            case "test_run" if message["test_run"].get("progress") == "complete":
                states[f"{message['@testfile']} {message['@testrun']}"] = message["test_run"]["status"]
            case "test_plan":
                plans[message["@testrun"]] = normalise(message["test_plan"])
            case "test_state":
                recorded[message["@testrun"]] = json.dumps(message["test_state"]["root_module"])
            case "diagnostic":
                output.append(str(message["diagnostic"].get("detail")))
    whole_output = "\n".join([*output, ran.stderr])
    return TerraformOutcome(status=ran.returncode, states=states, plans=plans, recorded=recorded, output=whole_output)


def normalise(plan: Mapping[str, Any]) -> Plan:
    """Return the planned resources by address, with the values known before apply, without empty values, and with hashes as `HASH`."""
    changes = sorted(
        plan.get("resource_changes", ()), key=lambda change: str(change["address"])
    )  # a refused run plans nothing
    made = {one["address"]: _without_empty(one["change"]["after"]) for one in changes if one["mode"] == "managed"}
    masked: Plan = json.loads(_HASH.sub("HASH", json.dumps(made)))
    return masked


def fixture_of(plans: Mapping[str, Plan]) -> str:
    """Return the fixture: the full configuration, and how the others differ from it (null: the resource is absent there)."""
    full = plans["full"]
    differences = {
        name: {
            address: plans[name].get(address)
            for address in sorted({*full, *plans[name]})
            if full.get(address) != plans[name].get(address)
        }
        for name in _KEPT - {"full"}
    }
    return json.dumps({"full": full, **differences}, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _without_empty(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_empty(inner) for key, inner in value.items() if inner not in (None, [], {})}
    return [_without_empty(inner) for inner in value] if isinstance(value, list) else value


def _write_plugins(folder: Path) -> Iterator[tuple[str, Path]]:
    """Write an executable for each schema; yield the name and folder of each provider."""
    for schema in sorted(STUB.glob("*.json")):
        home = folder / schema.stem
        home.mkdir(parents=True)
        plugin = home / f"terraform-provider-{schema.stem}"
        plugin.write_text(f'#!/bin/sh\nexec "{STUB_PYTHON}" "{STUB / "provider.py"}" "{schema}"\n', encoding="utf-8")
        plugin.chmod(plugin.stat().st_mode | stat.S_IXUSR)
        yield schema.stem, home


def main() -> None:
    """Rewrite the fixture."""
    missing = missing_tools()
    if missing:
        sys.exit(f"missing: {' and '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        outcome = run_tests(make_terraform(Path(folder)), file="full.tftest.hcl")
    if not outcome.plans.keys() >= _KEPT:
        sys.exit(outcome.output)
    PLANS.write_text(fixture_of(outcome.plans), encoding="utf-8")


if __name__ == "__main__":
    main()
