"""Terraform sets the variables that the code reads, and no others."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from operations.settings import dead_letter_settings, history_settings, line_settings, rich_menu_settings
from shared.settings.agent_worker import agent_worker_settings
from shared.settings.feeds import feeds_settings
from shared.settings.reader import SettingsError
from shared.settings.unsend import unsend_settings
from shared.settings.webhook import webhook_settings
from tests.infra.offline import ROOT, Plan
from tests.infra.planned import FUNCTIONS, address_of, environment_of, function_of

SETTINGS: dict[str, Callable[[Mapping[str, str]], object]] = {
    "webhook": webhook_settings,
    "agent_worker": agent_worker_settings,
    "unsend": unsend_settings,
    "feeds": feeds_settings,
}
# Read by the framework, not by the code.
READ_BY_FRAMEWORK = {"THREADS"}
# Set only for stand-ins of the platform.
NEVER_DEPLOYED = {"CLOCK_OFFSET_FILE", "PUBSUB_EMULATOR_HOST", "STORAGE_EMULATOR_HOST"}
# Accepted from older deployments, and without effect.
RETIRED = {"SETTLE_MS"}


# Source: PEP 552, the flags of a .pyc file.
CHECKED_BY_HASH = bytes([0b11, 0, 0, 0])


class RecordingEnvironment(Mapping[str, str]):
    """An environment that records every name that is read."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.names: set[str] = set()
        self._env = env

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        return self._env[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._env)

    def __len__(self) -> int:
        return len(self._env)


def names_read_by(function: str, *environments: Mapping[str, str]) -> set[str]:
    """Return the names that the settings read; some are read only if another one is set."""
    names: set[str] = set()
    for env in ({}, *environments):
        environment = RecordingEnvironment(env)
        try:
            SETTINGS[function](environment)
        except SettingsError:
            assert not env, f"{function} does not start with what Terraform sets"
        names |= environment.names
    return names


@pytest.mark.parametrize("function", FUNCTIONS)
def test_terraform_sets_every_name_that_the_code_reads(function: str, full: Plan, on_vertex: Plan) -> None:
    planned = [environment_of(plan, function) for plan in (full, on_vertex)]

    names = set().union(*planned)
    in_files = {name.removesuffix("_FILE") for name in names if name.endswith("_FILE")}
    unset = names_read_by(function, *planned) - names - in_files - NEVER_DEPLOYED - RETIRED

    assert unset == set(), f"add to infra/terraform/settings.tf for {function}: {sorted(unset)}"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_code_reads_every_name_that_terraform_sets(function: str, full: Plan, on_vertex: Plan) -> None:
    planned = [environment_of(plan, function) for plan in (full, on_vertex)]

    unread = set().union(*planned) - names_read_by(function, *planned) - READ_BY_FRAMEWORK

    assert unread == set(), f"nothing in functions/{function} reads {sorted(unread)}"


def test_terraform_prints_the_environment_of_the_commands() -> None:
    environment = RecordingEnvironment({})
    for read in (line_settings, rich_menu_settings, history_settings, dead_letter_settings):
        with pytest.raises(SettingsError, match="incomplete"):
            read(environment)

    output = (ROOT / "infra" / "terraform" / "outputs.tf").read_text(encoding="utf-8")
    printed = output.split('output "operations_environment"')[1].split("} :")[0]

    assert set(re.findall(r"^ +([A-Z_]+) +=", printed, re.MULTILINE)) == environment.names - NEVER_DEPLOYED - {
        "LINE_API_BASE_URL",  # for stand-ins
        "LINE_CHANNEL_ACCESS_TOKEN",  # a secret
    }


def test_no_secret_is_a_plain_environment_variable(full: Plan) -> None:
    for function in FUNCTIONS:
        plain = full[address_of(function)]["service_config"][0]
        named = plain["environment_variables"]
        secret = [name for name in named if {"SECRET", "TOKEN", "KEY"}.intersection(name.split("_"))]
        assert [name for name in secret if not re.fullmatch(r"/secrets/[a-z-]+/value", named[name])] == []
        assert not plain.get("secret_environment_variables")


def test_secrets_are_files_of_the_newest_version(full: Plan) -> None:
    mounted = {
        function: {
            volume["mount_path"]: (volume["secret"], volume["versions"])
            for volume in function_of(full, function).get("secret_volumes", ())
        }
        for function in FUNCTIONS
    }

    newest = [{"path": "value", "version": "latest"}]
    assert mounted == {
        "webhook": {
            "/secrets/hook-key": ("aizuchi-hook-key", newest),
            "/secrets/line-channel-secret": ("aizuchi-line-channel-secret", newest),
        },
        "agent_worker": {
            "/secrets/gemini-api-key": ("aizuchi-gemini-api-key", newest),
            "/secrets/hook-key": ("aizuchi-hook-key", newest),
            "/secrets/line-channel-access-token": ("aizuchi-line-channel-access-token", newest),
            "/secrets/mcp-headers": ("aizuchi-mcp-headers", newest),
            "/secrets/notion-token": ("aizuchi-notion-token", newest),
        },
        "unsend": {},
        "feeds": {},
    }


@pytest.mark.parametrize("function", FUNCTIONS)
def test_bytecode_of_the_build_is_checked_by_hash(function: str, full: Plan, tmp_path: Path) -> None:
    build = full[address_of(function)]["build_config"][0]
    (tmp_path / "one.py").write_text("ONE = 1\n")

    subprocess.run(
        [sys.executable, "-m", "compileall", "-f", "-q", "."],
        cwd=tmp_path,
        env=build["environment_variables"],
        check=True,
    )

    (compiled,) = tmp_path.glob("__pycache__/one.*.pyc")
    assert compiled.read_bytes()[4:8] == CHECKED_BY_HASH
