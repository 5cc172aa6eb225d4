"""`python -m checks.fast_tests`, behind `make test-fast`: unit tests of the changes against main, nearest first, in half a minute.

A test file counts if the file imports a changed file, directly or through other modules, names a changed file, or mirrors a changed path.
Files run in small batches, in two processes. Files that do not fit into the time are counted and left to `make test`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from checks.import_graph import ImportGraph

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDERS: Final = (
    "benchmarks",
    "checks",
    "evals",
    "functions",
    "operations",
    "selfhost",
    "shared",
    "simulator",
    "tests",
)
SECONDS: Final = 27.0
_LAST_START_S: Final = 20.0
"""After so long no batch is started."""
_FILES_A_BATCH: Final = 6
_PROCESSES: Final = 2
_NO_TESTS: Final = 5
"""Source: pytest, "Exit codes": no tests were collected."""
_PASSED: Final = re.compile(r"(\d+) passed")
_LATE: Final = re.compile(r"(\d+) skipped")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """The result of pytest for a batch of test files."""

    code: int
    output: str

    @property
    def is_clean(self) -> bool:
        return self.code in {0, _NO_TESTS}


RunBatch: TypeAlias = Callable[[Sequence[str], float], BatchResult]
"""Runs test files, and skips the tests that would begin after so many seconds."""


def unit_tests(graph: ImportGraph, changed: Sequence[str]) -> list[str]:
    """Return the unit test files that depend on a change, the nearest first."""
    distances = graph.distances(changed)
    files = (path for path in distances if path.startswith("tests/unit/") and Path(path).name.startswith("test_"))
    return sorted(files, key=lambda path: (distances[path], path))


def run(files: Sequence[str], run_batch: RunBatch, monotonic_s: Callable[[], float]) -> tuple[list[BatchResult], int]:
    """Run the files in batches until the time is over; return the results and the number of files that were not begun."""
    begun_s = monotonic_s()
    batches = [files[first : first + _FILES_A_BATCH] for first in range(0, len(files), _FILES_A_BATCH)]

    def run_in_time(batch: Sequence[str]) -> BatchResult | None:
        elapsed_s = monotonic_s() - begun_s
        return None if elapsed_s > _LAST_START_S else run_batch(batch, SECONDS - elapsed_s)

    with ThreadPoolExecutor(_PROCESSES) as pool:
        results = list(pool.map(run_in_time, batches))
    late = sum(len(batch) for batch, result in zip(batches, results, strict=True) if result is None)
    return [result for result in results if result is not None], late


def report(files: Sequence[str], results: Sequence[BatchResult], late: int) -> Iterator[str]:
    """Return the output of batches that failed, and last a line such as `412 tests of 37 files passed`."""
    yield from (result.output for result in results if not result.is_clean)
    passed = sum(int(count) for result in results for count in _PASSED.findall(result.output))
    skipped = sum(int(count) for result in results for count in _LATE.findall(result.output))
    yield f"{passed} tests of {len(files) - late} files passed"
    if late or skipped:
        yield f"{late} further files and {skipped} tests did not fit into {SECONDS:.0f} s, or were skipped: make test"


def changed_files(against: str) -> list[str]:
    """Return the files that differ from the branch point, committed or not."""
    base = _git("merge-base", against, "HEAD").strip()
    return sorted(
        {
            *_git("diff", "--name-only", base).splitlines(),
            *_git("ls-files", "--others", "--exclude-standard").splitlines(),
        }
    )


def main() -> int:
    """Run the tests; return 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m checks.fast_tests", description=__doc__)
    parser.add_argument("--against", default="main", help="the branch to compare with")
    parser.add_argument("--list", action="store_true", help="print the test files, nearest first, and run nothing")
    options = parser.parse_args()
    changed = changed_files(options.against)
    files = unit_tests(ImportGraph.of(ROOT, FOLDERS), changed)
    if options.list:
        sys.stdout.writelines(f"{path}\n" for path in files)
        return 0
    print(
        f"{len(changed)} files differ from {options.against}; {len(files)} unit test files depend on them", flush=True
    )
    results, late = run(files, _run_pytest, time.monotonic)
    print("\n".join(report(files, results, late)))
    return int(not all(result.is_clean for result in results))


def _run_pytest(files: Sequence[str], seconds: float) -> BatchResult:
    command = (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n0",
        "-p",
        "checks.time_box",
        "--time-box",
        f"{seconds:.1f}",
        *files,
    )
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - pytest, on our own files
    return BatchResult(code=done.returncode, output=done.stdout + done.stderr)


def _git(*arguments: str) -> str:
    command = ("git", *arguments)
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603 - fixed arguments


if __name__ == "__main__":
    sys.exit(main())
