"""The way back to the revision before, against a stand-in for gcloud that lists revisions and writes down what it is asked to change."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

COMMAND = Path(__file__).parents[3] / "operations" / "roll-back"
SERVICES = ("aizuchi-webhook", "aizuchi-agent-worker", "aizuchi-unsend")
GCLOUD = """#!/bin/sh
case "$*" in
    "run revisions list --service="*) service=${4#--service=}; cat "$(dirname "$0")/$service" ;;
    "run services update-traffic "*) shift 3; echo "$*" >> "$(dirname "$0")/changed" ;;
    *) echo "unknown: $*" >&2; exit 2 ;;
esac
"""


class Project:
    """A project whose services have these revisions, the newest first."""

    def __init__(self, folder: Path, revisions: Mapping[str, str]) -> None:
        self._folder = folder
        gcloud = folder / "gcloud"
        gcloud.write_text(GCLOUD)
        gcloud.chmod(0o755)
        for service, names in revisions.items():
            (folder / service).write_text("".join(f"{name}\n" for name in names.split()))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        env = {"PATH": f"{self._folder}:/usr/bin:/bin"}
        return subprocess.run([str(COMMAND), *arguments], env=env, capture_output=True, text=True, check=False)

    @property
    def changed(self) -> list[str]:
        path = self._folder / "changed"
        return path.read_text().splitlines() if path.exists() else []


def test_every_function_goes_back_to_its_revision_before_the_webhook_first(tmp_path: Path) -> None:
    project = Project(tmp_path, {service: f"{service}-00007-new {service}-00005-old" for service in SERVICES})

    assert project.run("asia-northeast1").returncode == 0

    assert project.changed == [
        f"{service} --region=asia-northeast1 --to-revisions={service}-00005-old=100" for service in SERVICES
    ]


@pytest.mark.parametrize("service", SERVICES)
def test_a_function_without_an_earlier_revision_leaves_everything_as_it_is(service: str, tmp_path: Path) -> None:
    revisions = {one: f"{one}-00002 {one}-00001" for one in SERVICES}
    project = Project(tmp_path, {**revisions, service: f"{service}-00001"})

    ended = project.run("asia-northeast1", "aizuchi")

    assert (ended.returncode, project.changed) == (1, [])
    assert "nothing was changed" in ended.stderr


def test_after_the_repair_the_newest_revisions_get_the_requests_the_webhook_last(tmp_path: Path) -> None:
    project = Project(tmp_path, {})

    assert project.run("asia-northeast1", "aizuchi", "--to-latest").returncode == 0

    assert project.changed == [f"{service} --region=asia-northeast1 --to-latest" for service in reversed(SERVICES)]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("",),
        ("", "aizuchi"),
        ("--help",),
        ("asia-northeast1", "aizuchi", "--latest"),
        ("asia-northeast1", "--latest"),
    ],
)
def test_what_is_not_understood_changes_nothing(arguments: tuple[str, ...], tmp_path: Path) -> None:
    project = Project(tmp_path, {service: f"{service}-00002 {service}-00001" for service in SERVICES})

    ended = project.run(*arguments)

    assert (ended.returncode, project.changed) == (2, [])
    assert ended.stderr == "usage: roll-back REGION [NAME] [--to-latest]; nothing was changed\n"


def test_the_name_may_be_left_out_before_an_option(tmp_path: Path) -> None:
    project = Project(tmp_path, {})

    assert project.run("asia-northeast1", "--to-latest").returncode == 0

    assert project.changed == [f"{service} --region=asia-northeast1 --to-latest" for service in reversed(SERVICES)]
