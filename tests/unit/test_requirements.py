"""The locked requirements can be installed with the pip that comes with Python 3.11, too.

Before 23.3, pip takes `google-auth[requests]`, for which google-genai asks, and `google-auth`, for which google-api-core asks, for two
packages. Of one that is not locked under that name it wants the newest version, for which there is no hash. So both are locked.
Source: pip's changelog, 23.3: "Improve extras resolution for multiple constraints on same base package" (pypa/pip #11924).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKED = [
    *ROOT.glob("functions/*/requirements.txt"),
    *(ROOT / "requirements" / f"{name}.txt" for name in ("serve", "run", "dev")),
]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[([^\]]*)\])?==", re.MULTILINE)


def locked_extras(requirements: str) -> Mapping[str, Sequence[frozenset[str]]]:
    """Return the extras of each locked package, once for each of its entries: `{"google-auth": [{}, {"requests"}], "six": [{}]}`."""
    entries: dict[str, list[frozenset[str]]] = {}
    for name, extras in _PIN.findall(requirements):
        entries.setdefault(canonicalize_name(name), []).append(frozenset(filter(None, extras.split(","))))
    return entries


def wanted_extras(name: str, extras: frozenset[str]) -> Iterator[Requirement]:
    """Yield what the installed package requires with extras, on any Python that is served."""
    try:
        required = [Requirement(one) for one in requires(name) or ()]
    except PackageNotFoundError:  # it is for another platform
        return
    environments = [
        {"extra": extra, "python_version": python, "python_full_version": f"{python}.0"}
        for extra in ("", *extras)
        for python in PYTHONS
    ]
    for requirement in required:
        if requirement.extras and (requirement.marker is None or any(map(requirement.marker.evaluate, environments))):
            yield requirement


@pytest.mark.parametrize("path", LOCKED, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_extra_that_a_locked_package_asks_for_is_locked(path: Path) -> None:
    locked = locked_extras(path.read_text(encoding="utf-8"))

    missing = [
        f"{name} asks for {extra}"
        for name, entries in locked.items()
        for extra in wanted_extras(name, frozenset().union(*entries))
        if not any(extra.extras <= extras for extras in locked[canonicalize_name(extra.name)])
    ]

    assert locked
    assert missing == []


@pytest.mark.parametrize("path", LOCKED, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_package_is_locked_without_extras_too(path: Path) -> None:
    locked = locked_extras(path.read_text(encoding="utf-8"))

    assert [name for name, entries in locked.items() if frozenset() not in entries] == []


def test_extras_are_asked_for_at_all() -> None:
    wanted = {str(one.name) for one in wanted_extras("google-genai", frozenset())}

    assert "google-auth" in wanted
