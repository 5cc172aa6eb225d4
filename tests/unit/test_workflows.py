"""The workflows run what a commit names: actions by commit, containers by digest."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = [*FOLDER.glob("*.yml")]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_takes_nothing_by_a_tag(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    actions = re.findall(r"uses: (?!\./)(\S+)", text)
    containers = re.findall(r"container: (\S.*)$", text, re.MULTILINE)

    assert [one for one in actions if not re.search(r"@[0-9a-f]{40}$", one)] == []
    assert [
        container
        for container in containers
        if not re.search(r"@sha256:([0-9a-f]{64}|\$\{\{ matrix\.digest \}\})$", container)
    ] == []
    assert all(re.fullmatch(r"[0-9a-f]{64}", one) for one in re.findall(r"digest: (\S+)", text))


def test_everything_runs_on_every_python_whose_wheels_are_looked_up() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    pythons = re.findall(r"^PYTHONS := (.+)$", makefile, re.MULTILINE)[0].split()

    assert re.findall(r'- python: "(\S+)"', (FOLDER / "ci.yml").read_text(encoding="utf-8")) == pythons
    assert pythons == ["3.11", "3.12", "3.13", "3.14"]


def test_vulnerabilities_and_wheels_are_looked_up_once_a_week() -> None:
    text = (FOLDER / "audit.yml").read_text(encoding="utf-8")

    assert re.findall(r'cron: "(.+)"', text) == ["0 6 * * 1"]
    assert re.findall(r"- run: (.+)", text) == ["make audit", "make wheels"]
