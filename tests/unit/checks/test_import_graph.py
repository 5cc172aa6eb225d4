"""What depends on what, by imports, by names of files, by mirrored paths."""

import pytest

from checks.import_graph import ImportGraph, imported


@pytest.mark.parametrize(
    ("source", "modules"),
    [
        ("import shared.clock\n", {"shared/clock"}),
        ("import shared.clock as clock, json  # both\n", {"shared/clock", "json"}),
        ("from shared.turns import flood\n", {"shared/turns", "shared/turns/flood"}),
        (
            "from shared.turns import (\n    flood,  # of messages\n    turn as other,\n)\n",
            {"shared/turns/flood", "shared/turns/turn"},
        ),
        ("def f():\n    from shared.clock import Clock\n", {"shared/clock", "shared/clock/Clock"}),
        ("from . import scenes\n", {"tests/simulation/scenes"}),
        ("from ..support.turns import x\n", {"tests/support/turns"}),
    ],
)
def test_every_form_of_import_is_read(source: str, modules: set[str]) -> None:
    assert modules <= set(imported(source, "tests/simulation/a.py"))


def test_the_distance_of_a_user_counts_the_imports_between() -> None:
    graph = ImportGraph.of_sources(
        {
            "a.py": "",
            "b.py": "import a\n",
            "c.py": "from b import x\n",
            "d.py": "import json\n",
            "e.py": "import a, c\n",
        }
    )

    assert graph.distances(["a.py"]) == {"a.py": 0, "b.py": 1, "e.py": 1, "c.py": 2}


def test_modules_that_import_each_other_are_counted_once() -> None:
    graph = ImportGraph.of_sources({"a.py": "import b\n", "b.py": "import a\n"})

    assert graph.distances(["a.py"]) == {"a.py": 0, "b.py": 1}


def test_a_package_is_used_by_what_imports_a_module_of_it_by_name() -> None:
    graph = ImportGraph.of_sources({"pack/__init__.py": "", "pack/a.py": "", "user.py": "from pack import a\n"})

    assert graph.distances(["pack/__init__.py"]) == {"pack/__init__.py": 0, "user.py": 1}
    assert graph.distances(["pack/a.py"]) == {"pack/a.py": 0, "user.py": 1}


def test_a_unit_test_uses_the_module_that_its_path_mirrors() -> None:
    graph = ImportGraph.of_sources({"shared/clock.py": "", "tests/unit/shared/test_clock.py": ""})

    assert "tests/unit/shared/test_clock.py" in graph.distances(["shared/clock.py"])


def test_a_unit_test_that_mirrors_no_module_uses_all_of_its_folder() -> None:
    graph = ImportGraph.of_sources(
        {"functions/webhook/compose.py": "", "tests/unit/functions/webhook/test_webhook.py": ""}
    )

    assert "tests/unit/functions/webhook/test_webhook.py" in graph.distances(["functions/webhook/compose.py"])


def test_a_file_that_is_no_module_is_used_by_what_names_it_and_by_its_neighbours() -> None:
    graph = ImportGraph.of_sources(
        {
            "shared/locales/texts.py": "",
            "operations/cost.py": 'read("shared/locales/en.toml")\n',
            "other.py": 'x = "entry"\n',
        }
    )

    assert graph.distances(["shared/locales/en.toml"]).keys() == {
        "shared/locales/en.toml",
        "shared/locales/texts.py",
        "operations/cost.py",
    }
