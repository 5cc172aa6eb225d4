"""Plays the mutations of infra/terraform and prints which test finds each: `make tf-mutants`, or `python -m tests.infra.mutants NAME...`.

The result is the number of survivors. A mutation that Terraform itself refuses, before any assertion, is stale: it shows nothing about
the tests.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from tests.infra.mutations import MUTATIONS, Mutation
from tests.infra.offline import (
    BASE_ENV,
    PLANS,
    ROOT,
    Plan,
    TerraformOutcome,
    fixture_of,
    make_terraform,
    missing_tools,
    run_tests,
)

_AT_ONCE: Final = 2
_TIMEOUT_S: Final = 600
_OF_ASSERTIONS: Final = ("Test assertion failed", "Unknown condition value")
# Alerts take the longest, and no mutation changes a query; the other compares the configuration with the mutations themselves.
_NOT_PLAYED: Final = ("--ignore=tests/infra/test_alerts.py", "--ignore=tests/infra/test_mutations.py")
_FAILED_TEST: Final = re.compile(r"^FAILED (.+?)(?: - .*)?$", re.MULTILINE)


class StaleMutationError(Exception):
    """A mutation whose text is not there exactly once, or that Terraform refuses."""


def mutated(text: str, mutation: Mutation) -> str:
    """Return a file's text with the mutation.  Raises: StaleMutationError, unless the text to change is there exactly once."""
    if text.count(mutation.before) != 1:
        raise StaleMutationError(f"{mutation.path} holds {mutation.before!r} {text.count(mutation.before)} times")
    return text.replace(mutation.before, mutation.after)


def finder_of(mutation: Mutation, folder: Path) -> str | None:
    """Return the first run or test that finds the mutation, or None where it survives.  Raises: StaleMutationError."""
    terraform = make_terraform(folder)
    path = terraform.folder / mutation.path
    path.write_text(mutated(path.read_text(encoding="utf-8"), mutation), encoding="utf-8")
    planned = run_tests(terraform, file="full.tftest.hcl")
    return (
        _failed_run(planned)
        or _failed_test(_checkout(folder / "checkout", terraform.folder, planned.plans))
        or _failed_run(run_tests(terraform, file="deployment.tftest.hcl"))
    )


def _failed_run(outcome: TerraformOutcome) -> str | None:
    """Return the run whose assertion fails, or depends on what a plan does not know.

    Raises: StaleMutationError, if Terraform refuses the configuration.
    """
    if outcome.status == 0:
        return None
    if not any(diagnostic in outcome.output for diagnostic in _OF_ASSERTIONS):
        raise StaleMutationError(f"Terraform refuses it: {outcome.output[-2_000:]}")
    return next(run for run, state in outcome.states.items() if state != "pass")


def _checkout(folder: Path, configuration: Path, plans: Mapping[str, Plan]) -> Path:
    """Make a checkout with this configuration and its plans; what is not changed is linked."""
    (folder / "tests").mkdir(parents=True)
    for path in ROOT.iterdir():
        if path.name not in {"infra", "tests"} and not path.name.startswith("."):
            (folder / path.name).symlink_to(path)
    for path in (ROOT / "tests").iterdir():
        if path.name != "infra":
            (folder / "tests" / path.name).symlink_to(path)
    shutil.copytree(ROOT / "tests" / "infra", folder / "tests" / "infra")
    shutil.copytree(configuration, folder / "infra" / "terraform", symlinks=True)
    (folder / PLANS.relative_to(ROOT)).write_text(fixture_of(plans), encoding="utf-8")
    return folder


def _failed_test(checkout: Path) -> str | None:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-n0", "-q", "-x", *_NOT_PLAYED, "tests/infra"],
        cwd=checkout,
        env={**BASE_ENV, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    if ran.returncode == 0:
        return None
    failed = _FAILED_TEST.search(ran.stdout)
    if failed is None:
        raise StaleMutationError(ran.stdout[-2_000:] + ran.stderr)
    return failed[1]


def _play(name: str) -> tuple[str, str | None]:
    with tempfile.TemporaryDirectory() as folder:
        return name, finder_of(MUTATIONS[name], Path(folder))


def main(names: Sequence[str]) -> int:
    """Play the named mutations, or all, and print a line for each; return the number of survivors."""
    missing = missing_tools()
    if missing:
        sys.exit(f"missing: {' and '.join(missing)}")
    survivors = 0
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        for name, finder in threads.map(_play, names or MUTATIONS):
            survivors += finder is None
            sys.stdout.write(f"{name:36} {finder or f'SURVIVES: {MUTATIONS[name].breaks}'}\n")
            sys.stdout.flush()
    count = len(names or MUTATIONS)
    sys.stdout.write(f"{count - survivors} of {count} found\n")
    return survivors


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
