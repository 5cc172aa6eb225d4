"""Every schedule made by hand is clean on the unchanged product, also one that no mutation or other test names."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator

import pytest

from tests import simulation
from tests.simulation.forgeries import FORGERIES


def scenes() -> Iterator[Callable[[], list[str]]]:
    """Yield the public functions of the modules of scenes that return violations and need no argument, except for forgeries."""
    modules = [module.name for module in pkgutil.iter_modules(simulation.__path__) if module.name.endswith("_scenes")]
    for name in modules:
        module = importlib.import_module(f"{simulation.__name__}.{name}")
        own = [one for one in vars(module).values() if inspect.isfunction(one) and one.__module__ == module.__name__]
        yield from (one for one in own if _is_scene(one) and one not in FORGERIES)


def _is_scene(function: Callable[..., object]) -> bool:
    signature = inspect.signature(function)
    needs = [parameter for parameter in signature.parameters.values() if parameter.default is parameter.empty]
    return not function.__name__.startswith("_") and signature.return_annotation == list[str] and not needs


@pytest.mark.parametrize("scene", [*scenes()], ids=lambda scene: scene.__name__)
def test_a_scene_is_clean(scene: Callable[[], list[str]]) -> None:
    assert scene() == []
