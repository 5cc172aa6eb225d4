"""The pages about turns and memory stay short and name what is there; each fault of earlier drafts has a scene or a test."""

import re
from functools import cache
from pathlib import Path
from typing import Final

from tests.simulation.scenes import SCENES

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "turn-protocol.md"
WORDS_AT_MOST: Final = 5_356
"""Two thirds of what the page had before it was rewritten, the signs of its tables included."""
CONCEPTS_AT_MOST: Final = 25
FAULTS: Final = 57
CANNOT_OCCUR: Final = {30, 43}
_FAULT: Final = re.compile(r"^\| ([\d, ]+) \| (.+) \| (`\w+`(?:, `\w+`)*) \|$", re.MULTILINE)
_NAME: Final = re.compile(r"`([A-Za-z_][\w.]*)`")
_FILE: Final = re.compile(r"\.(?:py|json)$")


def faults() -> dict[int, tuple[str, ...]]:
    """Return the scenes and tests of each fault, by its number."""
    readme = (ROOT / "tests" / "simulation" / "README.md").read_text(encoding="utf-8")
    section = readme.partition("## Faults of earlier drafts")[2].partition("\n## ")[0]
    rows = [(numbers, tuple(_NAME.findall(shown_by))) for numbers, _, shown_by in _FAULT.findall(section)]
    return {int(number): shown_by for numbers, shown_by in rows for number in numbers.split(", ")}


@cache
def names_of_tests() -> frozenset[str]:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return frozenset(name for source in sources for name in re.findall(r"def (test_\w+)", source))


def test_every_fault_that_can_occur_again_has_a_scene_or_a_test() -> None:
    played = {scene.__name__ for scene in SCENES.values()} | names_of_tests()

    assert faults().keys() == set(range(1, FAULTS + 1)) - CANNOT_OCCUR
    assert {number: shown_by for number, shown_by in faults().items() if not played.issuperset(shown_by)} == {}


def test_the_page_is_short_enough_to_be_read() -> None:
    assert len(PAGE.read_text(encoding="utf-8").split()) <= WORDS_AT_MOST


def test_every_name_on_the_page_is_a_name_in_the_code() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "shared").rglob("*.py"))
    words = frozenset(re.findall(r"\w+", code))
    names = {name for name in _NAME.findall(PAGE.read_text(encoding="utf-8")) if not _FILE.search(name)}

    assert {name for name in names if not words.issuperset(name.split("."))} == set()


def test_every_module_of_the_conversation_is_on_the_page_of_concepts() -> None:
    page = (ROOT / "docs" / "memory.md").read_text(encoding="utf-8").partition("## The concepts of")[2]
    modules = {path.name for path in (ROOT / "shared" / "conversation").rglob("*.py")} - {"__init__.py"}
    rows = [line for line in page.splitlines() if line.startswith("| ")]

    assert {module for module in modules if f"{module}`" not in page} == set()
    assert len(rows) - 1 <= CONCEPTS_AT_MOST
