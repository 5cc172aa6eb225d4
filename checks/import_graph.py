"""The graph of users: test files depend on files of the repository by imports, by names of files, and by mirrored paths.

Imports are read by a pattern, not by Python's parser: nine hundred files take 0.2 s instead of 6 s. An import in a docstring counts, too.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_IMPORT: Final = re.compile(
    r"^[ \t]*(?:from[ ]+(?P<dots>\.*)(?P<module>[\w.]*)[ ]+import[ ]+(?P<names>\([^)]*\)|[^\n]*)|import[ ]+(?P<modules>[^\n]*))",
    re.MULTILINE,
)
_COMMENT: Final = re.compile(r"#[^\n]*")
_NAME: Final = re.compile(r"(?<![\w.])([\w.]+)(?:[ ]+as[ ]+\w+)?")


@dataclass(frozen=True, slots=True)
class ImportGraph:
    """The Python files that use each Python file directly, by path: `users["shared/clock.py"]` has `"shared/logs.py"`.

    `sources` are the texts of all Python files: a module that names `en.toml` uses `shared/locales/en.toml`.
    """

    users: Mapping[str, frozenset[str]]
    sources: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Path, folders: Iterable[str]) -> ImportGraph:
        """Read every Python file of the folders."""
        files = sorted(path for folder in folders for path in (root / folder).rglob("*.py"))
        return cls.of_sources({file.relative_to(root).as_posix(): file.read_text(encoding="utf-8") for file in files})

    @classmethod
    def of_sources(cls, sources: Mapping[str, str]) -> ImportGraph:
        """Read sources by path: `of_sources({"a.py": "import b", "b.py": ""}).users == {"b.py": frozenset({"a.py"})}`."""
        folders: defaultdict[str, list[str]] = defaultdict(list)
        for path in sources:
            folders[PurePosixPath(path).parent.as_posix()].append(path)
        users: defaultdict[str, set[str]] = defaultdict(set)
        for path, source in sources.items():
            modules = [f"{module}{suffix}" for module in imported(source, path) for suffix in (".py", "/__init__.py")]
            for used in [*modules, *_mirrored(path, sources, folders)]:
                if used in sources:
                    users[used].add(path)
        return cls({path: frozenset(importers) for path, importers in users.items()}, sources)

    def distances(self, changed: Iterable[str]) -> dict[str, int]:
        """Return how many steps of use lie between each file and the nearest change: 0 for a changed file itself."""
        distances: dict[str, int] = {}
        waiting: deque[tuple[str, int]] = deque((path, 0) for path in changed)
        while waiting:
            path, distance = waiting.popleft()
            if path in distances:
                continue
            distances[path] = distance
            users = self.users.get(path, frozenset()) if path.endswith(".py") else self._naming(path)
            waiting.extend((user, distance + 1) for user in sorted(users))
        return distances

    def _naming(self, path: str) -> frozenset[str]:
        """Return the modules that name a file or its folder in quotes or in a path, and the modules next to the file."""
        file = PurePosixPath(path)
        names = "|".join(re.escape(name) for name in {file.name, path, str(file.parent), file.parent.name} - {"", "."})
        mention = re.compile(rf"[\"'/](?:{names})[\"'/]")
        return frozenset(
            user
            for user, source in self.sources.items()
            if PurePosixPath(user).parent == file.parent or mention.search(source)
        )


def imported(source: str, path: str) -> Iterator[str]:
    """Return possible modules as paths: `from shared.turns import flood` gives `shared/turns` and `shared/turns/flood`."""
    for match in _IMPORT.finditer(source):
        if match["modules"] is not None:
            yield from (module.replace(".", "/") for module in _NAME.findall(_COMMENT.sub("", match["modules"])))
            continue
        package = PurePosixPath(path).parents[len(match["dots"]) - 1].as_posix() if match["dots"] else ""
        whole = "/".join(part for part in (package, match["module"].replace(".", "/")) if part)
        yield whole
        yield from (f"{whole}/{name}" for name in _NAME.findall(_COMMENT.sub("", match["names"])))


def _mirrored(path: str, sources: Mapping[str, str], folders: Mapping[str, list[str]]) -> list[str]:
    """Return the modules that a unit test mirrors by path: `tests/unit/shared/test_clock.py` gives `shared/clock.py`.

    Without such a file, the test mirrors all modules of the folder, for example of `functions/webhook`.
    """
    file = PurePosixPath(path)
    if file.parts[:2] != ("tests", "unit") or not file.name.startswith("test_"):
        return []
    mirrored = PurePosixPath(*file.parts[2:-1], file.name.removeprefix("test_")).as_posix()
    return [mirrored] if mirrored in sources else folders.get(PurePosixPath(mirrored).parent.as_posix(), [])
