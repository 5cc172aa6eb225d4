"""The door for strangers: README in two languages, and pages that name files."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGLISH, JAPANESE = ROOT / "README.md", ROOT / "README.ja.md"
_FENCE = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"`([^`\n]*\b(?:make [a-z]|terraform |python -m )[^`\n]*)`")
_PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|toml|md|yml))`")
_IN_ENGLISH_ONLY = ("Settings", "Where things are", "How to add a tool")
"""README.ja.md refers to these sections of README.md."""


def sections_of(path: Path) -> dict[str, str]:
    """Return each section by its English heading, which a comment under a Japanese heading repeats."""
    text = path.read_text(encoding="utf-8")
    headings = list(re.finditer(r"^(#+) (.+)\n(?:<!-- (.+) -->\n)?", text, re.MULTILINE))
    outside = [heading for heading in headings if text[: heading.start()].count("```") % 2 == 0]
    ends = [*(heading.start() for heading in outside[1:]), len(text)]
    return {
        f"{heading[1]} {heading[3] or heading[2]}": text[heading.end() : end]
        for heading, end in zip(outside, ends, strict=True)
    }


def commands_in(section: str) -> list[str]:
    """Return the commands of a section: those of its code blocks without comments, then those within the text."""
    lines = [line.partition("#")[0].strip() for block in _FENCE.findall(section) for line in block.splitlines()]
    return [
        *(line for line in lines if line.startswith("make ")),
        *sorted(set(_COMMAND.findall(_FENCE.sub("", section)))),
    ]


def test_both_readmes_have_the_same_headings() -> None:
    assert list(sections_of(JAPANESE)) == list(sections_of(ENGLISH))


@pytest.mark.parametrize("heading", [one for one in sections_of(ENGLISH) if not one.endswith(_IN_ENGLISH_ONLY)])
def test_both_readmes_have_the_same_commands_in_a_section(heading: str) -> None:
    assert commands_in(sections_of(JAPANESE)[heading]) == commands_in(sections_of(ENGLISH)[heading])


def test_the_first_screen_gives_three_ways_with_what_they_cost() -> None:
    english = ENGLISH.read_text(encoding="utf-8")
    ways = sections_of(ENGLISH)["## Three ways"]

    assert english.index("## Three ways") < 3_000
    assert commands_in(ways) == ["make cost", "make run", "make serve", "terraform apply"]
    assert len(re.findall(r"\$\d", ways)) == 3


@pytest.mark.parametrize("page", ["docs/architecture.md", "docs/debugging-a-seed.md", "CONTRIBUTING.md"])
def test_every_file_that_a_page_names_exists(page: str) -> None:
    named = set(_PATH.findall((ROOT / page).read_text(encoding="utf-8")))

    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_a_messages_way_has_ten_steps_with_file_names() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    way = text.partition("## A message's way, in ten steps\n")[2].partition("\n## ")[0]

    steps = re.split(r"^\d+\. ", way, flags=re.MULTILINE)[1:]
    assert len(steps) == 10
    assert [step for step in steps if not _PATH.search(step)] == []
