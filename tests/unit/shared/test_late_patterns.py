import re

import pytest

from shared.late_patterns import compile_all, late


class Compiler:
    """Compiles, and records what it was asked for."""

    def __init__(self) -> None:
        self.compiled: list[tuple[str, int]] = []

    def __call__(self, pattern: str, flags: int) -> re.Pattern[str]:
        self.compiled.append((pattern, flags))
        return re.compile(pattern, flags)


def test_a_late_pattern_is_compiled_when_it_is_first_used() -> None:
    compiler = Compiler()
    words = late(compiler, "[a-z]+", re.IGNORECASE)
    assert compiler.compiled == []

    assert [words.findall("4 Of 12"), words.findall("No 7")] == [["Of"], ["No"]]
    assert compiler.compiled == [("[a-z]+", re.IGNORECASE)]


def test_a_late_pattern_has_every_attribute_of_the_pattern() -> None:
    digits = late(re.compile, "[0-9]+")

    assert (digits.sub("#", "4 of 12"), digits.pattern, digits.fullmatch("4a")) == ("# of #", "[0-9]+", None)
    with pytest.raises(AttributeError, match="find"):
        digits.find  # type: ignore[attr-defined]  # noqa: B018 - looked up to fail


def test_every_late_pattern_is_compiled_ahead_of_its_use() -> None:
    compiler = Compiler()
    digits = late(compiler, "[0-9]+")

    compile_all()

    assert compiler.compiled == [("[0-9]+", 0)]
    assert digits.search("no 7") is not None
    assert compiler.compiled == [("[0-9]+", 0)]
