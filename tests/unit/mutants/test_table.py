"""The list of slips that change nothing."""

from pathlib import Path

import pytest

from tests.mutants.__main__ import MODULES
from tests.mutants.slips import slips_in
from tests.mutants.table import Equivalent, StaleEntryError, equivalents, keys_of_equivalents


def test_every_entry_names_one_slip() -> None:
    slips = [slip for module, path in MODULES.items() for slip in slips_in(path, module)]

    assert len(keys_of_equivalents(slips, equivalents())) == len(equivalents())


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


def test_entry_has_a_reason() -> None:
    assert all(len(entry.why.split()) > 3 for entry in equivalents())
