"""Look for slips that no test finds: python -m tests.mutants [--module PATH] [--tests PATH] [--sample N --seed S] [--again]."""

import argparse
import json
import os
import random
import sys
import time
from typing import Final

import pytest

from tests.mutants import table
from tests.mutants.hunt import ROOT, TESTS, WORK, Hunt, Verdict, digest_of
from tests.mutants.slips import Slip, slips_in

_PATTERNS: Final = (
    "shared/turns/*.py",
    "shared/conversation/**/*.py",
    "shared/composition/*.py",
    "shared/features/*.py",
    "shared/handlers/*.py",
    "shared/recurrence.py",
    "shared/search/folding.py",
    "shared/search/literal_runs.py",
    "shared/storage/*.py",
    "shared/reminders/*.py",
    "shared/access/*.py",
    "shared/knowledge/*.py",
    "shared/agent/*.py",
    "shared/tools/*.py",
    "shared/line/*.py",
)
MODULES: Final = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for pattern in _PATTERNS
    for path in sorted(ROOT.glob(pattern))
    if path.name != "__init__.py"
}
"""The modules in which slips are made, by name."""


def main() -> int:
    """Print each survivor, and the table; a survivor is an error."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--module", action="append", help="a module's path, or the beginning of it; may be repeated")
    parser.add_argument("--tests", action="append", help="a folder of unit tests, in place of all; may be repeated")
    parser.add_argument("--sample", type=int, help="how many slips to try, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the sample")
    parser.add_argument(
        "--seeds", type=int, default=200, help="how many schedules to play after the scenes; 0: neither"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="how many slips to try at a time")
    parser.add_argument("--again", action="store_true", help="forget what earlier runs found")
    options = parser.parse_args()
    chosen = tuple(options.module or ("",))
    slips = [
        slip
        for module, path in MODULES.items()
        if path.relative_to(ROOT).as_posix().startswith(chosen)
        for slip in slips_in(path, module)
    ]
    WORK.mkdir(exist_ok=True)
    known = Known(is_empty=options.again)
    drawn = slips
    if options.sample is not None:
        drawn = random.Random(options.seed).sample(slips, min(options.sample, len(slips)))
    left = [one for one in drawn if one.key not in known.verdicts]
    begun_s = time.monotonic()
    code = 0
    if left:
        hunt = Hunt(
            slips=left,
            modules=MODULES,
            seeds=options.seeds,
            processes=options.processes,
            on_verdict=known.keep,
        )
        tests = options.tests or [TESTS]
        code = int(pytest.main(["-q", "-p", "no:cacheprovider", "--capture=sys", "--tb=no", *tests], plugins=[hunt]))
    seconds = time.monotonic() - begun_s
    if code:
        return code
    rate = len(left) / max(seconds, 0.1)
    _print_line(f"{len(drawn)} slips, {len(left)} tried in {seconds:.0f} s: {rate:.1f} a second")
    return table.report(drawn, known.verdicts, is_whole=options.sample is None)


class Known:
    """The verdicts of earlier runs.  What was found stays found; a survivor is tried again once a test has changed."""

    def __init__(self, *, is_empty: bool) -> None:
        self._path = WORK / "verdicts.jsonl"
        self._tests = digest_of(*(ROOT / "tests").glob("**/*.py"))
        self.verdicts: dict[str, str] = {}
        if is_empty:
            self._path.unlink(missing_ok=True)
        if self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                one = json.loads(line)
                if one["by"] or one["tests"] == self._tests:
                    self.verdicts[one["key"]] = one["by"]

    def keep(self, verdict: Verdict) -> None:
        """Keep a verdict at once, so that a run that is ended goes on where it was."""
        slip = verdict.slip
        self.verdicts[slip.key] = verdict.by
        line = {"key": slip.key, "by": verdict.by, "name": verdict.name, "tests": self._tests}
        with self._path.open("a", encoding="utf-8") as lines:
            lines.write(
                json.dumps({**line, "function": slip.function, "kind": slip.kind, "before": slip.before}) + "\n"
            )
        if not verdict.by:
            _print_line(f"survived: {where(slip)}")


def where(slip: Slip) -> str:
    """Return where a slip is, and what it does."""
    return f"{slip.path.relative_to(ROOT)}:{slip.lineno} {slip.function.partition(':')[2]}: {slip.kind}: {slip.before}"


def _print_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
