"""The list of slips that change nothing."""

from pathlib import Path

import pytest

from tests.mutants.__main__ import MODULES
from tests.mutants.slips import slips_in
from tests.mutants.table import Equivalent, StaleEntryError, equivalents, keys_of_equivalents


def test_every_entry_names_as_many_slips_as_it_says() -> None:
    slips = [slip for module, path in MODULES.items() for slip in slips_in(path, module)]

    assert len(keys_of_equivalents(slips, equivalents())) == sum(one.times for one in equivalents())


@pytest.mark.parametrize(
    ("function", "kind", "about"),
    [
        ("module:f", "not dropped", "c"),
        ("module:f", "condition negated", "a"),
        ("module:g", "not dropped", "a"),
        ("module:f", "not dropped", ""),
    ],
)
def test_entry_that_names_no_slip_or_several_is_an_error(tmp_path: Path, function: str, kind: str, about: str) -> None:
    path = tmp_path / "module.py"
    path.write_text("def f(a, b):\n return not a, not b\n", encoding="utf-8")
    entry = Equivalent(function=function, kind=kind, about=about, why="it is a test")

    with pytest.raises(StaleEntryError, match=r"names [02] slips"):
        keys_of_equivalents([*slips_in(path, "module")], [entry])


def test_slips_that_look_the_same_share_an_entry(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("def f(a, b):\n return not a, not b\n", encoding="utf-8")
    slips = [*slips_in(path, "module")]

    found = keys_of_equivalents(slips, [Equivalent("module:f", "not dropped", "not ", "it is a test", times=2)])

    assert set(found) == {slip.key for slip in slips}


def test_entry_that_is_the_whole_changed_source_is_about_that_alone(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("def f(a, b):\n return (a if b else b) if a else b\n", encoding="utf-8")
    slips = [*slips_in(path, "module")]

    found = keys_of_equivalents(slips, [Equivalent("module:f", "branch removed", "a if b else b", "it is a test")])

    assert [slip.before for slip in slips if slip.key in found] == ["a if b else b"]


def test_entry_has_a_reason() -> None:
    assert all(len(entry.why.split()) > 3 for entry in equivalents())
