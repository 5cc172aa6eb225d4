"""The environment that Terraform sets is the one that the code reads: both ways, by name."""

import re
from collections.abc import Callable, Iterator, Mapping

import pytest

from operations.settings import dead_letter_settings, history_settings, line_settings
from shared.settings.agent_worker import agent_worker_settings
from shared.settings.reader import SettingsError
from shared.settings.unsend import unsend_settings
from shared.settings.webhook import webhook_settings
from tests.infra.offline import ROOT, Plan
from tests.infra.planned import FUNCTIONS, environment_of

SETTINGS: dict[str, Callable[[Mapping[str, str]], object]] = {
    "webhook": webhook_settings,
    "agent_worker": agent_worker_settings,
    "unsend": unsend_settings,
}
# Read by the framework, not by the code
OF_THE_FRAMEWORK = {"THREADS"}
# Only where the platform is a stand-in
NEVER_DEPLOYED = {"PUBSUB_EMULATOR_HOST", "STORAGE_EMULATOR_HOST"}


class Asked(Mapping[str, str]):
    """An environment that remembers every name that it is asked for."""

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


def names_asked_for(function: str, *environments: Mapping[str, str]) -> set[str]:
    """Return what the settings ask for; some names only matter where another one is set."""
    names: set[str] = set()
    for env in ({}, *environments):
        asked = Asked(env)
        try:
            SETTINGS[function](asked)
        except SettingsError:
            assert not env, f"{function} does not start with what Terraform sets"
        names |= asked.names
    return names


@pytest.mark.parametrize("function", FUNCTIONS)
def test_terraform_sets_every_name_that_the_code_reads(function: str, full: Plan, on_vertex: Plan) -> None:
    planned = [environment_of(plan, function) for plan in (full, on_vertex)]

    unset = names_asked_for(function, *planned) - set().union(*planned) - NEVER_DEPLOYED

    assert unset == set(), f"add to infra/terraform/settings.tf for {function}: {sorted(unset)}"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_code_reads_every_name_that_terraform_sets(function: str, full: Plan, on_vertex: Plan) -> None:
    planned = [environment_of(plan, function) for plan in (full, on_vertex)]

    unread = set().union(*planned) - names_asked_for(function, *planned) - OF_THE_FRAMEWORK

    assert unread == set(), f"nothing in functions/{function} reads {sorted(unread)}"


def test_terraform_prints_what_the_operators_commands_read() -> None:
    asked = Asked({})
    for read in (line_settings, history_settings, dead_letter_settings):
        with pytest.raises(SettingsError, match="incomplete"):
            read(asked)

    output = (ROOT / "infra" / "terraform" / "outputs.tf").read_text(encoding="utf-8")
    printed = output.split('output "operations_environment"')[1].split("} :")[0]

    assert set(re.findall(r"^ +([A-Z_]+) +=", printed, re.MULTILINE)) == asked.names - NEVER_DEPLOYED - {
        "LINE_API_BASE_URL",  # for rehearsals
        "LINE_CHANNEL_ACCESS_TOKEN",  # a secret
    }


def test_no_secret_is_set_in_plain_words(full: Plan) -> None:
    for function in FUNCTIONS:
        plain = full[f"module.{function}.google_cloudfunctions2_function.this"]["service_config"][0]
        named = plain["environment_variables"]
        assert not [name for name in named if any(word in name for word in ("SECRET", "TOKEN", "KEY"))]
