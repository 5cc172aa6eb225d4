"""Run the tests on slips.  The tests are collected once; each slip is made in a forked process, which gives its function other code.

A function keeps its identity when it gets other code, so every module that imported it calls the slip.
"""

import builtins
import gc
import hashlib
import json
import os
import resource
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Final, TypeAlias, TypedDict

import pytest
from hypothesis import Phase, settings

from tests.mutants.slips import Slip, marking_codes
from tests.simulation.scenes import SCENES
from tests.simulation.schedule import play

ROOT: Final = Path(__file__).parents[2]
TESTS: Final = "tests/unit/shared"
WORK: Final = ROOT / ".mutants"
_MEMORY_BYTES: Final = 4 * 2**30
_OTHERS_S: Final = 60.0  # of tests of other modules: the slowest ones are left out
_LIMIT_S: Final = 20.0
_MARK: Final = "mark_as_called"  # a global name for as long as tests are measured
_SLOWER: Final = 10.0  # than on the code as it is: then a slip has made the tests endless


Tell: TypeAlias = Callable[[str], object]
"""Sends a line to the process that forked this one."""


class Reach(TypedDict):
    """How long a test computes, which does not depend on what else the machine does, and which functions it calls."""

    seconds: float
    functions: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What found a slip: `by` is `unit`, `simulation` or, for a survivor, empty; `name` is the test, scene or seed."""

    slip: Slip
    by: str
    name: str


@dataclass(slots=True, kw_only=True)
class Hunt:
    """A plugin of pytest: in place of running the tests it runs slips on them."""

    slips: Sequence[Slip]
    modules: Mapping[str, Path]
    seeds: int
    processes: int
    on_verdict: Callable[[Verdict], None]
    _functions: dict[tuple[str, str, int], list[FunctionType]] = field(default_factory=lambda: defaultdict(list))
    _running: dict[int, tuple[Slip, int]] = field(default_factory=dict)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Examples are the same for every slip, and none is kept; one that fails is not made smaller."""
        settings.register_profile(
            "mutants",
            settings.default,
            database=None,
            derandomize=True,
            phases=(Phase.explicit, Phase.generate),
            print_blob=False,
        )
        settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Find out which tests call which functions, then what finds each slip."""
        paths = {str(path) for path in self.modules.values()}
        gc.unfreeze()  # what was frozen after the collection of the tests is not listed
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType) and thing.__code__.co_filename in paths:
                code = thing.__code__
                self._functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(thing)
        if not self._functions:
            pytest.exit("the functions of the modules are not found", returncode=1)
        reach = _reach(session, self._mark_functions)
        try:
            self._check_control(session, reach)
            for slip in self.slips:
                if len(self._running) >= self.processes:
                    self._settle()
                self._begin(slip, session, reach)
            while self._running:
                self._settle()
        finally:
            for child in self._running:
                os.kill(child, signal.SIGKILL)
        return True

    def _check_control(self, session: pytest.Session, reach: Mapping[str, Reach]) -> None:
        """Without a slip nothing is found.  Raises: pytest.exit."""
        controls: list[Verdict] = []
        hunt = Hunt(
            slips=(), modules=self.modules, seeds=self.seeds, processes=1, on_verdict=controls.append
        )  # its functions are unknown, so none is changed
        hunt._begin(self.slips[0], session, reach)
        hunt._settle()
        if controls[0].by:
            pytest.exit(f"{controls[0].name} fails without a slip", returncode=1)

    def _begin(self, slip: Slip, session: pytest.Session, reach: Mapping[str, Reach]) -> None:
        items = _tests_of(slip, session.items, reach)

        def search(tell: Tell) -> None:
            self._put(slip.path, slip.codes())
            tell("unit")
            found = _first_failure(session, items, reach)
            if found is None and self.seeds:
                tell("simulation")
                found = _first_violation(self.seeds)
            if found is not None:
                tell(found)
                os._exit(1)

        child, answer = _fork(search)
        self._running[child] = (slip, answer)

    def _mark_functions(self) -> None:
        for module, path in self.modules.items():
            self._put(path, marking_codes(path, module, mark=_MARK))

    def _put(self, path: Path, codes: Mapping[tuple[str, int], CodeType]) -> None:
        """Give the functions of a module other code."""
        for (name, lineno), code in codes.items():
            for function in self._functions.get((str(path), name, lineno), ()):
                function.__code__ = code

    def _settle(self) -> None:
        child, status = os.wait()
        slip, answer = self._running.pop(child)
        with os.fdopen(answer, encoding="utf-8") as told:
            stages = told.read().splitlines()
        if not stages:
            pytest.exit(f"cannot be made: {slip}", returncode=1)
        stage = "simulation" if "simulation" in stages else "unit"
        name = "time or memory limit" if stages[-1] == stage else stages[-1]
        self.on_verdict(Verdict(slip=slip, by=stage if status else "", name=name if status else ""))


def _tests_of(slip: Slip, items: Sequence[pytest.Item], reach: Mapping[str, Reach]) -> list[pytest.Item]:
    """Return the tests that call the function: those of its module first, then those of its folder, then the others; the quickest first."""
    *package, module = slip.function.partition(":")[0].split(".")
    folder = "/".join(("tests", "unit", *package, ""))
    own = f"{folder}test_{module}"

    def distance(one: pytest.Item) -> tuple[bool, bool, float]:
        return not one.nodeid.startswith(own), not one.nodeid.startswith(folder), reach[one.nodeid]["seconds"]

    found = sorted((one for one in items if slip.function in reach[one.nodeid]["functions"]), key=distance)
    chosen, seconds = [], 0.0
    for test in found:
        seconds += 0.0 if test.nodeid.startswith(own) else reach[test.nodeid]["seconds"]
        if seconds <= _OTHERS_S:
            chosen.append(test)
    return chosen


def _first_failure(
    session: pytest.Session, items: Sequence[pytest.Item], reach: Mapping[str, Reach] | None = None
) -> str | None:
    session.config.option.maxfail = 0
    for item, following in zip(items, [*items[1:], None], strict=False):  # there may be no test at all
        if reach is not None:
            _end_in(_LIMIT_S + _SLOWER * reach[item.nodeid]["seconds"])
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return item.nodeid
    return None


def _first_violation(seeds: int) -> str | None:
    plays: dict[str, Callable[[], Sequence[str]]] = {f"scene {name}": scene for name, scene in SCENES.items()}
    plays |= {f"seed {seed}": partial(_violations_of, seed) for seed in range(seeds)}
    for name, violations in plays.items():
        _end_in(_LIMIT_S)
        try:
            if violations():
                return name
        except Exception:  # noqa: BLE001 - a schedule that cannot be played has found the slip
            return name
    return None


def _end_in(seconds: float) -> None:
    """Let the system end this process, unless it is called again before."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _violations_of(seed: int) -> Sequence[str]:
    return play(seed).violations


def _fork(work: Callable[[Tell], None]) -> tuple[int, int]:
    """Return a process that does the work, and the pipe from which is read what it tells."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child:
        os.close(writer)
        return child, reader
    status = 2
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        work(lambda line: os.write(writer, f"{line}\n".encode()))
        status = 0
    finally:
        os._exit(status)


def _reach(session: pytest.Session, mark_functions: Callable[[], None]) -> dict[str, Reach]:
    """Return what each test calls, by its id.  Only tests that changed are run; all of them where the code has changed.

    Raises: pytest.exit, where a test fails on the code as it is.
    """
    kept_in = WORK / "reach.json"
    kept: dict[str, dict[str, Reach]] = json.loads(kept_in.read_text(encoding="utf-8")) if kept_in.exists() else {}
    code = digest_of(
        *ROOT.glob("shared/**/*.*"), *ROOT.glob("tests/support/*.py"), *ROOT.glob(f"{TESTS}/**/conftest.py")
    )
    digests = {path: f"{code} {digest_of(path)}" for path in {one.path for one in session.items}}
    unknown = [one for one in session.items if digests[one.path] not in kept]
    if unknown:
        sys.stdout.write(f"running {len(unknown)} tests on the code as it is\n")
        measured_in = WORK / "measured.json"
        child, answer = _fork(lambda tell: _measure(session, unknown, mark_functions, measured_in, tell))
        with os.fdopen(answer, encoding="utf-8") as told:
            failed = told.read().split()
        if os.waitpid(child, 0)[1] or failed:
            pytest.exit(f"tests fail without a slip: {failed}", returncode=1)
        measured: dict[str, Reach] = json.loads(measured_in.read_text(encoding="utf-8"))
        kept = {digest: reach for digest, reach in kept.items() if digest.startswith(code)}
        for test in unknown:
            kept.setdefault(digests[test.path], {})[test.nodeid] = measured[test.nodeid]
        kept_in.write_text(json.dumps(kept), encoding="utf-8")
    return {test: reach for digest in digests.values() for test, reach in kept[digest].items()}


def _measure(
    session: pytest.Session,
    items: Sequence[pytest.Item],
    mark_functions: Callable[[], None],
    to: Path,
    tell: Tell,
) -> None:
    called: set[str] = set()
    measured: dict[str, Reach] = {}
    setattr(builtins, _MARK, called.add)
    mark_functions()
    for item in items:
        called.clear()
        begun_s = time.process_time()
        if _first_failure(session, [item]) is not None:
            tell(item.nodeid)
            return
        measured[item.nodeid] = Reach(seconds=round(time.process_time() - begun_s, 4), functions=sorted(called))
    to.write_text(json.dumps(measured), encoding="utf-8")


def digest_of(*paths: Path) -> str:
    """Return a digest of the contents of files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file() and path.suffix != ".pyc"):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]
