"""How vague the words of the code are, by package: `python -m checks.vocabulary`, part of `make check`.

A package fails if one of three figures exceeds a ceiling of `checks/vocabulary.toml`:

- vague names: bindings of a word such as `found` or `left`, in 1,000 lines. `one` is free in a comprehension of one line;
- pronouns among the words of all docstrings, in percent;
- examples: the share of docstrings with an example (`>>>`, "for example", or code as in `local_day("Asia/Tokyo")`), in percent.

A name must not contain a word that `docs/glossary.md` retires: `Provenance` is written, `came_from` is not.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

REPOSITORY: Final = Path(__file__).resolve().parent.parent
PACKAGES: Final = ("benchmarks", "checks", "evals", "functions", "operations", "selfhost", "shared", "simulator")
NOT_OURS: Final = ("simulator/line/example_bots/",)  # what a bot's author writes
GLOSSARY: Final = REPOSITORY / "docs" / "glossary.md"
CEILINGS: Final = REPOSITORY / "checks" / "vocabulary.toml"

# fmt: off
VAGUE_NAMES: Final = frozenset({
    "anything", "found", "given", "gone", "held", "kept", "known", "left", "listed", "lost", "made", "named", "one",
    "others", "rest", "said", "seen", "taken", "there", "told", "wanted", "what",
})
# fmt: on
# fmt: off
PRONOUNS: Final = frozenset({
    "he", "her", "hers", "herself", "him", "himself", "his", "it", "its", "itself", "one", "ones", "she", "that",
    "their", "theirs", "them", "themselves", "these", "they", "this", "those", "what", "whatever", "which", "who",
    "whoever", "whom", "whose",
})
# fmt: on
_EXAMPLE: Final = re.compile(r">>>|\bexample\b|\be\.g\.|`[^`]*(->|=>|\([^`)]*[\"'\d][^`]*\))[^`]*`", re.IGNORECASE)
_RETIRED_ROW: Final = re.compile(r"^\| ~~(?P<words>.+?)~~ \|", re.MULTILINE)
_WORD: Final = re.compile(r"[A-Za-z']+")


@dataclass(frozen=True, slots=True)
class Finding:
    """A name in a file. `line` counts from 1."""

    path: str
    line: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of one package."""

    lines: int
    vague: tuple[Finding, ...]
    docstring_words: int
    pronouns: int
    docstrings: int
    examples: int

    @property
    def vague_per_thousand(self) -> float:
        """Vague bindings in 1,000 lines."""
        return 1_000 * len(self.vague) / max(1, self.lines)

    @property
    def pronouns_percent(self) -> float:
        """Pronouns among 100 words of docstrings."""
        return 100 * self.pronouns / max(1, self.docstring_words)

    @property
    def examples_percent(self) -> float:
        """Docstrings with an example among 100."""
        return 100 * self.examples / max(1, self.docstrings)


def measured(sources: Iterable[tuple[str, str]]) -> Figures:
    """Return the figures of some modules, each given as a path and a text."""
    lines = docstring_words = pronouns = docstrings = examples = 0
    vague: list[Finding] = []
    for path, source in sources:
        tree = ast.parse(source)
        lines += source.count("\n")
        vague += [Finding(path, line, name) for line, name in bindings(tree) if name.strip("_") in VAGUE_NAMES]
        for docstring in _docstrings(tree):
            words = [word.lower() for word in _WORD.findall(docstring)]
            docstrings += 1
            docstring_words += len(words)
            pronouns += sum(word in PRONOUNS for word in words)
            examples += bool(_EXAMPLE.search(docstring))
    return Figures(
        lines=lines,
        vague=tuple(vague),
        docstring_words=docstring_words,
        pronouns=pronouns,
        docstrings=docstrings,
        examples=examples,
    )


def bindings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of each bound variable and parameter.  Left out: `one` in a comprehension of one line."""
    free = {
        id(name)
        for comprehension in ast.walk(tree)
        if isinstance(comprehension, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
        and comprehension.lineno == comprehension.end_lineno
        for generator in comprehension.generators
        for name in ast.walk(generator.target)
        if isinstance(name, ast.Name) and name.id == "one"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in free:
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


def retired_words(glossary: str) -> frozenset[str]:
    """Return the words that a glossary retires: a row `| ~~came_from, saw~~ | provenance |` retires two."""
    rows = _RETIRED_ROW.findall(glossary)
    return frozenset(word.strip(" `") for row in rows for word in row.split(","))


def retired_names(path: str, source: str, words: frozenset[str]) -> list[Finding]:
    """Return a module's names that are or contain a retired word: `old_came_from`, but not `became_from`."""
    return [
        Finding(path, line, name)
        for line, name in _names(ast.parse(source))
        if any(f"_{word}_" in f"_{name.lower()}_" for word in words)
    ]


def _names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    yield from bindings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name


def _docstrings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                yield docstring


def _modules(package: str) -> list[tuple[str, str]]:
    paths = sorted((REPOSITORY / package).rglob("*.py"))
    texts = {path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return [(name, text) for name, text in texts.items() if not name.startswith(NOT_OURS)]


def main(arguments: list[str]) -> int:
    """Print the figures of each package; with `--names`, each vague name.

    Return 1 where a package exceeds a ceiling, or a name holds a retired word.
    """
    ceilings = tomllib.loads(CEILINGS.read_text(encoding="utf-8"))
    words = retired_words(GLOSSARY.read_text(encoding="utf-8"))
    problems: list[str] = []
    print(f"{'package':12}{'lines':>8}{'vague / 1,000':>15}{'pronouns %':>12}{'examples %':>12}")
    for package in PACKAGES:
        modules = _modules(package)
        figures = measured(modules)
        print(
            f"{package:12}{figures.lines:8,}{figures.vague_per_thousand:15.1f}"
            f"{figures.pronouns_percent:12.1f}{figures.examples_percent:12.1f}"
        )
        if "--names" in arguments:
            print(*(f"  {vague.path}:{vague.line}: {vague.name}" for vague in figures.vague), sep="\n")
        problems += _excesses(package, figures, ceilings)
        problems += [
            f"{name.path}:{name.line}: `{name.name}` contains a word retired by docs/glossary.md"
            for path, source in modules
            for name in retired_names(path, source, words)
        ]
    print(*problems, sep="\n", file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


def _excesses(package: str, figures: Figures, ceilings: Mapping[str, dict[str, float]]) -> list[str]:
    ceiling = ceilings["default"] | ceilings.get(package, {})
    bounds = (
        ("vague names in 1,000 lines", figures.vague_per_thousand, ceiling["vague_per_thousand"]),
        ("% pronouns in docstrings", figures.pronouns_percent, ceiling["pronouns_percent"]),
        ("% docstrings without an example", 100 - figures.examples_percent, 100 - ceiling["examples_percent"]),
    )
    return [f"{package}: {value:.1f} {unit}, at most {bound:.1f}" for unit, value, bound in bounds if value > bound]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
