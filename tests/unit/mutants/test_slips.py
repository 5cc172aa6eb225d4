"""The slips that the mutation tests make."""

from pathlib import Path
from types import FunctionType

import pytest

from tests.mutants.slips import Slip, marking_codes, slips_in


def slips_of(source: str, folder: Path) -> list[Slip]:
    path = folder / "module.py"
    path.write_text(source, encoding="utf-8")
    return [*slips_in(path, "module")]


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("if a: b()", {"branch removed", "condition negated", "call dropped"}),
        ("if a:\n  x = 1\n else:\n  x = 2", {"branch removed", "else removed", "condition negated"}),
        ("x = a and b", {"and/or swapped", "condition negated"}),
        ("x = a < b", {"off by one", "condition negated"}),
        ("x = not a", {"not dropped"}),
        ("f(flag=True)", {"call dropped", "flag flipped"}),
        ("x = min(a, b)", {"opposite called"}),
        ("x = a.union(b)", {"opposite called"}),
        ("x = a | b", {"operator swapped"}),
        ("x = now_ms + a", {"operator swapped"}),
        ("left_s -= a", {"operator swapped"}),
        ("x = name + text", set()),
        ("logs.info('x')", set()),
        ("super().__init__(a)", set()),
        ("x: int | None = 1", set()),
    ],
)
def test_slips_of_a_statement(tmp_path: Path, body: str, kinds: set[str]) -> None:
    found = slips_of(f"def f(a, b):\n {body}\n", tmp_path)

    assert {one.kind for one in found} == kinds


@pytest.mark.parametrize(
    ("annotation", "count"),
    [("bool", 2), ("int", 1), ("tuple[str, ...]", 1), ("str | None", 1), ("None", 0), ("Entry", 0)],
)
def test_function_returns_the_empty_value_of_its_type(tmp_path: Path, annotation: str, count: int) -> None:
    assert len(slips_of(f"def f(a) -> {annotation}:\n return a\n", tmp_path)) == count


def test_inner_function_returns_the_empty_value_of_its_own_type(tmp_path: Path) -> None:
    [slip] = slips_of("def f() -> None:\n def g(a) -> int:\n  return a\n x = g\n", tmp_path)

    assert (slip.function, slip.kind) == ("module:f", "returns nothing")


def test_changed_code_has_the_place_of_the_code_that_it_replaces(tmp_path: Path) -> None:
    source = "class C:\n @property\n def f(self) -> int:\n  return 7\n\nG = lambda a: not a\n"
    slips = slips_of(source, tmp_path)

    assert [(one.function, one.kind) for one in slips] == [
        ("module:C.f", "returns nothing"),
        ("module:<lambda>", "not dropped"),
    ]
    assert set(slips[0].codes()) == {("C.f", 2), ("<lambda>", 6)}


def test_slip_changes_nothing_but_its_function(tmp_path: Path) -> None:
    first, second = slips_of("def f(a) -> int:\n return a\n\ndef g(a) -> int:\n return a\n", tmp_path)

    for slip, of_f, of_g in ((first, 0, 5), (second, 5, 0), (first, 0, 5)):
        codes = slip.codes()
        functions = {name: FunctionType(code, {}) for (name, _), code in codes.items()}
        assert (functions["f"](5), functions["g"](5)) == (of_f, of_g)


def test_slip_has_the_same_key_until_its_function_changes(tmp_path: Path) -> None:
    [before] = slips_of("def f(a) -> int:\n return a\n", tmp_path)
    [moved] = slips_of("X = 1\n\n\ndef f(a) -> int:\n return a\n", tmp_path)
    [changed] = slips_of("def f(a) -> int:\n return a.b\n", tmp_path)

    assert before.key == moved.key
    assert before.key != changed.key


def test_a_marking_function_tells_its_name_and_does_what_it_did(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("def f(a):\n def g():\n  return a\n return g()\n\nG = lambda a: a\n", encoding="utf-8")
    called: list[str] = []

    codes = marking_codes(path, "module", mark="mark")
    functions = {name: FunctionType(code, {"mark": called.append}) for (name, _), code in codes.items()}

    assert (functions["f"](7), functions["<lambda>"](8)) == (7, 8)
    assert called == ["module:f", "module:<lambda>"]
