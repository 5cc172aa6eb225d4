"""One file says the version; whatever has to repeat it says the same."""

import json
import re
import tomllib
from pathlib import Path

from shared.version import FILE, version
from simulator.line.version import __version__

ROOT = Path(__file__).parents[2]


def test_the_version_is_one_line_of_three_numbers() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", FILE.read_text(encoding="ascii"))
    assert version() == FILE.read_text(encoding="ascii").strip()


def test_python_packages_have_the_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert (project["version"], __version__) == (version(), version())


def test_the_npm_package_has_the_version() -> None:
    package = json.loads((ROOT / "simulator" / "npm" / "package.json").read_text(encoding="utf-8"))

    assert package["version"] == version()


def test_the_newest_release_of_the_changelog_is_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    releases = re.findall(r"^## \[(\d[^]]*)\] - \d{4}-\d{2}-\d{2}$", changelog, re.MULTILINE)
    assert releases[0] == version()
