"""What the papers name is there: files behind links, headings, paths, targets of make, settings, modules that are run."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
_FOLDERS: Final = (
    *("benchmarks", "docs", "evals", "functions", "infra", "operations", "schemas", "shared", "simulator", "tests"),
    "requirements",
    "selfhost",
)
PAPERS: Final = sorted(
    (*ROOT.glob("*.md"), *(one for folder in _FOLDERS for one in (ROOT / folder).rglob("*.md"))),
)
_LINK: Final = re.compile(r"\]\(([^()\s]+)\)")
_CODE: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_FENCE: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
_PATH: Final = re.compile(rf"(?:{'|'.join(_FOLDERS)})/[\w./-]*")
_TARGET: Final = re.compile(r"\bmake ([a-z][a-z-]+)")
_MODULE: Final = re.compile(r"python -m ([a-z_.]+)")
_SETTING: Final = re.compile(r"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=.*)?")
_PLACEHOLDER: Final = re.compile(r"(?<![A-Za-z_])[A-Z]{4,}(?![A-Za-z_])")
_FOREIGN: Final = {"GOOGLE_BILLING_PROJECT", "USER_PROJECT_OVERRIDE", "MALLOC_ARENA_MAX", "REQUEST_TIMEOUT"}
_ABSENT: Final = {"infra/terraform/.terraform.lock.hcl"}  # docs/deploy.md says why
_TEST: Final = re.compile(r"`(test_\w{12,})`")
_SOURCES: Final = (".py", ".tf", ".toml", ".json", ".yaml", ".yml", ".js", ".html")


@cache
def names_of_tests() -> frozenset[str]:
    """Return the names of all tests."""
    return frozenset(
        name for path in (ROOT / "tests").rglob("*.py") for name in re.findall(r"def (test_\w+)", text_of(path))
    )


def name_of(paper: Path) -> str:
    return paper.relative_to(ROOT).as_posix()


@cache
def text_of(paper: Path) -> str:
    return paper.read_text(encoding="utf-8")


@cache
def anchors_of(paper: Path) -> frozenset[str]:
    """Return the anchors of a paper's headings, as GitHub makes them."""
    headings = _HEADING.findall(_FENCE.sub("", text_of(paper)))
    return frozenset(re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in headings)


@cache
def targets() -> frozenset[str]:
    return frozenset(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@cache
def words_of_code() -> frozenset[str]:
    """Return the words in upper case that stand anywhere in the code."""
    files = [ROOT / "Makefile", *ROOT.glob(".github/workflows/*.yml")]
    for folder in _FOLDERS:
        files += (one for one in (ROOT / folder).rglob("*") if one.suffix in _SOURCES)
    return frozenset(word for one in files for word in re.findall(r"\b[A-Z][A-Z0-9_]+\b", one.read_text("utf-8")))


def codes_of(paper: Path) -> Iterator[str]:
    return (one[1] for one in _CODE.finditer(_FENCE.sub("", text_of(paper))))


@pytest.mark.parametrize("paper", PAPERS, ids=name_of)
def test_every_link_leads_to_a_file_and_its_heading(paper: Path) -> None:
    lost = []
    for link in _LINK.findall(text_of(paper)):
        if "://" in link or link.startswith("mailto:"):
            continue
        file, _, anchor = link.partition("#")
        there = (paper.parent / file).resolve() if file else paper
        if not there.exists() or (anchor and anchor not in anchors_of(there)):
            lost.append(link)

    assert lost == []


@pytest.mark.parametrize("paper", [one for one in PAPERS if one.name != "CHANGELOG.md"], ids=name_of)
def test_every_path_module_target_and_setting_exists(paper: Path) -> None:
    lost = []
    for code in codes_of(paper):
        is_path = _PATH.fullmatch(code) and not _PLACEHOLDER.search(code.replace("README", "")) and code not in _ABSENT
        if is_path and not any((folder / code).exists() for folder in (ROOT, paper.parent)):
            lost.append(code)
        setting = _SETTING.fullmatch(code)
        if setting and setting[1] not in words_of_code() | _FOREIGN:
            lost.append(code)
    lost += (one for one in _TARGET.findall("\n".join(codes_of(paper))) if one not in targets())
    for module in _MODULE.findall(text_of(paper)):
        there = ROOT / module.replace(".", "/")
        if (ROOT / module.partition(".")[0]).is_dir() and not (there.is_dir() or there.with_suffix(".py").exists()):
            lost.append(module)

    assert lost == []


@pytest.mark.parametrize("paper", [one for one in PAPERS if _TEST.search(text_of(one))], ids=name_of)
def test_every_test_that_is_named_exists(paper: Path) -> None:
    assert set(_TEST.findall(text_of(paper))) <= names_of_tests()
