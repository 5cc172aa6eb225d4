"""Which tests `make test-fast` runs, in which order, and what it says about those that it does not run."""

from collections.abc import Sequence

from checks.fast_tests import SECONDS, BatchResult, report, run, unit_tests
from checks.import_graph import ImportGraph

FILES = [f"tests/unit/test_{number:02}.py" for number in range(20)]


class Pytest:
    """Runs nothing: each batch takes some seconds on a clock of its own, and passes unless it holds a failing file."""

    def __init__(self, *, takes_s: float, failing: str | None = None) -> None:
        self.now_s = 0.0
        self.ran: list[str] = []
        self.boxes: list[float] = []
        self._takes_s = takes_s
        self._failing = failing

    def __call__(self, files: Sequence[str], seconds: float) -> BatchResult:
        self.ran += files
        self.boxes.append(seconds)
        self.now_s += self._takes_s
        failed = self._failing in files
        return BatchResult(code=int(failed), output=f"{'1 failed, ' * failed}{len(files)} passed in 1 s")

    def monotonic_s(self) -> float:
        return self.now_s


def test_only_unit_tests_are_chosen_and_the_nearest_come_first() -> None:
    graph = ImportGraph.of_sources(
        {
            "shared/a.py": "",
            "shared/b.py": "import shared.a\n",
            "tests/unit/shared/test_b.py": "import shared.b\n",
            "tests/unit/test_z.py": "import shared.a\n",
            "tests/unit/support.py": "import shared.a\n",
            "tests/e2e/test_a.py": "import shared.a\n",
        }
    )

    assert unit_tests(graph, ["shared/a.py"]) == ["tests/unit/test_z.py", "tests/unit/shared/test_b.py"]


def test_a_changed_test_runs_itself() -> None:
    graph = ImportGraph.of_sources({"tests/unit/test_a.py": ""})

    assert unit_tests(graph, ["tests/unit/test_a.py"]) == ["tests/unit/test_a.py"]


def test_every_file_runs_while_there_is_time() -> None:
    pytest_ = Pytest(takes_s=0.0)

    results, late = run(FILES, pytest_, pytest_.monotonic_s)

    assert sorted(pytest_.ran) == FILES
    assert late == 0
    assert list(report(FILES, results, late)) == ["20 tests of 20 files passed"]


def test_what_does_not_fit_into_the_time_is_counted() -> None:
    pytest_ = Pytest(takes_s=SECONDS * 10)

    results, late = run(FILES, pytest_, pytest_.monotonic_s)

    assert 0 < len(pytest_.ran) < len(FILES)
    assert late == len(FILES) - len(pytest_.ran)
    assert f"{late} further files" in list(report(FILES, results, late))[-1]


def test_a_batch_is_given_the_time_that_remains() -> None:
    pytest_ = Pytest(takes_s=5.0)

    run(FILES, pytest_, pytest_.monotonic_s)

    assert max(pytest_.boxes) == SECONDS
    assert all(0 < seconds <= SECONDS for seconds in pytest_.boxes)


def test_the_output_of_a_batch_that_fails_is_shown() -> None:
    pytest_ = Pytest(takes_s=0.0, failing=FILES[7])

    results, late = run(FILES, pytest_, pytest_.monotonic_s)

    assert [result.is_clean for result in results].count(False) == 1
    assert next(iter(report(FILES, results, late))).startswith("1 failed")


def test_a_batch_without_tests_is_no_failure() -> None:
    assert BatchResult(code=5, output="no tests ran").is_clean
    assert not BatchResult(code=2, output="error").is_clean
