import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from shared.adapters.partial_imports import postpone, without_modules

_PACKAGE = "postponed_example"
_INNER = f"{_PACKAGE}.inner"


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of two, whose `__init__`s import everything."""
    inner = tmp_path / _PACKAGE / "inner"
    inner.mkdir(parents=True)
    (tmp_path / _PACKAGE / "__init__.py").write_text(f"from {_INNER} import Large, Small\n")
    (inner / "__init__.py").write_text("from .large import Large\nfrom .small import Small\n")
    (inner / "large.py").write_text("class Large:\n    pass\n")
    (inner / "small.py").write_text("class Small:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in [one for one in sys.modules if one.split(".")[0] == _PACKAGE]:
        del sys.modules[name]


def imported(name: str) -> ModuleType:
    return importlib.import_module(name)


def test_a_module_of_a_postponed_package_comes_alone() -> None:
    postpone(_PACKAGE, _INNER)

    small = imported(f"{_INNER}.small")

    assert small.Small
    assert f"{_INNER}.large" not in sys.modules


def test_a_postponed_package_knows_its_modules_as_names() -> None:
    postpone(_PACKAGE, _INNER)

    assert imported(_PACKAGE).inner.small is imported(f"{_INNER}.small")
    assert f"{_INNER}.large" not in sys.modules


def test_a_name_that_is_looked_up_runs_the_package_with_the_same_modules() -> None:
    postpone(_PACKAGE, _INNER)
    small = imported(f"{_INNER}.small")

    package = imported(_PACKAGE)

    assert package.Small is small.Small
    assert package.Large is imported(f"{_INNER}.large").Large


def test_a_name_that_a_package_does_not_have_is_missing_as_always() -> None:
    postpone(_PACKAGE, _INNER)

    with pytest.raises(AttributeError, match="no attribute 'Missing'"):
        imported(_PACKAGE).Missing  # noqa: B018 - the look-up is the point


def test_what_python_asks_of_every_module_runs_no_package() -> None:
    postpone(_PACKAGE, _INNER)

    assert not hasattr(imported(_PACKAGE), "__wrapped__")
    assert f"{_INNER}.large" not in sys.modules


def test_a_package_that_was_imported_stays_as_it_is() -> None:
    package = imported(_PACKAGE)

    postpone(_PACKAGE, _INNER)

    assert imported(_PACKAGE) is package
    assert "Large" in vars(package)


def test_a_package_that_does_not_exist_is_not_postponed() -> None:
    postpone("no_such_package")

    assert "no_such_package" not in sys.modules


def test_what_is_left_out_is_not_found_and_afterwards_is() -> None:
    with without_modules(_PACKAGE), pytest.raises(ModuleNotFoundError):
        imported(_PACKAGE)

    assert imported(_PACKAGE).Large


def test_what_was_imported_before_is_not_left_out() -> None:
    package = imported(_PACKAGE)

    with without_modules(_PACKAGE):
        assert imported(_PACKAGE) is package
