"""The workflows run what a commit names: actions by commit, containers by digest."""

import re
from pathlib import Path

import pytest

WORKFLOWS = [*(Path(__file__).parents[2] / ".github" / "workflows").glob("*.yml")]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_takes_nothing_by_a_tag(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    actions = re.findall(r"uses: (?!\./)(\S+)", text)
    containers = re.findall(r"container: (\S.*)$", text, re.MULTILINE)

    assert [one for one in actions if not re.search(r"@[0-9a-f]{40}$", one)] == []
    assert [
        one for one in containers if not re.search(r"@sha256:([0-9a-f]{64}|\$\{\{ matrix\.digest \}\})$", one)
    ] == []
    assert all(re.fullmatch(r"[0-9a-f]{64}", one) for one in re.findall(r"digest: (\S+)", text))
